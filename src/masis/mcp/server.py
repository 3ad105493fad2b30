"""The server behind both transports.

HTTP has no sessions: every request carries its own key and gets that key's rights, so any process can answer it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from masis._version import __version__
from masis.access.check import AccessCheck
from masis.client import Masis
from masis.errors import Forbidden, InvalidInput, MASISError, RateLimited, Unauthorized, public_words

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

KEY_IN_SCOPE = "masis.key"
"""Where the admitted key is stored for the tools."""
INSTRUCTIONS = (
    "MASIS answers questions from the user's own documents. Every sentence of an answer is cited and checked against "
    "its source. Use `ask` for answers, `search_evidence` to explore, `read_passage` for the exact words behind a "
    "citation, and `list_workspaces` and `list_documents` to see what is available. Never present as fact what the "
    "verdicts do not support, and leave decisions to the user when MASIS asks for one."
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
    """An ASGI app for one path. Keep `running()` open as long as it is mounted."""

    def __init__(self, masis: Masis, access: AccessCheck) -> None:
        self._masis = masis
        self._access = access
        self._sessions: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        from mcp.server.transport_security import TransportSecuritySettings

        server = build_server(self._masis)
        # The access check decides who may call.
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
            key = (await self._access.admit(scope)).key
        except MASISError as error:
            await refusal(error)(scope, receive, send)
            return
        if scope["method"] != "POST" or self._sessions is None:
            # Without sessions there is nothing to listen to and nothing to end.
            status = 405 if self._sessions else 503
            await PlainTextResponse("", status, {"Allow": "POST"})(scope, receive, send)
            return
        await self._sessions.handle_request({**scope, KEY_IN_SCOPE: key}, receive, send)


def mcp_asgi_app(masis: Masis, access: AccessCheck) -> MCPApp:
    """For the API to mount. Shares its access check, so that each request counts once against its key."""
    require_library()
    return MCPApp(masis, access)


def standalone_app(masis: Masis, *, always_with_keys: bool = False) -> Starlette:
    """Includes a worker, so that a question continues when its client disconnects."""
    app = mcp_asgi_app(masis, AccessCheck(masis.settings, always_with_keys=always_with_keys))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with masis.working(), app.running():
            yield

    return Starlette(routes=[Route("/mcp", endpoint=app)], lifespan=lifespan)


_STATUS: dict[type[MASISError], int] = {Unauthorized: 401, Forbidden: 403, RateLimited: 429}


def refusal(error: MASISError) -> JSONResponse:
    status = _STATUS.get(type(error), 503)
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    if isinstance(error, RateLimited):
        headers["Retry-After"] = str(max(1, round(error.retry_after)))
    detail, advice = public_words(error)
    problem = {
        "type": f"urn:masis:problem:{error.code}",
        "status": status,
        "detail": detail,
        "code": error.code,
        "advice": advice,
    }
    return JSONResponse(problem, status, headers, media_type="application/problem+json")
