"""What is logged, and what is not: read from the standard error of real processes."""

import asyncio
import json
import subprocess
import sys
from typing import Any

from masis.observability.logs import bind, bound

START = """
import logging
from masis.observability.logs import bind, configure_logging
from masis.settings import Settings
configure_logging(Settings(), default_level="info")
log = logging.getLogger("masis.test")
"""


def _logged(script: str, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", START + script], capture_output=True, text=True, timeout=60, env=env
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return done.stderr


def _lines(script: str, **env: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _logged(script, MASIS_LOG="json", **env).splitlines()]


def test_a_json_line_carries_what_was_bound_and_what_was_said() -> None:
    (line,) = _lines(
        "with bind(run_id='r1', workspace='acme'):\n"
        "    with bind(request_id='q1'):\n"
        "        log.info('Run %s ended', 'r1', extra={'outcome': 'answered'})"
    )
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "Run r1 ended",
        "level": "info",
        "logger": "masis.test",
        "outcome": "answered",
        "run_id": "r1",
        "workspace": "acme",
        "request_id": "q1",
    }


def test_secrets_are_in_no_line_nor_in_a_traceback() -> None:
    script = """
try:
    raise ValueError("the provider said: wrong key my-odd-key, or sk-abcdefgh")
except ValueError:
    log.exception("It failed", extra={"headers": {"Authorization": "Bearer abcdefgh"}, "password": "hunter2"})
logging.getLogger("uvicorn.error").warning("GET /?api_key=hunter2 with my-odd-key")
"""
    for format_ in ("json", "text"):
        said = _logged(script, MASIS_LOG=format_, OPENAI_API_KEY="my-odd-key")
        assert "the provider said" in said
        assert "Traceback" in said
        for secret in ("my-odd-key", "abcdefgh", "hunter2"):
            assert secret not in said


def test_the_log_of_the_web_server_takes_the_same_way() -> None:
    lines = _lines(
        """
import uvicorn
uvicorn.Config("x:y", log_config=None)
configure_logging(Settings(), default_level="info")
logging.getLogger("uvicorn.error").info("Started", extra={"color_message": "\\x1b[1mStarted"})
logging.getLogger("uvicorn.access").info('%s - "%s %s HTTP/%s" %d', "127.0.0.1:1", "GET", "/health", "1.1", 200)
logging.getLogger("httpx").info("HTTP Request: GET http://x")
"""
    )
    assert [line["logger"] for line in lines] == ["uvicorn.error", "uvicorn.access"]
    assert lines[1]["event"] == '127.0.0.1:1 - "GET /health HTTP/1.1" 200'
    assert "color_message" not in lines[0]


def test_the_level_is_a_setting() -> None:
    script = "log.debug('d'); log.info('i'); log.error('e')"
    assert [line["event"] for line in _lines(script)] == ["i", "e"]
    assert [line["event"] for line in _lines(script, MASIS_LOG_LEVEL="error")] == ["e"]
    assert [line["event"] for line in _lines(script, MASIS_LOG_LEVEL="debug")] == ["d", "i", "e"]


async def test_what_is_bound_stays_with_its_own_task() -> None:
    async def work(run_id: str) -> str:
        with bind(run_id=run_id, workspace=None):
            await asyncio.sleep(0)
            assert "workspace" not in bound()
            return str(bound()["run_id"])

    assert await asyncio.gather(*(work(str(number)) for number in range(20))) == [str(n) for n in range(20)]
    assert bound() == {}
