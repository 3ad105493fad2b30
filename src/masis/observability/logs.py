"""Logs to standard error: lines for people, or one JSON object a line, with the run they belong to and no secrets.

MASIS itself logs with the standard library (`logging.getLogger(__name__)`, details in `extra=`), so that importing
it costs nothing; what comes from other libraries takes the same way out.
"""

import logging
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal

from masis.observability.redaction import Redaction, secrets_of
from masis.settings import Settings

if TYPE_CHECKING:
    from structlog.typing import Processor

Level = Literal["debug", "info", "warning", "error"]
EventDict = MutableMapping[str, Any]

_bound: ContextVar[dict[str, Any] | None] = ContextVar("masis_log_context", default=None)

_WITH_OWN_HANDLERS = ("uvicorn", "uvicorn.error", "uvicorn.access")
_TALKATIVE = ("httpx", "httpx2", "mcp", "asyncio", "opentelemetry")
"""Each request of theirs is a line: wanted by who debugs, by nobody else."""
_INDISCREET = ("aiosqlite", "openai", "httpcore", "httpcore2")
"""In detail they log what they carry, prompts and documents: not even for who debugs."""


@contextmanager
def bind(**details: Any) -> Iterator[None]:
    """Every line logged inside, by whomever, carries these: `with bind(run_id=run_id): …`."""
    token = _bound.set({**bound(), **{name: value for name, value in details.items() if value is not None}})
    try:
        yield
    finally:
        _bound.reset(token)


def bound() -> dict[str, Any]:
    return _bound.get() or {}


class _Handler(logging.StreamHandler[Any]):
    """Ours, so that it can be found again when logging is configured anew."""


def configure_logging(settings: Settings, *, default_level: Level = "warning") -> None:
    """Called once by the commands that serve; libraries that embed MASIS configure their own logging."""
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
        # uvicorn says each thing twice, once with colours.
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
