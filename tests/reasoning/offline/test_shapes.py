"""What is shown for an answer: a fact with what it needs, a list whole and introduced, a section cut to the point."""

from dataclasses import replace

from masis.language.question import parsed, read_question
from masis.reasoning.offline.selection import Candidate, candidates_of
from masis.reasoning.offline.shapes import Shown, overview, rows_asked_for, shown
from masis.reasoning.ports import Passage

NOTES = Passage("c1", "notes.txt", 1, "The Lund shop opened in June. It has twelve seats. Prices did not change.")
PLAN = Passage(
    "c2",
    "plan.md",
    1,
    "The board set three priorities for 2026:\n\n- Open a shop in Malmö.\n- Halve food waste.\n- Train two bakers.\n\n"
    "The budget was approved in May.",
)
PLAN_HEAD = Passage("c7", "plan.md", 1, "The priorities:\n\n- Open a shop.\n- Halve waste.", start=100)
AIMS = Passage("c3", "aims.md", 1, "We want less waste. Everybody helps.", "Our environmental aims")


def texts(question: str, *passages: Passage, best: str, marked: tuple[str, ...] = ()) -> list[Shown]:
    candidates = [_weighed(c, best, marked) for c in candidates_of(passages)]
    ranked = sorted(candidates, key=lambda c: -c.strength)
    return shown(read_question(question), ranked, candidates)


def _weighed(candidate: Candidate, best: str, marked: tuple[str, ...]) -> Candidate:
    text = candidate.statement.text
    if text.startswith(best):
        return replace(candidate, mark=0.9, strength=2.0)
    return replace(candidate, mark=0.8, strength=1.0) if text.startswith(marked or "\0") else candidate


def told(groups: list[Shown]) -> list[str]:
    return [c.statement.text for group in groups for c in group.statements]


def test_a_pronoun_comes_with_the_sentence_that_names_it() -> None:
    assert told(texts("How many seats are there?", NOTES, best="It has")) == [
        "The Lund shop opened in June.",
        "It has twelve seats.",
    ]


def test_a_sentence_that_names_its_subject_stands_alone() -> None:
    assert told(texts("Did prices change?", NOTES, best="Prices")) == ["Prices did not change."]


def test_marked_sentences_come_in_the_order_of_the_passage() -> None:
    found = texts("What happened?", NOTES, best="Prices", marked=("The Lund",))
    assert told(found) == ["The Lund shop opened in June.", "Prices did not change."]


def test_a_list_is_shown_whole_with_its_introduction() -> None:
    for best in ("The board set", "Halve"):
        (group,) = texts("What are the priorities for 2026?", PLAN, best=best)
        assert group.introduction
        assert group.introduction.statement.text.startswith("The board set")
        assert told([group]) == ["Open a shop in Malmö.", "Halve food waste.", "Train two bakers."]


def test_as_many_items_as_were_asked_for() -> None:
    (group,) = texts("What are the top two priorities for 2026?", PLAN, best="Open")
    assert told([group]) == ["Open a shop in Malmö.", "Halve food waste."]


def test_a_question_for_one_fact_shows_one_item() -> None:
    assert told(texts("How many bakers will be trained?", PLAN, best="Train")) == ["Train two bakers."]


def test_the_section_under_the_heading_asked_for_is_the_list() -> None:
    assert told(texts("What are the environmental aims?", AIMS, best="We want")) == [
        "We want less waste.",
        "Everybody helps.",
    ]


def test_a_list_goes_on_in_the_passage_that_follows() -> None:
    after = PLAN_HEAD.start + len(PLAN_HEAD.text) + 1
    rest = Passage("c9", "plan.md", 1, "- Sell the van.\n- Move the office.\n\nMore.", start=after)
    (group,) = texts("What are the priorities?", PLAN_HEAD, rest, best="Open")
    assert told([group]) == ["Open a shop.", "Halve waste.", "Sell the van.", "Move the office."]


def test_what_ends_with_a_colon_comes_with_its_items() -> None:
    assert told(texts("When did the board set priorities?", PLAN, best="The board set"))[1:] == [
        "Open a shop in Malmö.",
        "Halve food waste.",
        "Train two bakers.",
    ]


def test_what_another_passage_adds_must_be_nearly_as_sure() -> None:
    other = Passage("c8", "other.txt", 1, "The Umeå shop opened late.")
    asked = "When did the Lund shop open?"
    assert told(texts(asked, NOTES, other, best="The Lund", marked=("The Umeå",)))[-1] == "The Umeå shop opened late."
    unsure = [replace(c, strength=0.0) if c.passage is other else c for c in _read(asked, NOTES, other)]
    assert told(shown(read_question(asked), unsure, unsure)) == ["The Lund shop opened in June."]


def _read(question: str, *passages: Passage) -> list[Candidate]:
    found = [_weighed(c, "The Lund", ("The Umeå",)) for c in candidates_of(passages)]
    return sorted(found, key=lambda c: -c.strength)


def test_a_question_that_states_a_fact_may_answer() -> None:
    text = "Did you know that Ray Tomlinson sent the first message in 1971? He chose the sign that we still use."
    [best, *_] = _read("Who sent the first message?", Passage("c1", "a.txt", 1, text))
    assert "Ray Tomlinson" in best.statement.text


def test_who_asks_for_the_name_alone_gets_one_sentence() -> None:
    (part,) = parsed("Who opened the Lund shop? Give me the name.").parts
    ranked = _read("Who opened the Lund shop?", NOTES)
    assert told(shown(part, [replace(c, mark=0.9, strength=2.0) for c in ranked], ranked)) == [
        "The Lund shop opened in June."
    ]


SEATS = Passage("c9", "seats.md", 1, "The Lund shop has twelve seats. The Malmö shop has nine seats.")
SEATS_TABLE = Passage("c10", "table.md", 1, "| Shop | Seats |\n| --- | --- |\n| Lund | 12 |\n| Malmö | 9 |")


def test_what_is_as_sure_as_the_best_is_shown_and_a_row_beside_a_sentence_is_not() -> None:
    candidates = [replace(c, mark=0.1, strength=-0.2) for c in candidates_of((SEATS, SEATS_TABLE))]
    best = replace(candidates[0], strength=0.0)
    groups = shown(read_question("How many seats are there?"), [best, *candidates[1:]], candidates)
    assert told(groups) == ["The Lund shop has twelve seats.", "The Malmö shop has nine seats."]
    far = [best, *(replace(c, strength=-1.0) for c in candidates[1:])]
    assert told(shown(read_question("How many seats are there?"), far, candidates)) == [best.statement.text]


def test_a_statement_with_the_words_that_the_best_one_lacks_is_shown_too() -> None:
    with_bakers = "The shop had 14 people in May, which includes bakers."
    without = "The shop had 9 people in May, which excludes bakers."
    question = "How many people had the shop in May, including and excluding bakers?"
    candidates = candidates_of([Passage("c1", "a.md", 1, f"{without} {with_bakers} The shop is in Lund.")])
    ranked = [replace(c, strength=1.0 - 1.6 * n) for n, c in enumerate(candidates)]
    assert told(shown(read_question(question), ranked, candidates)) == [without, with_bakers]
    too_weak = [ranked[0], *(replace(c, strength=-1.5) for c in ranked[1:])]
    assert told(shown(read_question(question), too_weak, candidates)) == [without]


SHEET = "# Wards\n\nClinic of St. Hedwig, beds by ward\n\n| Ward | Beds | Share |\n|---|---|---|\n"
MAIL = """From: Petra Lindahl <petra@fjord.example>
To: Mikkel Aas <mikkel@fjord.example>
Subject: RE: Quote for the dry dock

Mikkel, the limit stands at NOK 14.5 million

-----Original Message-----
From: Mikkel Aas, yard office of the harbour company"""


def test_a_statement_on_one_year_brings_the_one_on_the_other_year() -> None:
    of_2025 = Passage("c8", "report.md", 1, "Two things explain the improvement. Gross margin in 2025 was 41.8%.")
    of_2024 = Passage("c9", "note.md", 1, "Gross margin in 2024 was 38.9%. Sales were flat.")
    question = "How did gross margin develop from 2024 to 2025?"
    found = told(texts(question, of_2025, of_2024, best="Two things"))
    assert {"Gross margin in 2025 was 41.8%.", "Gross margin in 2024 was 38.9%."} < set(found)


def test_a_summary_quotes_totals_and_figures_and_no_sheet_titles_or_lines_over_a_message() -> None:
    rows = "| North | 34 | 20% |\n| West | 96 | 56% |\n| South | 40 | 24% |"
    given = [
        Passage("c1", "beds.xlsx", 1, f"{SHEET}{rows}\n| Total | 170 | |"),
        Passage("c2", "open.xlsx", 1, f"{SHEET}{rows}"),
        Passage("c3", "mail.eml", 1, MAIL),
    ]
    found = {group.title: [c.statement.text for c in group.statements] for group in overview(candidates_of(given))}
    assert found["beds.xlsx"] == ["Clinic of St. Hedwig, beds by ward", "Total | 170 |"]
    assert found["open.xlsx"][-1] == "West | 96 | 56%", "the largest, where there is no total"
    assert found["mail.eml"] == ["Mikkel, the limit stands at NOK 14.5 million"]


ACTIONS = Passage(
    "c8",
    "minutes.md",
    1,
    "## Actions\n\n| Action | Owner |\n| --- | --- |\n| Survey the Tilburg store | Mairead |\n"
    "| Draft the notice | Lucy |",
)


def test_a_table_of_what_is_asked_for_is_shown_whole() -> None:
    candidates = [replace(c, strength=1.0) for c in candidates_of([ACTIONS])]
    whole = rows_asked_for(read_question("What actions were agreed?"), candidates, candidates)
    assert whole
    assert [c.statement.cells[0][1] for c in whole.statements] == ["Survey the Tilburg store", "Draft the notice"]
    for question in (
        "Who will draft the notice, of all actions?",
        "What action was agreed?",
        "How many actions are there?",
    ):
        assert rows_asked_for(read_question(question), candidates, candidates) is None


SPENDERS = Passage(
    "c8",
    "review.md",
    1,
    "The groups that spent most in 2024 were:\n\n- Pharmaceuticals (£4.2 billion),\n- Software (£1.9 billion),\n"
    "- Vehicles (£1.7 billion),\n- Aerospace (£1.5 billion).\n\nSpending fell in 2025.",
)
FORM = Passage(
    "c9",
    "travel.md",
    1,
    "The request must include the following: see a template here\n\n- Names of the travellers\n- Dates of travel\n\n"
    "Requests are read on Mondays.",
)


def test_items_that_answer_together_are_shown_with_the_rest_of_their_list() -> None:
    (group,) = texts("Which groups had the largest budgets?", SPENDERS, best="Software", marked=("Vehicles",))
    assert [c.statement.text[:8] for c in group.statements] == ["Pharmace", "Software", "Vehicles", "Aerospac"]


def test_what_says_the_following_comes_with_its_items() -> None:
    assert [text[:8] for text in told(texts("What must I send?", FORM, best="The request"))] == [
        "The requ",
        "Names of",
        "Dates of",
    ]


def test_the_following_year_introduces_no_list() -> None:
    notes = Passage("c1", "n.md", 1, "Sales rose the following year.\n\n- Founded in 1990\n- Offices in Leeds")
    assert told(texts("When did sales rise?", notes, best="Sales")) == ["Sales rose the following year."]


def test_a_line_that_ends_with_a_particle_is_whole_where_the_next_begins_anew() -> None:
    notes = Passage("c1", "n.txt", 1, "The pump is switched on\n\nThe canteen opens at noon.")
    assert told(texts("Is the pump on?", notes, best="The pump")) == ["The pump is switched on"]
