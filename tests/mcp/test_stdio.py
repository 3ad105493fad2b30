"""`masis mcp` as a desktop agent starts it: a process, spoken to over its standard input and output."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from tests.mcp.conftest import MASIS, QUESTION, called, environment


async def test_a_client_starts_it_and_is_understood(home: Path) -> None:
    server = StdioServerParameters(command=MASIS, args=["mcp"], env=environment(home))
    async with Client(server, read_timeout_seconds=60) as client:
        listed = (await called(client, "list_workspaces"))["workspaces"]
    assert {each["workspace"] for each in listed} == {"acme", "other"}


@contextmanager
def started(home: Path, log: Path) -> Iterator["subprocess.Popen[str]"]:
    talkative = environment(home) | {"MASIS_LOG": "json", "MASIS_LOG_LEVEL": "debug"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with (
        log.open("w") as errors,
        subprocess.Popen([MASIS, "mcp"], stderr=errors, text=True, env=talkative, **pipes) as process,
    ):
        yield process


def test_an_older_client_gets_an_answer_with_proof_and_nothing_but_messages(home: Path, tmp_path: Path) -> None:
    with started(home, tmp_path / "log") as process:
        assert process.stdin
        assert process.stdout

        def said(number: int, method: str, **given: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
            """What is told meanwhile, and the result. Every line has to be a message."""
            process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": given}) + "\n")
            process.stdin.flush()
            told = []
            while "id" not in (message := json.loads(process.stdout.readline())):
                told.append(message["params"])
            assert message["id"] == number
            return told, message["result"]

        said(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "t", "version": "1"})
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
        asked = {"question": QUESTION, "workspace": "acme"}
        told, result = said(2, "tools/call", name="ask", arguments=asked, _meta={"progressToken": "p"})
        answer = result["structuredContent"]
        (claim,) = [claim for claim in answer["claims"] if claim["kind"] == "claim"]
        (citation,) = claim["citations"]
        place = {name: citation[name] for name in ("chunk_id", "document_id", "start", "end")}
        _, passage = said(3, "tools/call", name="read_passage", arguments={"workspace": "acme", **place})
        process.stdin.close()
        assert process.stdout.read() == ""
    assert answer["outcome"] == "answered"
    assert answer["run_id"]
    assert "$184.1 million" in answer["answer"]
    assert claim["verdict"] in ("verbatim", "supported")
    assert citation["file_name"] == "annual.md"
    assert "$184.1 million" in passage["structuredContent"]["text"]
    progress = [each["progress"] for each in told]
    assert progress == sorted(set(progress))
    agents = [each["message"].split()[0] for each in told]
    assert agents[:5] == ["Supervisor", "Researcher", "Synthesizer", "Critic", "Evaluator"]
    log = (tmp_path / "log").read_text()
    assert [json.loads(line)["level"] for line in log.splitlines()]
    assert "184.1" not in log


def test_without_the_library_it_says_what_to_install(home: Path) -> None:
    script = "import sys; sys.modules['mcp'] = None; sys.argv = ['masis', 'mcp']; from masis.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, env=environment(home)
    )
    assert done.returncode == 1
    assert "pip install 'masis[mcp]'" in done.stderr
