"""A run on the terminal shows everything that bears on whether to trust it."""

import io
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from masis.cli.report import as_read, print_result
from tests.export.packs import usual


def shown() -> str:
    page = io.StringIO()
    print_result(usual().result, Console(file=page, width=200))
    return page.getvalue()


def test_likelihood_repairs_and_closest_passages_are_shown() -> None:
    page = shown()
    assert "likely right (82%) · overall score 78%: faithfulness 40%, relevance 91%" in page
    assert "70%" not in page, "one measure of how sure it is"
    assert "Citation added: “The same again" in page
    assert "Sentence removed: “Churn doubled.”" in page
    assert "annex.pdf, page 4: “Churn is defined in the annex.”" in page


def test_at_a_terminal_a_table_is_a_table_and_bold_is_bold() -> None:
    page = io.StringIO()
    console = Console(file=page, width=60, force_terminal=True, no_color=True)
    console.print(
        as_read("**Staff**\n\n| Team | Heads |\n|---|---|\n| Sales | 64 [1] |\n| Service | 212 [2] |\n\nNo 2**3.")
    )
    lines = [line.rstrip() for line in Text.from_ansi(page.getvalue()).plain.splitlines()]
    assert lines == ["Staff", "", "Team     Heads", "Sales    64 [1]", "Service  212 [2]", "", "No 2**3."]


def test_silence_is_said_once() -> None:
    page, question = io.StringIO(), "Who chairs the board?"
    answer = f"The documents do not answer this question: “{question.strip('?')}”."
    limit = {"text": answer, "start": 0, "end": len(answer), "kind": "limit", "citations": [], "verdict": None}
    silent = replace(
        usual().result,
        outcome="insufficient_evidence",
        question=question,
        answer=answer,
        claims=[{**limit, "reason": ""}],
        requires_human_review=False,
    )
    print_result(silent, Console(file=page, width=80, force_terminal=True, no_color=True))
    said = page.getvalue()
    assert "Not covered by the documents" in said
    assert "do not answer" not in said
    assert not {"likely", "confidence", "overall"} & set(said.split())
    more = replace(silent, answer=f"{answer} The report covers 2024 only.", claims=[limit, limit])
    print_result(more, Console(file=page, width=80))
    assert "covers 2024 only" in page.getvalue()


def test_the_scope_is_shown_with_the_answer() -> None:
    page = io.StringIO()
    scope = {"documents": ["memo.docx"], "file_types": ["pdf"], "dated_from": "2024", "pages": [3, 7]}
    print_result(replace(usual().result, filters=scope), Console(file=page, width=200))
    assert "Scope: memo.docx, PDF, since 2024, pages 3–7" in page.getvalue()
    assert "Scope:" not in shown()
