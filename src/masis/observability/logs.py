"""Logs to standard error: lines for people, or one JSON object per line, with the id of their run and no secrets.

MASIS logs with the standard library (`logging.getLogger(__name__)`, details in `extra=`), so that importing it costs
nothing. Log records of other libraries use the same output.
"""

import json
import logging
import re
import sys
from collections.abc import Iterable, Iterator, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from masis.settings import Settings

if TYPE_CHECKING:
    from structlog.typing import Processor


HIDDEN = "…"

_SHAPES = [
    # A key of this service: its id may be shown, its secret must not.
    (re.compile(r"\b(masis_[A-Za-z0-9]+_)[A-Za-z0-9_-]{40,}"), rf"\1{HIDDEN}"),
    (re.compile(r"(?<![A-Za-z0-9])(sk-)[A-Za-z0-9_-]{6,}"), rf"\1{HIDDEN}"),
    (re.compile(r"\b(Bearer|Basic)(\s+)[A-Za-z0-9._~+/=-]{6,}", re.IGNORECASE), rf"\1\2{HIDDEN}"),
    (re.compile(r"(://[^\s/:@\"\\]*:)[^\s/@\"\\]+(@)"), rf"\1{HIDDEN}\2"),
    (re.compile(r"([?&](?:api_?key|key|token|password|secret)=)[^\s&#\"\\]+", re.IGNORECASE), rf"\1{HIDDEN}"),
]
_SECRET_NAMES = re.compile(r"authorization|cookie|passw(or)?d|secret|api[-_]?key|(^|[-_])token$", re.IGNORECASE)


class Redaction:
    """Recognises secrets by their format, by the name of their field and, if they are in the settings, by their
    value."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        as_written = {form for secret in secrets for form in (secret, json.dumps(secret, ensure_ascii=False)[1:-1])}
        longest_first = sorted(as_written - {""}, key=len, reverse=True)
        self._known = re.compile("|".join(re.escape(secret) for secret in longest_first)) if longest_first else None

    def text(self, words: str) -> str:
        if self._known:
            words = self._known.sub(HIDDEN, words)
        for shape, instead in _SHAPES:
            words = shape.sub(instead, words)
        return words

    def named(self, value: Any) -> Any:
        """The same value without anything named password, key or token, at any depth."""
        if isinstance(value, dict):
            return {name: HIDDEN if _is_secret(name) else self.named(held) for name, held in value.items()}
        if isinstance(value, list | tuple):
            return [self.named(held) for held in value]
        return value


def secrets_of(settings: Settings) -> list[str]:
    """Every key in the settings, and the passwords inside their addresses."""
    values = [getattr(settings, name) for name in type(settings).model_fields]
    keys = [value.get_secret_value().strip() for value in values if isinstance(value, SecretStr)]
    passwords = [password for value in values if isinstance(value, str) for password in _passwords_in(value)]
    return [secret for secret in [*keys, *passwords] if secret]


def _passwords_in(address: str) -> list[str]:
    try:
        password = urlsplit(address).password if "://" in address else None
    except ValueError:
        return []
    return [password, unquote(password)] if password else []


def _is_secret(name: object) -> bool:
    return isinstance(name, str) and bool(_SECRET_NAMES.search(name))


Level = Literal["debug", "info", "warning", "error"]
EventDict = MutableMapping[str, Any]

_bound: ContextVar[dict[str, Any] | None] = ContextVar("masis_log_context", default=None)

_WITH_OWN_HANDLERS = ("uvicorn", "uvicorn.error", "uvicorn.access")
_TALKATIVE = ("httpx", "httpx2", "mcp", "asyncio", "opentelemetry")
"""Libraries that log every request, which is useful for debugging only."""
_INDISCREET = ("aiosqlite", "openai", "httpcore", "httpcore2")
"""Libraries whose debug logs contain prompts and documents, which are never wanted."""


@contextmanager
def bind(**details: Any) -> Iterator[None]:
    """Adds these fields to every line logged inside the block: `with bind(run_id=run_id): …`."""
    token = _bound.set({**bound(), **{name: value for name, value in details.items() if value is not None}})
    try:
        yield
    finally:
        _bound.reset(token)


def bound() -> dict[str, Any]:
    return _bound.get() or {}


class _Handler(logging.StreamHandler[Any]):
    """Our own handler class, so that it is found when logging is configured again."""


def configure_logging(settings: Settings, *, default_level: Level = "warning") -> None:
    """Called once by the commands that serve. Programs that embed MASIS configure their own logging."""
    handler = _Handler(sys.stderr)
    handler.setFormatter(_formatter(settings))
    root = logging.getLogger()
    for earlier in [known for known in root.handlers if isinstance(known, _Handler)]:
        root.removeHandler(earlier)
    root.addHandler(handler)
    level: Level = settings.log_level or default_level
    root.setLevel(level.upper())
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.DEBUG if level == "debug" else logging.WARNING)
    for name in _INDISCREET:
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in _WITH_OWN_HANDLERS:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True


def _formatter(settings: Settings) -> logging.Formatter:
    from structlog.processors import TimeStamper, format_exc_info
    from structlog.stdlib import ExtraAdder, ProcessorFormatter, add_log_level, add_logger_name

    redaction = Redaction(secrets_of(settings))

    def without_secrets(_: Any, __: str, event: EventDict) -> EventDict:
        # uvicorn adds a second, coloured copy of each message.
        return {name: value for name, value in redaction.named(dict(event)).items() if name != "color_message"}

    def as_safe_text(_: Any, __: str, line: Any) -> str:
        return redaction.text(line)

    entering: list[Processor] = [_add_bound, add_log_level, add_logger_name, ExtraAdder(), TimeStamper("iso")]
    leaving: list[Processor] = [ProcessorFormatter.remove_processors_meta, format_exc_info, without_secrets]
    return ProcessorFormatter(foreign_pre_chain=entering, processors=[*leaving, _renderer(settings), as_safe_text])


def _renderer(settings: Settings) -> Any:
    import structlog

    if settings.log == "json":
        return structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback, pad_event_to=0
    )


def _add_bound(_: Any, __: str, event: EventDict) -> EventDict:
    for name, value in bound().items():
        event.setdefault(name, value)
    return event
