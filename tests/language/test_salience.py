"""The sentences that carry a document's substance, and none that every document has."""

from masis.language.salience import key_statements
from masis.language.statements import statements

PAPER = """# Querétaro phase two

Indicate by check mark whether the registrant has filed all reports required by the phase two act.

Directors approved phase two of the Querétaro plant on the footing that it would cost $46.0 million.

It was built by others. However, the plant is large and the phase is long.

The forecast cost of the plant at completion is now $58.5 million, an overrun of $12.5 million.

This paper is confidential and intended solely for the directors of the Querétaro plant.

12 Harbour Street, Querétaro"""


def test_key_sentences_are_whole_and_about_the_matter() -> None:
    given = statements(PAPER)
    found = [given[place].text for place in key_statements(given, 2, "Querétaro phase two")]
    assert [text.split()[0] for text in found] == ["Directors", "The"]
    assert "$58.5 million" in found[1]


def test_a_table_with_remarks_has_no_key_sentences() -> None:
    rows = "\n".join(f"| Depot {n} | {n} | {n + 1} |" for n in range(9))
    text = f"| Depot | 2023 | 2024 |\n|---|---|---|\n{rows}\n\nDepot 3 was closed for three months of the year 2024."
    assert key_statements(statements(text), 3) == []


def test_what_was_resolved_is_key_though_it_opens_with_a_pronoun() -> None:
    given = statements("It was resolved to award the wall to Bramley Ltd at £436,500. It was built by the others then.")
    assert [given[place].text.split()[2] for place in key_statements(given, 2)] == ["resolved"]
