"""The command line as a person uses it: real exit codes, no traceback whatever happens.

`masis` starts a process; `here` calls the same command in this one, where what it says is all that matters and the
seconds that Python takes to start would say no more.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from masis.cli.app import app
from masis.cli.console import print_table
from masis.embedded import EMBEDDER, installed
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
    question = ("What was customer churn in fiscal 2025?", "-w", "tolmerick", "--max-retries", "1")
    paused = json.loads(here("ask", *question, "--json", home=home).stdout)
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


LONG = "a long name of a file that somebody dictated, and that no terminal of eighty columns can hold.pdf"


def test_a_table_takes_one_line_a_row_and_cuts_only_what_may_be_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [("c0123456789", LONG, 12, "Ann"), ("c1", "short.pdf", 7, "Zoë")]
    print_table(["id", "document", "passages", "by"], rows, cut=(1,))
    head, first, second = capsys.readouterr().out.splitlines()
    assert LONG in first, "piped, nothing is cut"
    for name, value in (("FORCE_COLOR", "1"), ("NO_COLOR", "1"), ("COLUMNS", "80")):
        monkeypatch.setenv(name, value)
    print_table(["id", "document", "passages", "by"], rows, cut=(1,))
    head, first, second = (re.sub(r"\x1b\[\d*m", "", line) for line in capsys.readouterr().out.splitlines())
    assert head.split() == ["id", "document", "passages", "by"]
    assert max(map(len, (head, first, second))) <= 80
    assert first.split()[0] == "c0123456789"
    assert first.endswith("…        12  Ann")


TERMINAL = {"FORCE_COLOR": "1", "NO_COLOR": "1", "COLUMNS": "80"}


def test_listings_at_eighty_columns_and_piped(home: Path) -> None:
    made = here("ask", "When does the term loan mature?", "-w", "tolmerick", home=home, **TERMINAL).stdout
    listings = {
        "documents -w tolmerick": ["status", "dated", "pages", "passages", "document"],
        "workspaces": ["workspace", "documents", "passages", "made"],
        "usage": ["workspace", "asked", "by", "runs", "model", "calls", "tokens", "cost"],
        "audit-log": [],
        "runs": [],
    }
    for listing, heads in listings.items():
        shown, piped = (
            [re.sub(r"\x1b\[\d*m", "", line) for line in here(*listing.split(), home=home, **env).stdout.splitlines()]
            for env in (TERMINAL, {"COLUMNS": "20"})
        )
        assert max(map(len, shown)) <= 80, listing
        assert len(piped) == len(shown), "one line a row, however narrow"
        assert not heads or shown[0].split() == piped[0].split() == heads
    names = [
        line.split()[-1] for line in here("documents", "-w", "tolmerick", home=home, **TERMINAL).stdout.splitlines()
    ]
    assert {path.name for path in SAMPLE.iterdir()} <= set(names)
    assert re.search(r"run [0-9a-f]{16} ·", made)


@pytest.mark.parametrize("words", [("ask", "What?"), ("ask", "--nope"), ("sources", "--help")])
def test_piped_help_and_usage_errors_are_plain(words: tuple[str, ...], tmp_path: Path) -> None:
    done = masis(*words, home=tmp_path)
    said = done.stdout + done.stderr
    assert "--help" in said
    assert not re.search(r"[─│╭╰\x1b]", said), said


def test_a_record_without_judgements_says_how_to_give_one(tmp_path: Path) -> None:
    said = here("feedback", "--workspace", "new", home=tmp_path).stdout
    assert said == "No answer has been judged yet: masis feedback RUN --right, or --wrong.\n"


def test_a_passage_is_found_with_its_id_in_one_line_and_a_row_without_bars(home: Path) -> None:
    shown = here("search", "revenue by region", "-w", "tolmerick", "--type", "csv", home=home, **TERMINAL).stdout
    heads = [line for line in shown.splitlines() if re.match(r" *\d+\. ", line)]
    assert heads
    assert all(re.search(r" \d+%  c[0-9a-z]{10}  \S+\.csv, ", line) and len(line) <= 80 for line in heads), heads
    assert "|" not in shown


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
    assert "of them replaced an earlier version" in here("ingest", str(note), "-w", "w", home=home).stdout
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
    assert "384 dimensions, on the CPU" in findings["embedder"]["found"]


def test_doctor_says_that_there_is_no_gpu(home: Path) -> None:
    on_gpu = {"MASIS_EMBEDDING_DEVICE": "cuda", "MASIS_EMBEDDING_PATH": str(installed(EMBEDDER).folder)}
    done = here("doctor", "--json", home=home, **on_gpu)
    [found] = [each for each in json.loads(done.stdout) if each["part"] == "embedder"]
    assert done.returncode == 1
    assert found["state"] == "bad"
    assert "does not offer CUDA" in found["found"]
    assert "onnxruntime-gpu" in found["advice"]


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


def test_every_command_that_ends_has_a_result_for_programs() -> None:
    """Those that stay, and the export, which is a file in a format of its own, have none."""
    without = {"serve", "worker", "mcp", "runs export"}
    found = {
        " ".join(words): any("--json" in option.opts for option in command.params)
        for words, command in _commands(get_command(app))
    }
    assert {name for name, has_json in found.items() if not has_json} == without


def _commands(group: Any, *before: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, *before, name)
        else:
            yield (*before, name), command


CHURN = "# Churn\n\nCustomer churn in fiscal 2025 was 7.4%, after a year in which many a customer left us.\n"


@pytest.mark.parametrize("command", ["ingest", "sync"])
def test_what_was_read_comes_with_questions_to_copy(tmp_path: Path, command: str) -> None:
    folder, terminal = tmp_path / "files", {"FORCE_COLOR": "1", "NO_COLOR": "1", "COLUMNS": "40"}
    folder.mkdir()
    (folder / "the churn.md").write_text(CHURN)
    first = here(command, str(folder), "-w", "w", home=tmp_path / "home", **terminal).stdout
    commands = [line for line in first.splitlines() if "masis ask" in line]
    assert len(commands) == 3
    _, *words = shlex.split(next(line for line in commands if "churn in fiscal" in line).removeprefix("$ "))
    assert words == [
        "ask",
        "What was customer churn in fiscal 2025?",
        *("--workspace", "w", "--document", "the churn.md"),
    ]
    assert "7.4%" in here(*words, home=tmp_path / "home").stdout
    assert "masis ask" not in here(command, str(folder), "-w", "w", home=tmp_path / "home", **terminal).stdout
    assert "masis ask" not in here(command, str(folder), "-w", "piped", home=tmp_path / "home").stdout


def test_a_document_at_a_glance(home: Path) -> None:
    name = "annual-report-2025.pdf"
    shown = here("documents", name, "-w", "tolmerick", home=home, COLUMNS="40").stdout
    found = json.loads(here("documents", name, "-w", "tolmerick", "--json", home=home).stdout)
    assert found["opening"]["text"] in shown
    assert f"{found['sections'][0]['text']} (page {found['sections'][0]['page']})" in shown
    for question in found["questions"]:
        assert f"$ masis ask {shlex.quote(question)} --workspace tolmerick --document {name}\n" in shown
    assert "are named 'none.pdf'" in here("documents", "none.pdf", "-w", "tolmerick", home=home).stderr
