"""The page itself: its HTML at the page's addresses, and the files that it loads."""

import asyncio
import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fastapi import APIRouter, Request, Response

from masis.api.middleware.problems import NotHere

WEB = Path(__file__).parents[1] / "web"
PAGES = ("/", "/sign-in", "/settings", "/w/{rest:path}")
"""The addresses of the page; which view each one shows is for the page to know."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "connect", "font")),
        *("base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"),
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}
"""Not the system's table: what it says of .js differs from machine to machine."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_HASHED = re.compile(r"[.-][0-9a-f]{8,64}\.\w+$")
_ASK_EACH_TIME = "no-cache"
_A_WEEK = "public, max-age=604800"
_FOR_EVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class WebFile:
    data: bytes
    tag: str
    media_type: str
    caching: str


async def page(request: Request) -> Response:
    return await _answer(request, WEB / "index.html")


async def static_file(request: Request) -> Response:
    return await _answer(request, _within(WEB / "static", request.path_params["path"]))


def _router() -> APIRouter:
    router = APIRouter()
    for path in PAGES:
        router.add_route(path, page, methods=["GET"], include_in_schema=False)
    router.add_route("/static/{path:path}", static_file, methods=["GET"], include_in_schema=False)
    return router


router = _router()


async def _answer(request: Request, path: Path | None) -> Response:
    file = await asyncio.to_thread(_read, path) if path else None
    if file is None:
        raise NotHere("The page has no such file.", advice="Open the page at /, or look at /docs for the service.")
    headers = {**HEADERS, "ETag": file.tag, "Cache-Control": file.caching}
    known = request.headers.get("if-none-match", "")
    if file.tag in [tag.strip().removeprefix("W/") for tag in known.split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(file.data, media_type=file.media_type, headers=headers)


def _within(folder: Path, path: str) -> Path | None:
    """None for what is not plainly a file below the folder: no way up, no hidden name, no link that leads elsewhere."""
    parts = path.split("/")
    if not all(_NAME.fullmatch(part) for part in parts):
        return None
    found = folder.joinpath(*parts)
    return found if found.resolve().is_relative_to(folder.resolve()) else None


def _read(path: Path) -> WebFile | None:
    try:
        if not path.is_file() or path.suffix not in MEDIA_TYPES:
            return None
        status = path.stat()
        return _loaded(path, status.st_mtime_ns, status.st_size)
    except OSError:
        return None


@lru_cache(maxsize=256)
def _loaded(path: Path, changed_at: int, size: int) -> WebFile:
    """Read once for each state of the file: `changed_at` and `size` tell them apart."""
    data = path.read_bytes()
    tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
    return WebFile(data, tag, MEDIA_TYPES[path.suffix], _caching(path))


def _caching(path: Path) -> str:
    if _HASHED.search(path.name):
        return _FOR_EVER
    return _A_WEEK if "vendor" in path.relative_to(WEB).parts else _ASK_EACH_TIME
