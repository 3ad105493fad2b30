"""Errors as OpenAI's clients expect them, under /v1."""

from collections.abc import Mapping

from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

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
