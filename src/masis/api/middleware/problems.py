"""Turns every error into a problem (RFC 9457): what happened, a code for programs, and what to do."""

import logging
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from masis.errors import InvalidInput, MASISError, is_inside, public_words

_KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class OpenAIErrorBody(BaseModel):
    message: str = Field(examples=["There is no workspace named “acme”."])
    type: str = Field(examples=["invalid_request_error"])
    param: str | None = None
    code: str | None = Field(None, examples=["unknown_workspace"])


class OpenAIError(BaseModel):
    """An error in OpenAI's shape."""

    error: OpenAIErrorBody


def response(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    kind = _KINDS.get(status, "invalid_request_error" if status < 500 else "api_error")
    body = OpenAIError(error=OpenAIErrorBody(message=message, type=kind, code=code))
    return JSONResponse(body.model_dump(), status, headers=dict(headers or {}))


_log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
STILL_RUNNING = 504
"""The work continues, so the request must not be sent again."""

STATUS_OF_CODE: dict[str, int] = {
    "error": 500,
    "invalid_input": 422,
    "unreadable_file": 422,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "unknown_workspace": 404,
    "unknown_run": 404,
    "unknown_document": 404,
    "unknown_passage": 404,
    "unknown_ingestion": 404,
    "unknown_decision": 404,
    "unknown_source": 404,
    "unknown_key": 404,
    "too_slow": 408,
    "duplicate_document": 409,
    "conflict": 409,
    "too_large": 413,
    "rate_limited": 429,
    "model_error": 503,
    "source_unavailable": 503,
    "data_folder": 503,
    "store_unavailable": 503,
    "database_unavailable": 503,
    "still_running": STILL_RUNNING,
}
"""The status for each error code; a code that is not listed has the status of its parent."""

RETRY_SECONDS = 5
"""Retry-After of a 503 without a better estimate."""


class NotHere(MASISError):
    code = "not_found"
    advice = "Check the list it should be in; it may have been deleted."


class Conflicting(MASISError):
    """The request is valid, but does not fit the current state."""

    code = "conflict"
    advice = "Fetch it again to see its current state."


@contextmanager
def refused_as_conflict() -> Iterator[None]:
    """For calls whose input is already valid, so that a refusal is about the current state."""
    try:
        yield
    except InvalidInput as error:
        if type(error) is not InvalidInput:
            raise
        raise Conflicting(str(error), advice=error.advice) from None


class StillRunning(MASISError):
    code = "still_running"
    advice = "Nothing was lost: the work continues; follow it at Location."

    def __init__(self, message: str, location: str) -> None:
        super().__init__(message)
        self.location = location


class FieldProblem(BaseModel):
    where: str = Field(description="The part of the request.", examples=["body.query"])
    problem: str = Field(examples=["Field required"])


class Problem(BaseModel):
    """What went wrong, as in RFC 9457, with a code and advice."""

    type: str = Field(
        description="`urn:masis:problem:` and the code.", examples=["urn:masis:problem:unknown_workspace"]
    )
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(description="What happened.", examples=["There is no workspace named “acme”."])
    code: str = Field(description="Stable, for programs.", examples=["unknown_workspace"])
    advice: str = Field(description="What to do.", examples=["List the workspaces with GET /masis/workspaces."])
    instance: str = Field(description="The path of the request.", examples=["/masis/workspaces/acme"])
    errors: list[FieldProblem] | None = Field(None, description="Each invalid part of the request.")
    documents: list[dict[str, Any]] | None = Field(
        None, description="With `duplicate_document`: the files already known."
    )


def status_of(error: MASISError) -> int:
    codes = [error.code, *(kind.__dict__["code"] for kind in type(error).__mro__ if "code" in kind.__dict__)]
    return next(STATUS_OF_CODE[code] for code in codes if code in STATUS_OF_CODE)


def problem_response(
    path: str,
    status: int,
    code: str,
    detail: str,
    advice: str,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> JSONResponse:
    if path.startswith("/v1/"):
        return response(status, code, f"{detail} {advice}", headers)
    problem = Problem(
        type=f"urn:masis:problem:{code}",
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        code=code,
        advice=advice,
        instance=path,
        **more,
    )
    content = problem.model_dump(mode="json", exclude_none=True)
    return JSONResponse(content, status, headers=dict(headers or {}), media_type=MEDIA_TYPE)


async def on_masis_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, MASISError)
    return response_to(request.url.path, error)


def response_to(path: str, error: MASISError) -> JSONResponse:
    if is_inside(error):
        _log.error("%s %s", error, error.advice)
    status, (detail, advice) = status_of(error), public_words(error)
    more = {"documents": known} if (known := getattr(error, "documents", None)) else {}
    return problem_response(path, status, error.code, detail, advice, _headers_of(status, error), **more)


async def on_http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    # A body that breaks a limit while FastAPI reads it arrives here as the cause of a plain 400.
    if isinstance(error.__cause__, MASISError):
        return await on_masis_error(request, error.__cause__)
    detail, advice = _WORDS.get(error.status_code, (f"{error.detail}.", "See /docs for what the service accepts."))
    code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
    return problem_response(request.url.path, error.status_code, code, detail, advice, error.headers)


async def on_validation_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    found = [FieldProblem(where=".".join(map(str, e["loc"])), problem=e["msg"]) for e in error.errors()]
    detail = "; ".join(f"{one.where}: {one.problem}" for one in found[:3])
    advice = "Correct the request and send it again; nothing was changed."
    return problem_response(request.url.path, 422, "invalid_input", f"{detail}.", advice, errors=found)


def internal_problem(path: str, request_id: str) -> JSONResponse:
    detail = "Unexpected error in the service, probably a bug."
    advice = f"It is logged under request id {request_id}; nothing saved is lost."
    return problem_response(path, 500, "internal_error", detail, advice)


_WORDS = {
    404: ("Nothing exists at this address.", "See /docs for all addresses."),
    405: ("Method not allowed.", "The Allow header lists the allowed methods."),
}


def _headers_of(status: int, error: MASISError) -> dict[str, str]:
    if isinstance(error, StillRunning):
        # Clients that retry after a 5xx, such as OpenAI's, would start the same work again.
        return {"Location": error.location, "X-Should-Retry": "false"}
    match status:
        case 401:
            return {"WWW-Authenticate": "Bearer"}
        case 429 | 503:
            return {"Retry-After": str(math.ceil(getattr(error, "retry_after", None) or RETRY_SECONDS))}
        case 408 | 413:
            # The rest of the request was not read, so the connection cannot be reused.
            return {"Connection": "close"}
    return {}


_MEANING = {
    401: "No key, or an invalid one.",
    403: "The key has no right to this, or the request does not come from this machine.",
    404: "Not found.",
    408: "The request was too slow.",
    409: "In conflict with the current state.",
    413: "The request is larger than the limit.",
    422: "The request is invalid.",
    429: "Too many requests with this key.",
    503: "The database, the index or the data folder is unavailable.",
    504: "The work takes longer than a request may wait; it continues.",
}


def documented(operation_id: str, summary: str, *statuses: int) -> dict[str, Any]:
    """The OpenAPI entry of a route, with the problems that it may return."""
    return {"operation_id": operation_id, "summary": summary, "responses": problems(*statuses)}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For `responses=`: the problems of a route, in addition to those of every route."""
    listed = sorted({401, 403, 422, 429, 503, *statuses})
    return {status: _documented(_MEANING[status]) for status in listed} | {"default": _documented("Any other problem.")}


def _documented(meaning: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": meaning, "content": {MEDIA_TYPE: {"schema": schema}}}
