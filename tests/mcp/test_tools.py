"""What each tool does, asked by the real client without a wire between."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from mcp import Client
from mcp.server.mcpserver.exceptions import ToolError

from masis import Masis, Settings
from masis.access.api_key import LOCAL_ADMIN, ApiKey
from masis.access.audit_log import AuditLog
from masis.access.keys import Keys
from masis.errors import DataFolderError
from masis.mcp.server import KEY_IN_SCOPE, build_server
from masis.mcp.tools import Tools, clear_errors
from tests.mcp.conftest import QUESTION, called, refused
from tests.support.fake_openai import FakeOpenAI
from tests.support.patient_model import PatientModel


@pytest.fixture
async def client(home: Path) -> AsyncIterator[Client]:
    masis = Masis(Settings(home=home))
    yield Client(build_server(masis))
    masis.close()


async def test_tools_say_when_to_use_them_and_what_they_give(client: Client) -> None:
    async with client:
        assert "checked against its source" in (client.instructions or "")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {
            "ask",
            "answer",
            "resume",
            "cancel",
            "delete_run",
            "give_feedback",
            "list_sources",
            "search_evidence",
            "read_passage",
            "list_documents",
            "list_workspaces",
        }
        for tool in tools.values():
            assert len(tool.description or "") > 80
            assert tool.output_schema
            assert "ctx" not in tool.input_schema["properties"]
            assert all(parameter.get("description") for parameter in tool.input_schema["properties"].values())
        assert tools["ask"].input_schema["required"] == ["question", "workspace"]
        assert "verdict" in str(tools["ask"].output_schema)
        assert tools["search_evidence"].annotations is not None
        assert tools["search_evidence"].annotations.read_only_hint
        assert tools["delete_run"].annotations is not None
        assert tools["delete_run"].annotations.destructive_hint


async def test_a_scope_restricts_what_is_searched_and_asked(client: Client) -> None:
    async with client:
        narrow = {"question": "employees revenue", "workspace": "acme", "documents": ["annual.md"]}
        found = await called(client, "search_evidence", **narrow)
        assert {passage["file_name"] for passage in found["passages"]} == {"annual.md"}
        assert (await called(client, "search_evidence", **narrow | {"file_types": ["pdf"]}))["passages"] == []
        asked = {"question": "How many employees are there?", "workspace": "acme"}
        assert (await called(client, "ask", **asked))["outcome"] == "answered"
        assert (await called(client, "ask", **asked, file_types=["pdf"]))["outcome"] != "answered"


async def test_what_the_user_says_of_an_answer_is_written_down(client: Client, home: Path) -> None:
    async with client:
        run_id = (await called(client, "ask", question=QUESTION, workspace="acme"))["run_id"]
        given = {"run_id": run_id, "workspace": "acme", "verdict": "wrong", "reason": "it is of 2024"}
        assert (await called(client, "give_feedback", **given))["judgements"] == 1
        assert (await called(client, "give_feedback", **given, sentence=1))["judgements"] == 2
        assert "sentence" in await refused(client, "give_feedback", **given, sentence=99)
        assert "no run" in (await refused(client, "give_feedback", **given | {"workspace": "other"})).lower()
    masis = Masis(Settings(home=home))
    assert masis.feedback.record("acme").wrong[0].reason == "it is of 2024"
    masis.close()


async def test_sources_are_listed_without_where_their_folders_lie(client: Client, home: Path, tmp_path: Path) -> None:
    async with client:
        assert (await called(client, "list_sources", workspace="acme"))["sources"] == []
        (folder := tmp_path / "share").mkdir()
        (folder / "note.md").write_text("# Note\n\nThe canteen opens at eight.")
        masis = Masis(Settings(home=home))
        await masis.async_([str(folder)], "synced", every="1h")
        (source,) = (await called(client, "list_sources", workspace="synced"))["sources"]
        await masis.adelete_workspace("synced")
        masis.close()
    assert (source["name"], source["status"]) == ("share", "synced")
    assert source["next_sync"] > source["last_sync"]


async def test_looking_around(client: Client) -> None:
    async with client:
        workspaces = await called(client, "list_workspaces")
        documents = await called(client, "list_documents", workspace="acme")
        found = await called(client, "search_evidence", question="employees", workspace="acme", limit=1)
        (best,) = found["passages"]
        read = await called(client, "read_passage", workspace="acme", chunk_id=best["chunk_id"], context_chars=7)
        whole = await called(client, "read_passage", workspace="acme", chunk_id=best["chunk_id"], section=True)
        assert f"{whole['before']}{whole['text']}{whole['after']}".startswith("#")
        assert workspaces == {
            "workspaces": [{"workspace": "acme", "documents": 2}, {"workspace": "other", "documents": 1}]
        }
        assert [(d["file_name"], d["status"]) for d in documents["documents"]] == [
            ("annual.md", "READY"),
            ("hr.md", "READY"),
        ]
        assert best["file_name"] == "hr.md"
        assert "412 employees" in best["text"]
        assert (read["text"], read["start"], read["end"]) == (best["text"], best["start"], best["end"])
        assert len(read["before"]) <= 7
        assert read["page"] == 1


async def test_a_person_decides_and_the_run_goes_on(client: Client) -> None:
    async with client:
        waiting = await called(client, "ask", question="Who won the chess tournament in Reykjavik?", workspace="acme")
        assert waiting["requires_human_review"]
        assert waiting["clarification_question"]
        assert "refine" in waiting["choices"]
        decided = {"run_id": waiting["run_id"], "action": "refine", "question": QUESTION, "by": "Ada"}
        assert "no run" in (await refused(client, "answer", workspace="other", **decided)).lower()
        answer = await called(client, "answer", workspace="acme", **decided)
        assert answer["run_id"] == waiting["run_id"]
        assert "$184.1 million" in answer["answer"]


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("ask", {"question": QUESTION, "workspace": "nowhere"}, "masis workspaces"),
    ("ask", {"question": "", "workspace": "acme"}, "question"),
    ("ask", {"question": QUESTION}, "workspace"),
    ("search_evidence", {"question": QUESTION, "workspace": "acme", "limit": 0}, "limit"),
    ("list_documents", {"workspace": "../acme"}, "no workspace"),
    ("read_passage", {"workspace": "acme", "chunk_id": "c0000000000"}, "Use the chunk_id of a citation"),
    ("read_passage", {"workspace": "nowhere", "chunk_id": "c0000000000"}, "nowhere"),
    ("answer", {"workspace": "acme", "run_id": "x", "action": "stop", "by": "Ada"}, "no run"),
    ("resume", {"workspace": "acme", "run_id": "x"}, "no run"),
    ("cancel", {"workspace": "acme", "run_id": "x"}, "no run"),
    ("delete_run", {"workspace": "acme", "run_id": "x"}, "no run"),
]


async def test_what_goes_wrong_is_an_error_with_advice(client: Client) -> None:
    async with client:
        for tool, arguments, said in WRONG:
            assert said in await refused(client, tool, **arguments)


async def test_a_passage_of_another_workspace_is_not_to_be_had(client: Client) -> None:
    async with client:
        found = await called(client, "search_evidence", question="revenue", workspace="acme", limit=1)
        place = {name: found["passages"][0][name] for name in ("chunk_id", "document_id", "start", "end")}
        assert (await called(client, "read_passage", workspace="acme", **place))["file_name"] == "annual.md"
        # Of a joined passage only the place is known.
        joined = await called(client, "read_passage", workspace="acme", **place | {"chunk_id": "cjoined0000"})
        assert joined["text"] == found["passages"][0]["text"]
        assert "no passage" in await refused(client, "read_passage", workspace="other", **place)
        beyond = place | {"chunk_id": "cjoined0000", "end": 10**9}
        assert "no passage" in await refused(client, "read_passage", workspace="acme", **beyond)


def context(key: ApiKey | None) -> Any:
    """Over HTTP with a key, or over standard input without one."""

    async def report(*_: Any) -> None: ...

    request = SimpleNamespace(scope={KEY_IN_SCOPE: key}) if key else None
    return SimpleNamespace(request_context=SimpleNamespace(request=request), report_progress=report)


@pytest.mark.parametrize("error", [DataFolderError("/home/ada is full"), RuntimeError("/home/ada: swordfish")])
def test_whoever_calls_over_http_learns_nothing_of_the_inside(error: Exception) -> None:
    with pytest.raises(ToolError) as told, clear_errors(context(LOCAL_ADMIN)):
        raise error
    assert "/home/ada" not in str(told.value)
    assert "log" in str(told.value)


def test_who_sits_at_the_machine_learns_it() -> None:
    with pytest.raises(ToolError, match="/home/ada is full"), clear_errors(context(None)):
        raise DataFolderError("/home/ada is full")


async def test_a_question_whose_client_went_away_goes_on_and_is_in_the_log(
    home: Path, tmp_path: Path, fake_openai: FakeOpenAI
) -> None:
    model = PatientModel()
    model.is_free.clear()
    fake_openai.answer_with(model)
    shutil.copytree(home, tmp_path / "home")
    settings = Settings(home=tmp_path / "home", model_base_url=fake_openai.base_url)
    masis, key = Masis(settings), Keys(settings).create("agent", "write", ["acme"])[0]
    async with masis.working():
        asking = asyncio.create_task(Tools(masis).ask(QUESTION, "acme", context(key)))
        await asyncio.to_thread(fake_openai.wait_for_requests, 1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        model.is_free.set()
        (entry,) = AuditLog(settings).entries("acme")
        assert (entry.who, entry.action) == ("agent", "run.ask")
        # A run is not a connection.
        run, *_ = await masis.aruns("acme")
        events = [event["event"] async for event in masis.afollow(run.run_id)]
        assert events[-1] in ("ended", "waiting")
    masis.close()
