"""`masis serve` and `masis worker`."""

from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.console import clear_errors, err, settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from masis.api.service import Service
    from masis.mcp.server import MCPApp
    from masis.settings import Settings

Concurrency = Annotated[int | None, typer.Option(min=1, help="How many runs to process at once.")]


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; any but this machine's own needs keys.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Answer requests only; `masis worker` processes do the work.")
    ] = False,
    workers_concurrency: Concurrency = None,
) -> None:
    """Serve the API and the page. Runs and uploads are processed in the same process.

    With no keys it answers this machine only. Before others may reach it, make a key:

    $ masis serve

    $ masis keys create "Ada's notebook" --role write --workspace acme

    $ masis serve --host 0.0.0.0
    """
    with clear_errors(as_json=False):
        from masis.access.check import require_keys_for
        from masis.api.app import create_app
        from masis.api.serving import server_for
        from masis.cli.listening import alone_in_its_folder, listening
        from masis.observability.logs import configure_logging

        chosen = settings()
        is_open = require_keys_for(host, chosen)
        with alone_in_its_folder(chosen), listening(host, port) as (place, address):
            configure_logging(chosen, default_level="info")
            app = create_app(
                chosen,
                with_worker=not no_worker,
                concurrency=workers_concurrency,
                always_with_keys=is_open,
                beside=other_doors(),
            )
            _greet(address)
            server_for(app, chosen, host, port).run(sockets=[place])


def worker(
    concurrency: Concurrency = None,
    metrics_port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Serve this worker's figures for Prometheus at this port.")
    ] = None,
    metrics_host: Annotated[
        str, typer.Option(help="The address for them; they name no workspace, and need no key.")
    ] = "127.0.0.1",
) -> None:
    """Work on runs and uploads from the queue, beside other workers. For services on PostgreSQL and a Qdrant server.

    When stopped with Ctrl-C or SIGTERM, it returns its runs to the queue for another worker.

    $ MASIS_DATABASE_URL=postgresql://… QDRANT_URL=http://… masis worker
    """
    with clear_errors(as_json=False):
        import asyncio
        from contextlib import nullcontext

        from masis.observability.logs import configure_logging
        from masis.observability.metrics import served

        chosen = settings()
        _require_shared(chosen)
        configure_logging(chosen, default_level="info")
        with nullcontext() if metrics_port is None else served(metrics_host, metrics_port):
            asyncio.run(_work(chosen, concurrency))


def other_doors() -> "dict[str, Callable[[Service], MCPApp]]":
    """What is served beside the API: /mcp, where `masis[mcp]` is installed."""
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        return {}
    from masis.mcp.server import mcp_asgi_app

    return {"/mcp": lambda service: mcp_asgi_app(service.masis, service.access)}


def _greet(address: str) -> None:
    err().print(
        f"[bold]MASIS[/bold] serves [cyan]{address}[/cyan] · routes: {address}/docs · stop it with Ctrl-C\n"
        f"[dim]$ curl {address}/masis/workspaces/acme/documents?wait=true -F files=@report.pdf\n"
        f"$ curl {address}/masis/workspaces/acme --json "
        """'{"query": "What was customer churn in 2025?"}'[/dim]""",
        soft_wrap=True,
    )


def _require_shared(chosen: "Settings") -> None:
    from masis.errors import InvalidInput

    if not (chosen.database_url and chosen.uses_qdrant_server):
        raise InvalidInput(
            "A worker of its own needs a database and an index that several processes can open.",
            advice="`masis serve` has a worker already. For more of them set MASIS_DATABASE_URL to a PostgreSQL and "
            "QDRANT_URL to a Qdrant server.",
        )


async def _work(chosen: "Settings", concurrency: int | None) -> None:
    import asyncio
    import signal

    from masis.client import Masis
    from masis.runs.working import use_many_threads

    use_many_threads()
    stopped = asyncio.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(each, stopped.set)
    async with Masis(chosen) as masis, masis.working(concurrency):
        err().print("MASIS is working on the queue. Press Ctrl-C to stop.")
        await stopped.wait()
