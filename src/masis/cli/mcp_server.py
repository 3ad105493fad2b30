"""`masis mcp`: MASIS as a tool of other agents."""

from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.console import clear_errors, err, settings

if TYPE_CHECKING:
    from masis.client import Masis


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP instead of standard input and output.")] = False,
    host: Annotated[str, typer.Option(help="With --http: the address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --http: the port; 0 takes a free one.")] = 8001,
) -> None:
    """Let other agents use MASIS: a Model Context Protocol server with tools to ask, search and read.

    Without options it speaks over standard input and output, as desktop agents start it. With --http it serves
    http://HOST:PORT/mcp; once there are API keys each request needs one, as for `masis serve`, which has /mcp too.

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
    from masis.cli.listening import alone_in_its_folder, listening
    from masis.mcp.server import standalone_app

    is_open = require_keys_for(host, masis.settings)
    app = standalone_app(masis, always_with_keys=is_open)
    config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=5)
    with alone_in_its_folder(masis.settings), listening(host, port) as (place, address):
        err().print(f"MASIS speaks MCP at {address}/mcp (Ctrl+C stops it)")
        uvicorn.Server(config).run(sockets=[place])
