"""The routes as a page to read: made from the OpenAPI document, with no script and nothing loaded from elsewhere."""

import re
from collections.abc import Iterator
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

router = APIRouter(include_in_schema=False)

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc } h3 { margin: 1.8rem 0 .3rem; font-size: 1rem }
code { background: #f3f3f3; padding: .1rem .3rem } .method { font-weight: 700; color: #0b5394 }
table { border-collapse: collapse; margin: .4rem 0 } td { padding: .15rem 1rem .15rem 0; vertical-align: top }
"""
_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'", "X-Frame-Options": "DENY"}


@router.get("/docs", response_class=HTMLResponse)
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
