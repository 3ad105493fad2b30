"""Two small workspaces, made once; the servers on them are real processes and real ports."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from masis import Masis, Settings

QUESTION = "What was revenue in fiscal 2025?"
MASIS = str(Path(sys.executable).parent / "masis")


def environment(home: Path) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("MASIS_", "OPENAI_", "QDRANT_"))}
    return clean | {"MASIS_HOME": str(home), "COLUMNS": "200", "MASIS_REQUEST_SECONDS": "1"}


@contextmanager
def http_server(home: Path) -> Iterator[str]:
    """Yields its address."""
    with subprocess.Popen(
        [MASIS, "mcp", "--http", "--port", "0"], stderr=subprocess.PIPE, text=True, env=environment(home)
    ) as process:
        try:
            assert process.stderr
            address = re.search(r"http://\S+", process.stderr.readline())
            assert address
            yield address[0]
        finally:
            process.terminate()
            process.wait(timeout=30)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files, made = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("home")
    (files / "annual.md").write_text(
        "# Annual report\n\nRevenue in fiscal 2025 was $184.1 million, after $163.8 million in fiscal 2024.\n\n"
        "The term loan from Lakehead Mutual Bank matures on 30 September 2029."
    )
    (files / "hr.md").write_text("# Staff\n\nThe company had 412 employees at the end of fiscal 2025.")
    masis = Masis(Settings(home=made))
    masis.ingest([files / "annual.md", files / "hr.md"], "acme")
    masis.ingest([files / "hr.md"], "other")
    masis.close()
    return made


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return result.content[0].text
