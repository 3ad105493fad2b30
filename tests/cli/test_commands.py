"""The command line as a person uses it: real exit codes, no traceback whatever happens.

`masis` starts a process; `here` calls the same command in this one, where what it says is all that matters and the
seconds that Python takes to start would say no more.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from masis.cli.app import app
from scripts.write_docs import COMMANDS

MASIS = str(Path(sys.executable).parent / "masis")
SAMPLE = Path(__file__).parents[2] / "examples" / "tolmerick"


def masis(*words: str, home: Path, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("MASIS_", "OPENAI_", "QDRANT_"))}
    done = subprocess.run(
        [MASIS, *words],
        capture_output=True,
        text=True,
        timeout=100,
        env=clean | {"MASIS_HOME": str(home), "COLUMNS": "110"} | env,
    )
    assert "Traceback" not in done.stderr + done.stdout
    return done


def here(*words: str, home: Path, **env: str) -> subprocess.CompletedProcess[str]:
    done = CliRunner(env={"MASIS_HOME": str(home), "COLUMNS": "110"} | env).invoke(app, words)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert "Traceback" not in done.stderr + done.stdout
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def home(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(sample_home, tmp_path_factory.mktemp("commands") / "home")


@pytest.mark.parametrize("command", [name.split() for name in COMMANDS])
def test_help_teaches_with_an_example(command: list[str], tmp_path: Path) -> None:
    done = here(*command, "--help", home=tmp_path)
    assert done.returncode == 0
    assert "$ " in done.stdout or "$ OPENAI" in done.stdout


def test_an_answer_with_its_sources(home: Path) -> None:
    done = masis("ask", "When does the term loan from Lakehead Mutual Bank mature?", "-w", "tolmerick", home=home)
    assert done.returncode == 0
    assert "30 September 2029" in done.stdout
    assert "investor-faq.html, page 1" in " ".join(done.stdout.split())
    assert "verbatim" in done.stdout
    for agent in ("Researcher", "Synthesizer", "Critic", "Evaluator"):
        assert agent in done.stderr


def test_json_carries_the_whole_response(home: Path) -> None:
    question = "When does the term loan from Lakehead Mutual Bank mature?"
    done = here("ask", question, "-w", "tolmerick", "--json", home=home)
    response = json.loads(done.stdout)
    assert done.stderr == ""
    assert set(response) >= {
        "status",
        "answer",
        "confidence",
        "requires_human_review",
        "clarification_question",
        "critique",
        "evaluation",
        "trace",
        "metrics",
        "outcome",
        "claims",
        "conflicts",
        "evidence",
        "run_id",
    }
    assert (response["status"], response["outcome"]) == ("success", "answered")


def test_a_conflict_is_answered_in_another_process(home: Path) -> None:
    done = here("ask", "What was customer churn in fiscal 2025?", "-w", "tolmerick", "--json", home=home)
    paused = json.loads(done.stdout)
    assert (paused["status"], paused["outcome"]) == ("needs_clarification", "conflict")
    assert len(paused["conflicts"][0]["sides"]) == 2
    done = masis(
        "answer",
        paused["run_id"],
        "--prefer",
        "annual-report-2025.pdf",
        "--over",
        "board-memo-2026-02.docx",
        "--by",
        "Ada",
        "--json",
        home=home,
    )
    resumed = json.loads(done.stdout)
    assert (resumed["status"], resumed["outcome"]) == ("success", "answered")
    assert "7.4%" in resumed["answer"]
    assert "9.1%" not in resumed["answer"]
    assert "the decision of Ada" in resumed["answer"]
    again = here("answer", paused["run_id"], "--stop", home=home)
    assert again.returncode == 1
    assert "not waiting" in again.stderr


def test_listings(home: Path) -> None:
    assert "tolmerick" in here("workspaces", home=home).stdout
    listed = json.loads(here("documents", "-w", "tolmerick", "--json", home=home).stdout)
    assert {d["file_name"] for d in listed} == {path.name for path in SAMPLE.iterdir()}
    assert {d["status"] for d in listed} == {"READY"}


def test_ingesting_again_reads_nothing_twice(home: Path) -> None:
    done = here("ingest", str(SAMPLE / "risk-register.md"), "-w", "tolmerick", "--json", home=home)
    report = json.loads(done.stdout)
    assert (len(report["ready"]), len(report["duplicates"])) == (0, 1)


def test_what_cannot_be_read_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "good.txt").write_text("The plant in Brno opened in March 2025.")
    (files / "empty.txt").write_text("")
    (files / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    (files / "movie.mp4").write_bytes(bytes(range(256)) * 8)
    done = here("ingest", str(files), "-w", "w", "--json", home=tmp_path / "home")
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert [d["file_name"] for d in report["ready"]] == ["good.txt"]
    assert {d["file_name"] for d in report["failed"]} == {"empty.txt", "broken.pdf", "movie.mp4"}
    assert all(d["reason"] for d in report["failed"])


def test_a_search_shows_the_passages_and_can_be_narrowed(home: Path) -> None:
    shown = here("search", "term loan Lakehead Mutual Bank", "-w", "tolmerick", "-n", "3", home=home)
    assert shown.returncode == 0
    assert "Lakehead" in shown.stdout
    best = json.loads(here("search", "term loan", "-w", "tolmerick", "-n", "1", "--json", home=home).stdout)[0]
    assert best["text"].split()[-1] in here("section", best["chunk_id"], "-w", "tolmerick", home=home).stdout
    assert "There is no passage" in here("section", "c0000000000", "-w", "tolmerick", home=home).stderr
    found = json.loads(here("search", "revenue", "-w", "tolmerick", "--type", "csv", "--json", home=home).stdout)
    assert {passage["file_name"].rsplit(".", 1)[1] for passage in found} == {"csv"}
    known = json.loads(here("documents", "-w", "tolmerick", "--json", home=home).stdout)
    undated = sum(each["date"] is None for each in known)
    assert undated
    assert f"{undated} document" in here("search", "revenue", "-w", "tolmerick", "--since", "2020", home=home).stderr
    planned = here("ask", "What was revenue?", "-w", "tolmerick", "--since", "2020", "--dry-run", home=home)
    assert f"{undated} document" in planned.stderr
    wrong = here("search", "revenue", "-w", "tolmerick", "--since", "soon", home=home)
    assert (wrong.returncode, "not a date" in wrong.stderr) == (1, True)
    assert "is not a page range" in here("search", "revenue", "-w", "tolmerick", "--pages", "x", home=home).stderr


def test_a_question_can_be_asked_of_some_documents(home: Path) -> None:
    question = "When does the term loan from Lakehead Mutual Bank mature?"
    whole = json.loads(here("ask", question, "-w", "tolmerick", "--json", home=home).stdout)
    [source] = {chunk["file_name"] for chunk in whole["evidence"] if "Lakehead" in chunk["text"]}
    other = next(path.name for path in sorted(SAMPLE.iterdir()) if path.name != source)
    asked = json.loads(here("ask", question, "-w", "tolmerick", "-d", other, "--json", home=home).stdout)
    assert {chunk["file_name"] for chunk in asked["evidence"]} <= {other}
    assert asked["outcome"] == "insufficient_evidence"
    assert "no document" in here("ask", question, "-w", "tolmerick", "-d", "none.pdf", home=home).stderr


def test_a_changed_file_a_deletion_and_a_new_index(tmp_path: Path) -> None:
    home, note = tmp_path / "home", tmp_path / "note.txt"
    note.write_text("The plant in Brno opened in March 2025.")
    here("ingest", str(note), "-w", "w", home=home)
    note.write_text("The plant in Brno opened in April 2025.")
    assert "in place of an earlier version" in here("ingest", str(note), "-w", "w", home=home).stdout
    assert "1 passage" in here("reindex", home=home, MASIS_CHUNK_CHARS="900").stdout
    asked = here("delete", "document", "note.txt", "-w", "w", home=home)
    assert asked.returncode == 1, "nobody said yes"
    receipt = json.loads(here("delete", "document", "note.txt", "-w", "w", "--yes", "--json", home=home).stdout)
    assert (receipt["chunks"], receipt["bytes"]) == (1, note.stat().st_size)
    assert json.loads(here("delete", "workspace", "w", "--yes", "--json", home=home).stdout)["documents"] == 0
    assert json.loads(here("workspaces", "--json", home=home).stdout) == []
    done = [entry["action"] for entry in json.loads(here("audit-log", "--json", home=home).stdout)]
    assert done == ["workspace.delete", "document.delete"]


def test_nothing_read_at_all_is_a_failure(tmp_path: Path) -> None:
    done = here("ingest", str(tmp_path / "no-such-file.pdf"), "-w", "w", home=tmp_path / "home")
    assert done.returncode == 1
    assert "no-such-file.pdf" in done.stdout + done.stderr
    assert json.loads(here("workspaces", "--json", home=tmp_path / "home").stdout) == []


@pytest.mark.parametrize(
    ("question", "options", "said"),
    [
        ("", [], "empty"),
        ("   \n", [], "empty"),
        ("x" * 100_000, [], "100,000 characters"),
        ("What?", ["-w", "nowhere"], "no workspace named"),
        ("What?", ["-w", "../etc"], "workspace"),
        ("What?", ["--max-retries", "-1"], "max_retries"),
        ("What?", ["--max-retries", "99999"], "max_retries"),
    ],
)
def test_bad_questions_get_one_clear_sentence(home: Path, question: str, options: list[str], said: str) -> None:
    words = ["ask", question, *([] if "-w" in options else ["-w", "tolmerick"]), *options]
    done = here(*words, home=home)
    assert done.returncode == 1
    assert said in " ".join(done.stderr.split())
    refused = json.loads(here(*words, "--json", home=home).stdout)
    assert set(refused["error"]) == {"code", "message", "advice"}


def test_max_retries_that_is_no_number_is_a_usage_error(home: Path) -> None:
    done = here("ask", "What?", "-w", "tolmerick", "--max-retries", "many", home=home)
    assert done.returncode == 2


@pytest.mark.parametrize(
    "question", ["Wie hoch war der Umsatz im Jahr 2025?", "収益はいくらでしたか。", "a\x1b[31mb\x07?"]
)
def test_strange_questions_get_a_sensible_result(home: Path, question: str) -> None:
    done = here("ask", question, "-w", "tolmerick", "--json", home=home)
    assert done.returncode == 0
    assert json.loads(done.stdout)["outcome"] in ("answered", "answered_with_caveat", "insufficient_evidence")


def test_a_bad_setting_names_its_variable(tmp_path: Path) -> None:
    done = here("workspaces", home=tmp_path, MASIS_CANDIDATES="many")
    assert done.returncode == 1
    assert "MASIS_CANDIDATES" in done.stderr


def test_a_data_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = here("ingest", str(SAMPLE / "risk-register.md"), "-w", "w", home=tmp_path / "file" / "home")
    assert done.returncode == 1
    assert "Error:" in done.stderr


def test_doctor_without_anything_configured(home: Path) -> None:
    done = here("doctor", "--json", home=home)
    findings = {f["part"]: f for f in json.loads(done.stdout)}
    assert done.returncode == 0
    assert {f["state"] for f in findings.values()} == {"ok"}
    assert findings["writer"]["found"] == "offline engine"
    assert "nothing" in findings["cost"]["found"]


def test_doctor_says_what_does_not_answer(home: Path) -> None:
    done = here(
        "doctor",
        "--json",
        home=home,
        MASIS_MODEL_BASE_URL="http://127.0.0.1:9/v1",
        MASIS_MODEL_DEADLINE_SECONDS="1",
    )
    findings = {f["part"]: f for f in json.loads(done.stdout)}
    assert done.returncode == 1
    assert findings["writer"]["state"] == "bad"
    assert findings["writer"]["advice"]
