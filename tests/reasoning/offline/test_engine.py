"""The offline engine on small evidence, with the real cross-encoder: what it says, and what it refuses to say."""

from typing import Any

import pytest

from masis.audit.verdicts import judge_claims
from masis.language.question import parsed
from masis.language.statements import statements
from masis.orchestrator.evaluator import NOTHING_AUDITED
from masis.reasoning.offline.auditor import OfflineAuditor
from masis.reasoning.offline.composition import cited, row_sentence
from masis.reasoning.offline.judge import OfflineJudge
from masis.reasoning.offline.relevance import could_be_about, shortfall
from masis.reasoning.offline.selection import candidates_of, rank
from masis.reasoning.offline.tables.weighing import NamesAsked
from masis.reasoning.offline.writer import OfflineWriter, written
from masis.reasoning.ports import Guidance, Passage, WritingBrief, as_passage
from tests.support.engines import chunk

EVIDENCE = [
    chunk(
        "c00000000a1",
        "The bakery sold 4,200 loaves in May 2025. It opened a second shop in Lund on 3 June 2025. Ingrid Holm "
        "manages both shops. The bakery did not raise its prices.",
        file_name="notes.txt",
        document_id="d1",
    ),
    chunk(
        "c00000000b2",
        "Bread | Price in euros | Weight in grams\nRye loaf | 4.80 | 750\nWheat loaf | 3.90 | 500",
        file_name="prices.csv",
        document_id="d2",
    ),
]
WRITER = OfflineWriter()


async def write(question: str, evidence: list[Any] = EVIDENCE) -> str:
    return (await WRITER.write(WritingBrief(question, [as_passage(c) for c in evidence]))).value


@pytest.mark.parametrize(
    ("question", "said", "cited"),
    [
        ("How many loaves did the bakery sell in May 2025?", "4,200 loaves", "c00000000a1"),
        ("Who manages the shops?", "Ingrid Holm", "c00000000a1"),
        ("When did the second shop open?", "3 June 2025", "c00000000a1"),
        ("Did the bakery raise its prices?", "did not raise", "c00000000a1"),
        ("What is the price of a rye loaf?", "4.80", "c00000000b2"),
        ("How much does a wheat loaf weigh?", "500", "c00000000b2"),
    ],
)
async def test_it_answers_from_the_evidence_and_cites_it(question: str, said: str, cited: str) -> None:
    answer = await write(question)
    assert said in answer
    assert f"[{cited}]" in answer
    claims = [c for c in judge_claims(answer, EVIDENCE) if c["kind"] != "heading"]
    assert all(c["verdict"] in ("verbatim", "supported") for c in claims)


@pytest.mark.parametrize(
    "question",
    [
        "How many employees does the bakery have?",
        "What was revenue in 2019?",
        "Who owns the building in Oslo?",
    ],
)
async def test_it_says_what_is_not_covered(question: str) -> None:
    answer = await write(question)
    assert "do not answer this question" in answer
    assert {c["kind"] for c in judge_claims(answer, EVIDENCE)} == {"limit"}


async def test_it_answers_one_part_and_names_the_other_as_missing() -> None:
    answer = await write("When did the second shop open, and how many chairs does it have?")
    assert "3 June 2025" in answer
    assert "this part of the question" in answer
    assert "chairs" in answer


async def test_the_same_brief_gives_the_same_words() -> None:
    question = "How many loaves did the bakery sell in May 2025?"
    assert await write(question) == await write(question)


async def test_without_passages_it_is_silent() -> None:
    assert "do not answer" in await write("How many loaves were sold?", [])


async def test_summaries_keep_the_statements_that_matter_within_the_limit() -> None:
    passages = [as_passage(c) for c in EVIDENCE]
    summaries = (await WRITER.summarize("Who manages the shops?", passages, 80)).value
    assert "Ingrid Holm manages both shops." in summaries["c00000000a1"]
    assert all(len(summary) <= 80 for summary in summaries.values())


async def confidence(question: str, answer: str) -> float:
    claims = judge_claims(answer, EVIDENCE)
    return (await OfflineAuditor().audit(question, answer, EVIDENCE, Guidance(), claims)).value.confidence


async def test_the_auditor_ranks_good_above_planted_above_fabricated() -> None:
    question = "How many loaves did the bakery sell in May 2025?"
    good = await confidence(question, "The bakery sold 4,200 loaves in May 2025. [c00000000a1]")
    swapped = await confidence(question, "The bakery sold 2,400 loaves in May 2025. [c00000000a1]")
    elsewhere = await confidence(question, "The bakery sold 4,200 loaves in May 2025. [c00000000b2]")
    beside = await confidence(question, "Rye loaf: Price in euros 4.80. [c00000000b2]")
    assert good > 0.9
    assert max(swapped, elsewhere) < 0.3
    assert beside < good - 0.2


async def test_the_judge_scores_follow_the_facts() -> None:
    question = "How many loaves did the bakery sell in May 2025?"
    good = "The bakery sold 4,200 loaves in May 2025. [c00000000a1]"
    bad = "The bakery sold 9,999 loaves in May 2025. [c00000000a1]"
    silent = "The documents do not say how many loaves were sold."
    scores = {
        name: (
            await OfflineJudge().judge(question, said, EVIDENCE, NOTHING_AUDITED, judge_claims(said, EVIDENCE))
        ).value
        for name, said in (("good", good), ("bad", bad), ("silent", silent))
    }
    assert scores["good"].faithfulness > 0.9
    assert scores["bad"].faithfulness < 0.3
    assert scores["silent"].faithfulness == 1.0
    assert scores["silent"].completeness == 0.0
    assert scores["good"].completeness > scores["silent"].completeness
    assert scores["bad"].improvement_suggestions


async def test_an_overview_is_scored_as_an_answer() -> None:
    said = await write("Summarise these documents", EVIDENCE)
    claims = judge_claims(said, EVIDENCE)
    scores = (await OfflineJudge().judge("Summarise these documents", said, EVIDENCE, NOTHING_AUDITED, claims)).value
    assert min(scores.faithfulness, scores.relevance, scores.completeness) > 0.8


async def test_another_figure_is_no_answer_when_nothing_speaks_of_the_one_asked_for() -> None:
    ward = chunk(
        "c00000000c3", "The infection rate of the hospital was 2.1% in 2025.", file_name="ward.txt", document_id="d3"
    )
    assert "do not answer" in await write("What was the hospital's mortality rate in 2025?", [ward])
    assert "2.1%" in await write("What was the hospital's infection rate in 2025?", [ward])


async def test_a_figure_of_a_table_is_reckoned_and_cited() -> None:
    answer = await write("Which bread has the highest price in euros?")
    assert "Rye loaf" in answer
    assert "more than Wheat loaf (3.90)" in answer
    assert all(c["verdict"] in ("verbatim", "supported") for c in judge_claims(answer, EVIDENCE))


async def test_a_row_in_a_summary_keeps_its_header() -> None:
    summaries = (await WRITER.summarize("What is the price of a rye loaf?", [as_passage(EVIDENCE[1])], 90)).value
    assert "Bread | Price in euros | Weight in grams\nRye loaf | 4.80 | 750" in summaries["c00000000b2"]


async def test_a_title_is_no_answer() -> None:
    passage = Passage("c1", "rules.txt", 1, "Veltrana lab rules\n\nEveryone wears a badge in the lab at all times.")
    reply = await OfflineWriter().write(WritingBrief("What are the Veltrana lab rules?", [passage]))
    assert not reply.value.startswith("Veltrana lab rules")


@pytest.mark.parametrize(
    ("question", "text", "is_about"),
    [
        ("What were sales for the whole of 2024?", "Sales were 5 in the second quarter of 2024.", False),
        ("What were sales in 2024?", "Sales were 5 in the second quarter of 2024.", True),
        ("What were full-year sales in 2024?", "Sales were 19 in 2024.", True),
        ("Who are the heads of the segments?", "To: Segment Heads", False),
        ("Who was the message sent to?", "To: Segment Heads", True),
    ],
)
def test_a_quarter_is_not_a_year_and_an_address_says_nothing_unless_asked_for(
    question: str, text: str, *, is_about: bool
) -> None:
    (statement,) = statements(text)
    assert could_be_about(parsed(question).parts[0], statement, "a.eml") is is_about


def test_every_sentence_of_a_cell_is_cited() -> None:
    pay = Passage(
        "c3",
        "costs.md",
        1,
        "| Post | Cost | Remark |\n|---|---|---|\n| Staff | $154,263 | We employ one baker. She also keeps books. |",
    )
    (row,) = candidates_of([pay])
    said = cited(row, parsed("Whom do we employ?").parts[0])
    assert said == "Post Staff: Cost $154,263, Remark We employ one baker. [c3] She also keeps books. [c3]"


def test_where_the_selector_leaves_it_open_the_cross_encoder_weighs_in(monkeypatch: pytest.MonkeyPatch) -> None:
    part = parsed("When did the shop open?").parts[0]
    texts = ("The Lund shop opened in June 2025.", "The Malmö shop opened in May 2024.")
    found = candidates_of([Passage(f"c{n}", f"{n}.md", 1, text) for n, text in enumerate(texts)])
    for best in (0, 1):
        monkeypatch.setattr(
            "masis.reasoning.offline.selection.answer_scores",
            lambda question, read, best=best: [5.0 if texts[best] in text else -5.0 for text in read],
        )
        first, second = rank(part, found)
        assert (first.statement.text, second.statement.text) == (texts[best], texts[1 - best])


def test_a_row_of_some_months_is_not_of_a_whole_year() -> None:
    table = "| | Three months ended June 30, 2024 |\n|---|---|\n| Net revenues | 387 |"
    row = statements(table)[-1]
    assert not could_be_about(parsed("What were net revenues for the whole of 2024?").parts[0], row, "10q.html")
    assert could_be_about(parsed("What were net revenues in the second quarter of 2024?").parts[0], row, "10q.html")


@pytest.mark.parametrize(
    ("said", "is_about"),
    [
        ("For the year, we expect $2.66, including the second quarter charges.", True),
        ("We expect $0.10 in the third quarter.", False),
    ],
)
def test_a_sentence_on_the_year_may_mention_a_quarter(said: str, is_about: bool) -> None:
    part = parsed("What earnings are expected for full-year 2004?").parts[0]
    assert could_be_about(part, statements(said)[0], "results.txt") is is_about


@pytest.mark.parametrize(
    ("when", "is_about"),
    [
        ("in the first half of fiscal 2024", True),
        ("in the quarter that ended in March 2024", True),
        ("in the second quarter of fiscal 2024", True),
        ("in the third quarter of 2024", False),
    ],
)
def test_a_report_of_a_quarter_may_answer_for_its_half_and_its_months(when: str, is_about: bool) -> None:
    table = "| | Six Months Ended March 30, 2024 |\n|---|---|\n| Net revenues | 387 |"
    row, part = statements(table)[-1], parsed(f"What were net revenues {when}?").parts[0]
    assert could_be_about(part, row, "acme-q2-2024-10q.txt") is is_about


WIDE_TABLE = (
    "| code | state | total exports | beef | pork | corn | wheat |\n|---|---|---|---|---|---|---|\n"
    "| IA | Iowa | 11273.76 | 289.8 | 1895.6 | 2529.8 | 3.1 |\n"
    "| IL | Illinois | 8709.48 | 53.7 | 394 | 2228.5 | 223.8 |"
)


def test_of_a_wide_row_the_cells_that_the_question_speaks_of_are_quoted() -> None:
    row = next(s for s in statements(WIDE_TABLE) if "Iowa" in s.text)
    part = parsed("What does Iowa make of corn?").parts[0]
    assert row_sentence(row, part) == "code IA: state Iowa, corn 2529.8."
    assert "wheat 3.1" in row_sentence(row, parsed("Tell me about Iowa").parts[0])


def test_a_row_of_one_state_is_not_another_answers_because_two_are_compared() -> None:
    passage = Passage("c1", "exports.csv", 1, WIDE_TABLE)
    rows = {cells["code"]: s for s in statements(WIDE_TABLE) if (cells := dict(s.cells)).get("code") in ("IA", "IL")}
    both = NamesAsked.of("How far ahead of Illinois is Iowa in corn?", [passage])
    assert not both.are_lacking(rows["IA"], passage)
    assert NamesAsked.of("How much corn does Iowa sell to Mexico?", [passage]).are_lacking(rows["IA"], passage)


def test_a_row_without_years_says_nothing_of_the_change_between_two() -> None:
    row = next(s for s in statements(WIDE_TABLE) if "Iowa" in s.text)
    alone, between = (
        parsed(f"How did beef exports of Iowa {how}?").parts[0] for how in ("do", "change from 2011 to 2012")
    )
    assert shortfall(between, row) == shortfall(alone, row) + 1


EARLY = chunk(
    "c00000000p1", "Operating profit for 2024 is estimated at £4.6 million.", date="2025-01-20", document_id="p"
)
FINAL = chunk(
    "c00000000p2",
    "| £ million | 2023 | 2024 |\n|---|---|---|\n| Total revenue | 66.3 | 69.3 |\n| Operating profit | 5.1 | 4.4 |",
    date="2025-03-14",
    document_id="q",
)


async def test_of_a_preliminary_figure_and_a_later_one_the_later_comes_first() -> None:
    evidence = [{**EARLY, "file_name": "note.md"}, {**FINAL, "file_name": "paper.md"}]
    answer = await write("What was operating profit in 2024?", evidence)
    assert answer.splitlines()[:3] == [
        "A preliminary figure and a later one are on record, the later document first:",
        "- Operating profit: 2024 4.4 (£ million). [c00000000p2]",
        "- Operating profit for 2024 is estimated at £4.6 million. [c00000000p1]",
    ]
    assert all(
        c["verdict"] in ("verbatim", "supported") for c in judge_claims(answer, evidence) if c["kind"] == "claim"
    )


async def test_a_name_that_no_document_has_is_written_as_in_the_question() -> None:
    passages = [as_passage(c) for c in EVIDENCE]
    brief = WritingBrief("How many seats has the restaurant in New York?", passages, absent=["new", "york"])
    assert "No document in this workspace mentions “New York”." in (await WRITER.write(brief)).value


async def test_the_sides_of_a_disagreement_give_the_figure_that_is_disputed_whichever_part_asks_for_it() -> None:
    evidence = [{**EARLY, "file_name": "note.md"}, {**FINAL, "file_name": "paper.md"}]
    answer = await write("What was total revenue in 2023? What was operating profit in 2024?", evidence)
    assert "2024 4.4" in answer
    assert "66.3" in answer


@pytest.mark.parametrize(
    ("question", "text", "wrong"),
    [
        ("Did revenue increase in 2024?", "Revenue is expected to increase in 2024.", "**Yes**"),
        ("Did Harlow raise prices in 2024?", "Harlow plans to raise prices in 2024 if costs allow it.", "**Yes**"),
        ("Did Harlow reduce its debt in 2024?", "Harlow did not reduce its debt in 2024.", "**Yes**"),
        ("Did revenue grow in 2024?", "Revenue grew 4% in 2024, compared with 6% in 2023.", "**No**"),
        ("Did sales rise in 2024?", "Sales fell by 6% in 2024, compared with 2% in 2023.", "**Yes**"),
        ("Was Harlow's margin higher than Kestrel's?", "Harlow's margin was 14%, against 20% for Kestrel.", "**Yes**"),
        ("Were there more women than men on the board?", "There were 4 women on the board and 6 men.", "**Yes**"),
    ],
)
def test_what_a_sentence_leaves_open_is_not_decided(question: str, text: str, wrong: str) -> None:
    answer = written(WritingBrief(question, [Passage("c00000000z1", "harlow.txt", 1, text)]), -100.0)
    assert text.split(",", maxsplit=1)[0] in answer
    assert not answer.startswith(wrong)


@pytest.mark.parametrize(
    ("question", "text", "file_name"),
    [
        (
            "Who is Tolmerick's COO?",
            "The chief technology officer of Tolmerick is Rafael Quintero, and Ann Lee runs its operations.",
            "board.md",
        ),
        ("What were sales of bicycles in Q2 2024?", "Sales of bicycles were $55 million.", "2024 Q3 report.md"),
        (
            "What was revenue for the full year 2024?",
            "Revenue for the three months ended 30 June 2024 was $12.",
            "r.md",
        ),
    ],
)
def test_another_office_another_quarter_and_a_part_of_the_year_are_no_answer(
    question: str, text: str, file_name: str
) -> None:
    answer = written(WritingBrief(question, [Passage("c00000000z2", file_name, 1, text)]))
    assert answer.startswith("The documents do not answer this question")


def test_all_actions_of_a_table_are_the_actions() -> None:
    tasks = ("Survey the Tilburg store", "Draft the notice to the landlord", "Book the movers", "Order new signs")
    rows = "\n".join(
        f"| {task} | {owner} |" for task, owner in zip(tasks, ("Mairead", "Lucy", "Sam", "Ann"), strict=True)
    )
    text = f"## Actions\n\n| Action | Owner |\n|---|---|\n{rows}"
    answer = written(WritingBrief("What are the actions?", [Passage("c00000000z3", "minutes.md", 1, text)]))
    assert all(task in answer for task in tasks)
