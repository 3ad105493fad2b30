"""`masis mcp` as a desktop agent starts it: a process, spoken to over its standard input and output."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from tests.mcp.conftest import MASIS, QUESTION, called, environment


@asynccontextmanager
async def connected(home: Path, mode: str = "auto") -> AsyncIterator[Client]:
    # A fixture would open and close the client in different tasks, which it does not allow.
    server = StdioServerParameters(command=MASIS, args=["mcp"], env=environment(home))
    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        yield client


async def test_an_older_client_is_understood(home: Path) -> None:
    async with connected(home, "legacy") as client:
        listed = (await called(client, "list_workspaces"))["workspaces"]
    assert {each["workspace"] for each in listed} == {"acme", "other"}


async def test_an_answer_with_proof_and_the_agents_at_work(home: Path) -> None:
    told: list[tuple[float, str | None]] = []

    async def hear(progress: float, _: float | None, message: str | None) -> None:
        told.append((progress, message))

    async with connected(home) as client:
        given = {"question": QUESTION, "workspace": "acme"}
        result = await client.call_tool("ask", given, progress_callback=hear)
        answer = result.structured_content
        assert answer is not None
        (claim,) = [claim for claim in answer["claims"] if claim["kind"] == "claim"]
        (citation,) = claim["citations"]
        passage = await called(
            client,
            "read_passage",
            workspace="acme",
            **{k: citation[k] for k in ("chunk_id", "document_id", "start", "end")},
        )
    assert answer["outcome"] == "answered"
    assert "$184.1 million" in answer["answer"]
    assert claim["verdict"] in ("verbatim", "supported")
    assert citation["file_name"] == "annual.md"
    assert answer["run_id"]
    assert [progress for progress, _ in told] == sorted({progress for progress, _ in told})
    assert [str(message).split()[0] for _, message in told][:5] == [
        "Supervisor",
        "Researcher",
        "Synthesizer",
        "Critic",
        "Evaluator",
    ]
    assert "$184.1 million" in passage["text"]


def test_nothing_but_messages_on_standard_output(home: Path, tmp_path: Path) -> None:
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    call = {"name": "ask", "arguments": {"question": QUESTION, "workspace": "acme"}}
    messages: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    log = tmp_path / "log"
    with (
        log.open("w") as stderr,
        subprocess.Popen(
            [MASIS, "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env=environment(home) | {"MASIS_LOG": "json", "MASIS_LOG_LEVEL": "debug"},
        ) as process,
    ):
        assert process.stdin
        assert process.stdout
        process.stdin.write("".join(json.dumps(message) + "\n" for message in messages))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
        rest = process.stdout.read()
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["structuredContent"]["outcome"] == "answered"
    assert rest == ""
    assert [json.loads(line)["level"] for line in log.read_text().splitlines()]
    assert "184.1" not in log.read_text()


def test_without_the_library_it_says_what_to_install(home: Path) -> None:
    script = "import sys; sys.modules['mcp'] = None; sys.argv = ['masis', 'mcp']; from masis.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, env=environment(home)
    )
    assert done.returncode == 1
    assert "pip install 'masis[mcp]'" in done.stderr
