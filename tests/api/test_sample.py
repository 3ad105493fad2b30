"""The sample: there, complete, and loaded like any upload."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from masis.api.app import create_app
from masis.api.routes import sample
from masis.settings import Settings
from tests.api.live import serving, wait_for


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with serving(Settings(home=tmp_path_factory.mktemp("sample"))) as service, service.client() as client:
        started = client.post("/masis/workspaces/first/sample")
        assert started.status_code == 202
        wait_for(client, started.headers["location"], "done")
        yield client


def test_the_sample_names_its_documents_and_questions(loaded: httpx.Client) -> None:
    told = loaded.get("/masis/sample").json()
    assert told["available"]
    assert "annual-report-2025.pdf" in told["documents"]
    assert 4 <= len(told["questions"]) <= 5
    assert all(each["question"] and each["shows"] for each in told["questions"])


def test_one_call_makes_the_workspace_and_its_documents(loaded: httpx.Client) -> None:
    listed = loaded.get("/masis/workspaces/first/documents").json()["items"]
    assert {each["file_name"] for each in listed} == {path.name for path in sample.sample_documents()}
    assert {each["status"] for each in listed} == {"READY"}
    log = loaded.get("/masis/audit-log", params={"workspace": "first"}).json()["items"]
    assert "document.upload" in {entry["action"] for entry in log}


def test_the_first_questions_show_an_answer_a_conflict_and_a_silence(loaded: httpx.Client) -> None:
    outcomes = set()
    for each in loaded.get("/masis/sample").json()["questions"][:3]:
        asked = {"query": each["question"], "max_retries": 1}
        run = loaded.post("/masis/workspaces/first/runs", json=asked).headers["location"]
        outcomes.add(wait_for(loaded, run, "finished", "waiting")["outcome"])
    assert outcomes == {"answered", "conflict", "insufficient_evidence"}


def test_loading_it_twice_changes_nothing(loaded: httpx.Client) -> None:
    again = loaded.post("/masis/workspaces/first/sample")
    assert again.status_code == 202
    done = wait_for(loaded, again.headers["location"], "done")
    assert {file["stage"] for file in done["files"]} == {"duplicate"}


async def test_an_installation_without_the_sample_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "_INSTALLED", tmp_path / "nowhere")
    monkeypatch.setattr(sample, "_IN_A_CHECKOUT", tmp_path / "nowhere")
    transport = httpx.ASGITransport(create_app(Settings(home=tmp_path), with_worker=False))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        assert (await client.get("/masis/sample")).json()["available"] is False
        assert (await client.post("/masis/workspaces/acme/sample")).status_code == 404


def test_an_installed_copy_goes_before_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memo.md").write_text("A memo.")
    monkeypatch.setattr(sample, "_INSTALLED", tmp_path)
    assert [path.name for path in sample.sample_documents()] == ["memo.md"]
