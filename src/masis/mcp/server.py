"""The server behind both transports.

Over HTTP no session is kept: every request carries its own key and is judged by its own rights, and any of several
processes may answer it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from masis._version import __version__
from masis.access.key_limits import KeyLimits
from masis.access.keys import Keys
from masis.errors import InvalidInput, MASISError
from masis.mcp.door import KEY_IN_SCOPE, Door, refusal
from masis.runs.service import Masis
from masis.runs.working import working

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

INSTRUCTIONS = (
    "MASIS answers questions from the user's own documents and proves the answers: every sentence is cited and checked "
    "against its source. Use `ask` for answers, `search_evidence` to explore, `read_passage` to see the exact words "
    "behind a citation, `list_workspaces` and `list_documents` to find your way. Never present as fact what its "
    "verdicts do not support, and let the user decide where it asks."
)


def require_library() -> None:
    if find_spec("mcp") is None:
        raise InvalidInput("The MCP server is not installed.", advice="Install it with: pip install 'masis[mcp]'")


def build_server(masis: Masis) -> "MCPServer[Any]":
    require_library()
    from mcp.server.mcpserver import MCPServer

    from masis.mcp.tools import add_tools

    server: MCPServer[Any] = MCPServer(
        "masis", title="MASIS", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING"
    )
    add_tools(server, masis)
    return server


class MCPApp:
    """An ASGI app for one path. Whoever mounts it keeps `running()` open for as long as it serves."""

    def __init__(self, masis: Masis, door: Door) -> None:
        self._masis = masis
        self._door = door
        self._sessions: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        from mcp.server.transport_security import TransportSecuritySettings

        server = build_server(self._masis)
        # Who may call is the door's to say.
        unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        server.streamable_http_app(stateless_http=True, transport_security=unguarded)
        self._sessions = server.session_manager
        try:
            async with self._sessions.run():
                yield
        finally:
            self._sessions = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            key = await self._door.let_in(Headers(scope=scope))
        except MASISError as error:
            await refusal(error)(scope, receive, send)
            return
        if scope["method"] != "POST" or self._sessions is None:
            # There are no sessions, so there is nothing to listen to and nothing to end.
            status = 405 if self._sessions else 503
            await PlainTextResponse("", status, {"Allow": "POST"})(scope, receive, send)
            return
        await self._sessions.handle_request({**scope, KEY_IN_SCOPE: key}, receive, send)


def mcp_asgi_app(
    masis: Masis, *, keys: Keys | None = None, limits: KeyLimits | None = None, always_with_keys: bool = False
) -> MCPApp:
    """For the API to mount: it shares its keys and its limits, so that a key is counted once.

    `always_with_keys`: also while there are none, for a server that other machines can reach.
    """
    require_library()
    return MCPApp(masis, Door(masis.settings, keys, limits, always_with_keys=always_with_keys))


def standalone_app(masis: Masis, *, always_with_keys: bool = False) -> Starlette:
    """With a worker: a question goes on when the client that asked it does not."""
    app = mcp_asgi_app(masis, always_with_keys=always_with_keys)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with working(masis), app.running():
            yield

    return Starlette(routes=[Route("/mcp", endpoint=app)], lifespan=lifespan)
