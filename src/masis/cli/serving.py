"""`masis serve`, `worker` and `mcp`: running MASIS as a service."""

import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.console import clear_errors, err, settings
from masis.cli.remote import SERVICE_LOCK, announced
from masis.data_folder import FolderLock
from masis.errors import InvalidInput
from masis.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from masis.api.access import Service
    from masis.client import Masis
    from masis.mcp.server import MCPApp
    from masis.settings import Settings


def alone_in_its_folder(settings: Settings) -> AbstractContextManager[None]:
    """A second service would take runs from the queue of the first but could not open the index for them."""
    return nullcontext() if settings.uses_qdrant_server else FolderLock(settings.home / SERVICE_LOCK).kept()


@contextmanager
def listening(host: str, port: int) -> Iterator[tuple[socket.socket, str]]:
    """The socket, and the address for callers; port 0 picks a free one."""
    try:
        found = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidInput(
            f"MASIS cannot listen on {host}, port {port}: {reason}.",
            advice="Free the port, or choose another with --host and --port.",
        ) from None
    with found:
        # Connections inherit this; asyncio sets it only on sockets it created, and without it each answer waits 40 ms.
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield found, f"http://{_shown(host)}:{found.getsockname()[1]}"


def _shown(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


Concurrency = Annotated[int | None, typer.Option(min=1, help="Maximum runs to process at once.")]


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; any other than this machine's own requires keys.")
    ] = ("127.0.0.1"),
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Only answer requests; leave the work to `masis worker` processes.")
    ] = False,
    workers_concurrency: Concurrency = None,
) -> None:
    """Serve the API and the page. Runs and uploads are processed in the same process.

    Without keys, it accepts requests from this machine only. Create a key before others can reach it:

    $ masis serve

    $ masis keys create "Ada's notebook" --role write --workspace acme

    $ masis serve --host 0.0.0.0
    """
    with clear_errors(as_json=False):
        from masis.access.check import require_keys_for
        from masis.api.app import create_app, server_for
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
            with announced(chosen, address):
                server_for(app, chosen, host, port).run(sockets=[place])


def worker(
    concurrency: Concurrency = None,
    metrics_port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Serve this worker's Prometheus metrics on this port.")
    ] = None,
    metrics_host: Annotated[
        str, typer.Option(help="Address for the metrics; they name no workspace and need no key.")
    ] = "127.0.0.1",
) -> None:
    """Process runs and uploads from the queue, alongside other workers. Requires PostgreSQL and a Qdrant server.

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
    """The applications served next to the API: /mcp, if `masis[mcp]` is installed."""
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
            "A separate worker needs a database and an index that several processes can open.",
            advice="`masis serve` has its own worker. For more, set MASIS_DATABASE_URL to a PostgreSQL server and "
            "QDRANT_URL to a Qdrant server.",
        )


async def _work(chosen: "Settings", concurrency: int | None) -> None:
    import asyncio
    import signal

    from masis.client import Masis
    from masis.runs.working import settle_in

    settle_in()
    stopped = asyncio.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(each, stopped.set)
    async with Masis(chosen) as masis, masis.working(concurrency):
        err().print("MASIS is working on the queue. Press Ctrl-C to stop.")
        await stopped.wait()


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP instead of standard input and output.")] = False,
    host: Annotated[str, typer.Option(help="With --http: the address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --http: the port; 0 takes a free one.")] = 8001,
) -> None:
    """Let other agents use MASIS: a Model Context Protocol server with tools to ask, search and read.

    By default it communicates over standard input and output, as desktop agents expect. With --http it serves
    http://HOST:PORT/mcp; once there are API keys, each request needs one. `masis serve` also has /mcp.

    $ masis mcp

    $ masis mcp --http --port 8001
    """
    with clear_errors(as_json=False):
        from masis import Masis
        from masis.mcp.server import require_library
        from masis.observability.logs import configure_logging

        require_library()
        configured = settings()
        configure_logging(configured, default_level="info" if http else "warning")
        with Masis(configured) as masis:
            if http:
                _serve(masis, host, port)
            else:
                _speak(masis)


def _speak(masis: "Masis") -> None:
    import anyio

    from masis.mcp.server import build_server

    anyio.run(build_server(masis).run_stdio_async)


def _serve(masis: "Masis", host: str, port: int) -> None:
    import uvicorn

    from masis.access.check import require_keys_for
    from masis.api.connections import Bounded, server_config
    from masis.mcp.server import standalone_app

    is_open = require_keys_for(host, masis.settings)
    app = standalone_app(masis, always_with_keys=is_open)
    config = server_config(Bounded(app, masis.settings), masis.settings)
    with alone_in_its_folder(masis.settings), listening(host, port) as (place, address):
        err().print(f"MASIS serves MCP at {address}/mcp (Ctrl+C stops it)")
        uvicorn.Server(config).run(sockets=[place])
