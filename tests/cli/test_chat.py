"""`masis chat` and `masis ask --thread`: a conversation at the terminal."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from masis.cli.app import app
from masis.cli.chat import scope_from
from masis.types import SearchFilters

EXPENSE = "How much was research and development expense in fiscal 2025?"


def said(home: Path, *words: str, lines: str = "") -> str:
    done = CliRunner(env={"MASIS_HOME": str(home), "COLUMNS": "110"}).invoke(app, words, input=lines)
    assert done.exit_code == 0, done.output
    return done.output


def test_a_conversation_has_follow_ups_a_scope_sources_reasons_and_a_history(sample_home: Path) -> None:
    lines = [
        EXPENSE,
        "And the year before?",
        "/sources",
        "/why",
        "/scope pdf since 2025",
        EXPENSE,
        "/history",
        "/new",
        "/sources",
        "/help",
    ]
    talk = said(sample_home, "chat", "-w", "tolmerick", lines="\n".join([*lines, "/quit", "never heard"]))
    assert "22.7 million" in talk
    assert "→ How much was research and development expense in fiscal 2024?" in talk
    assert "19.8 million" in talk
    assert "[1] annual-report-2025.pdf, page 3\n    “Research and development expense: 19.8 (Fiscal 2024)”" in talk
    assert "supported      Research and development expense" in talk
    assert "Asking PDF, since 2025." in talk
    assert "scope: PDF, since 2025" in talk
    assert f"3. {EXPENSE} (Answered)\n3 questions in this thread." in talk
    assert talk.index("A new thread.") < talk.index("No answer with sources yet.") < talk.index("/quit")
    assert "never heard" not in talk
    assert "\x1b" not in talk, "piped output is plain"


def test_json_is_one_answer_a_line_and_a_run_can_be_followed_up_on(sample_home: Path) -> None:
    first, second = map(
        json.loads, said(sample_home, "chat", "-w", "tolmerick", "--json", lines=f"{EXPENSE}\nWhy?").splitlines()
    )
    assert (first["thread_id"], second["thread_id"]) == (first["run_id"], first["run_id"])
    assert second["question"] == "Why did research and development expense change in fiscal 2025?"
    asked = said(sample_home, "ask", "And the year before?", "-w", "tolmerick", "--thread", first["run_id"])
    assert "19.8" in asked


@pytest.mark.parametrize(
    ("words", "filters"),
    [
        ("all", SearchFilters()),
        ("lab.md", SearchFilters(("lab.md",))),
        ("pdf, .DOCX", SearchFilters(file_types=("pdf", "docx"))),
        ("Annual Report.pdf since 2024 until 2025-03", SearchFilters(("Annual Report.pdf",), (), "2024", "2025-03")),
    ],
)
def test_a_scope_in_words(words: str, filters: SearchFilters) -> None:
    assert scope_from(words, {"Annual Report.pdf", "b.md"}) == filters


@pytest.mark.parametrize("wrong", ["nope.pdf", "nope", "since soon"])
def test_a_scope_that_is_not_there_is_refused_at_once_and_the_old_one_stays(sample_home: Path, wrong: str) -> None:
    runner = CliRunner(env={"MASIS_HOME": str(sample_home), "COLUMNS": "30"})
    done = runner.invoke(app, ["chat", "-w", "tolmerick"], input=f"/scope pdf\n/scope {wrong}\n/scope\n")
    assert done.stdout.count("Asking PDF.") == 2
    assert repr(wrong.removeprefix("since ")) in done.stderr
    assert done.stderr.count("\n") == 1, "a command to copy is never broken"
