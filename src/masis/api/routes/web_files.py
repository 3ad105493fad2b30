"""The web page: its HTML, the files it loads, and the API reference at /docs."""

import asyncio
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from masis.api.middleware.problems import NotHere

WEB = Path(__file__).parents[1] / "web"
PAGES = ("/", "/sign-in", "/settings", "/w/{rest:path}")
"""The addresses of the page. The page itself decides which view each one shows."""

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
"""Not the system's table, whose entry for .js differs between machines."""

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
        raise NotHere("File not found.", advice="Open the page at /, or see /docs for the API.")
    headers = {**HEADERS, "ETag": file.tag, "Cache-Control": file.caching}
    known = request.headers.get("if-none-match", "")
    if file.tag in [tag.strip().removeprefix("W/") for tag in known.split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(file.data, media_type=file.media_type, headers=headers)


def _within(folder: Path, path: str) -> Path | None:
    """None for anything but a plain file below the folder: no parent path, no hidden name, no link that leads
    elsewhere."""
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
    """Cached for each version of the file, which `changed_at` and `size` identify."""
    data = path.read_bytes()
    tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
    return WebFile(data, tag, MEDIA_TYPES[path.suffix], _caching(path))


def _caching(path: Path) -> str:
    if _HASHED.search(path.name):
        return _FOR_EVER
    return _A_WEEK if "vendor" in path.relative_to(WEB).parts else _ASK_EACH_TIME


reference = APIRouter(include_in_schema=False)

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc } h3 { margin: 1.8rem 0 .3rem; font-size: 1rem }
code { background: #f3f3f3; padding: .1rem .3rem } .method { font-weight: 700; color: #0b5394 }
table { border-collapse: collapse; margin: .4rem 0 } td { padding: .15rem 1rem .15rem 0; vertical-align: top }
"""
_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'", "X-Frame-Options": "DENY"}


@reference.get("/docs", response_class=HTMLResponse)
async def read_reference(request: Request) -> HTMLResponse:
    return HTMLResponse(page_of(request.app.openapi()), headers=_HEADERS)


def page_of(document: dict[str, Any]) -> str:
    title = f"{document['info']['title']} {document['info']['version']}"
    groups = "".join(_group(tag, document) for tag in document["tags"])
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f"<body><h1>{escape(title)}</h1>{_prose(document['info']['description'])}"
        f'<p>For programs: <a href="/openapi.json">openapi.json</a>.</p>{groups}</body></html>'
    )


def _group(tag: dict[str, str], document: dict[str, Any]) -> str:
    operations = [
        _operation(path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if tag["name"] in operation["tags"][-1:]
    ]
    return f"<h2>{escape(tag['name'].capitalize())}</h2>{_prose(tag['description'])}{''.join(operations)}"


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    address = f'<span class="method">{method.upper()}</span> <code>{escape(path)}</code>'
    heading = f'<h3 id="{operation["operationId"]}">{address} · {escape(operation["summary"])}</h3>'
    return f"{heading}{_prose(operation.get('description', ''))}{_table(_rows(operation))}"


def _rows(operation: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for parameter in operation.get("parameters", []):
        yield f"{parameter['in']} {parameter['name']}", parameter.get("description", "")
    for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
        yield f"body {media_type}", _name_of(content["schema"])
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            shapes = {_name_of(content.get("schema", {})) for content in response.get("content", {}).values()}
            yield f"answer {status}", " ".join(sorted(shapes))
    problems = [status for status in operation["responses"] if status.startswith(("4", "5"))]
    if problems:
        yield "problems", ", ".join(problems)


def _name_of(schema: dict[str, Any]) -> str:
    return str(schema.get("$ref", schema.get("title", schema.get("type", "")))).rsplit("/", 1)[-1]


def _table(rows: Iterator[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><td>{escape(name)}</td><td>{_inline(text)}</td></tr>" for name, text in rows)
    return f"<table>{cells}</table>"


def _prose(text: str) -> str:
    return "".join(f"<p>{_inline(paragraph)}</p>" for paragraph in text.split("\n\n") if paragraph.strip())


def _inline(text: str) -> str:
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\n(?=\d\.)", "<br>", re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", marked))
