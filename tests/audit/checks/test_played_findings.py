"""Sentences of a careful chat model, and errors planted in them, that the audit once took for the other."""

from collections.abc import Sequence

import pytest

from masis.audit.checks.second_opinion import Question, weighed
from masis.audit.checks.support import REFUTED, Support
from masis.audit.verdicts import judge_claims
from masis.types import Claim
from tests.support.engines import chunk

INVESTED = (
    "Investment ($ million)\n\n"
    "| Item | 2025 | 2026 |\n|---|---|---|\n| Monitoring | 4.5 | 6.5 |\n| Total | 22.5 | 27.0 |"
)
OUTLOOK = "The outlook for adjusted earnings per share is now $2.00 – $2.15; in February it was $2.10 – $2.30."
COSTS = (
    "In thousands\n\n| | Q2 2025 | Q2 2024 |\n|---|---|---|\n| Administrative expenses | 52,310 | 50,084 |\n"
    "| Net revenues | 408,546 | 387,327 |"
)
STATES = (
    "| State | Clinics | Change in treatments, % | Nurse vacancy rate, % |\n|---|---|---|---|\n"
    "| Missouri | 58 | -1.1 | 15.2 |\n| Illinois | 41 | -1.9 | 16.3 |"
)
SHARES = (
    "| Country | Population share | Audience share | Weighted share |\n|---|---|---|---|\n| Japan | 1.9 | 4.9 | 9.1 |\n"
    "| Italy | 0.9 | 2.1 | 4.0 |\n| France | 0.9 | 2.0 | 4.0 |\n| Poland | 0.5 | 0.7 | 0.9 |\n"
    "| India | 17.6 | 2.0 | 0.5 |"
)
SERVICES = (
    "| | Three months ended March 30, 2024 | Three months ended April 1, 2023 |\n|---|---|---|\n"
    "| Products | 66,886 | 73,929 |\n| Services | 23,867 | 20,907 |"
)
POOL = (
    "For loads diverted from January 12 through February 9 there is a relief pool of $420,000. "
    "By February 9 the plant had paid $95,000 for extra freight."
)
NOTE = "The additional $1,100 has been recorded in regulatory charges for the quarter."
HEAD = "Notes to the statements (dollars in thousands)\n\nThe Company runs 247 clinics."


def judged(sentence: str, *texts: str) -> Claim:
    (claim,) = judge_claims(f"{sentence} [c1]", [chunk(f"c{n}", text) for n, text in enumerate(texts, 1)])
    return claim


@pytest.mark.parametrize(
    ("sentence", "texts"),
    [
        ("That is about 24% of the total 2026 investment of $27.0 million, up from $4.5 million in 2025.", (INVESTED,)),
        ("The midpoint falls by about $0.13, from $2.20 to roughly $2.08.", (OUTLOOK,)),
        ("An additional $1.1 million was recorded in regulatory charges.", (NOTE, HEAD)),
        (
            "Services were 23,867 in the three months ended March 30, 2024, against 20,907 in the three months ended "
            "April 1, 2023 (23,867 − 20,907 = 2,960).",
            (SERVICES,),
        ),
        ("For loads diverted between January 12 and February 9 the board set up a pool of $420,000.", (POOL,)),
        ("India: population share 17.6, audience share 2.0, weighted share 0.5.", (SHARES,)),
    ],
)
def test_what_is_right_is_not_refuted(sentence: str, texts: tuple[str, ...]) -> None:
    assert judged(sentence, *texts)["verdict"] not in REFUTED


@pytest.mark.parametrize(
    ("sentence", "texts"),
    [
        ("Overall, administrative expenses were $52,310 million in Q2 2025.", (COSTS,)),
        ("Illinois has by far the most severe shortage of trained staff: its vacancy rate was 15.2%.", (STATES,)),
        ("An additional $1.1 billion was recorded in regulatory charges.", (NOTE, HEAD)),
    ],
)
def test_no_auditor_can_vouch_for_what_is_proved_wrong(sentence: str, texts: tuple[str, ...]) -> None:
    claim = judged(sentence, *texts)
    assert claim["verdict"] == "numbers_differ"
    assert not claim.get("is_reading")


def test_a_row_is_held_against_its_own_column() -> None:
    assert "16.3 for Illinois" in judged("The vacancy rate in Illinois was 15.2%.", STATES)["reason"]


COVENANTS = (
    "The agreement allows a ratio of debt to earnings of not more than 3.25. At quarter-end the ratio was 2.6 and "
    "working capital was $17.6 million."
)
YEARS = "| | 2021 | 2020 |\n|---|---|---|\n| Net proceeds | 10,442 | 9,876 |"
SEGMENTS = (
    "| | Net sales 2024 | Net sales 2023 | Operating 2024 | Operating 2023 |\n|---|---|---|---|---|\n"
    "| Food Starch | 112,340 | 101,226 | 15,872 | 13,104 |\n| Total | 214,862 | 198,415 | 20,035 | 17,703 |"
)
SALES = (
    "Food Starch sales rose 12.0 percent on more volume. Industrial Starch sales fell 7.0 percent following the "
    "closure of the mill on November 30, 2024. Protein sales rose 30.2 percent."
)
FROST = (
    "Loads with more than 15 percent tare are refused.\n\n"
    "| Frost damage | Treatment |\n|---|---|\n| over 12 % and up to 20 % | paid at $18.00 per ton |"
)
ADVANCES = (
    "| Advance | Who approves |\n|---|---|\n| up to $250,000 | Chief Financial Officer |\n| above it | the board |"
)


def sure_of_other_places(questions: Sequence[Question]) -> list[float]:
    return [0.9 if question.held else 0.5 for question in questions]


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("The summary begins with fiscal 2020, when proceeds were 9,876, so fiscal 2019 is not covered.", YEARS),
        ("Food Starch made up 52.3% of net sales in 2024 ($112,340 thousand of $214,862 thousand).", SEGMENTS),
        ("In the second quarter, Protein grew most (+30.2%), before Food Starch (+12.0%).", SALES),
        ("A load with 15% frost is paid at $18.00 per ton, as it is over 12% and up to 20%.", FROST),
    ],
)
def test_a_figure_that_is_right_is_not_refuted_whatever_a_reader_thinks_of_its_place(sentence: str, text: str) -> None:
    question = "What becomes of a load with 15 % frost?"
    (claim,) = judge_claims(f"{sentence} [c1]", [chunk("c1", text)], sure_of_other_places, (), question)
    assert claim["verdict"] not in REFUTED


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("That left headroom of 0.65 under the covenant.", COVENANTS),
        ("An advance of $300,000 needs the approval of the board.", ADVANCES),
    ],
)
def test_a_figure_of_the_question_or_a_result_is_for_the_auditor_to_decide(sentence: str, text: str) -> None:
    (claim,) = judge_claims(f"{sentence} [c1]", [chunk("c1", text)], None, (), "Who approves $300,000?")
    assert claim["is_reading"]


def test_a_year_of_which_the_source_says_nothing_is_refuted_where_something_is_said_of_it() -> None:
    assert judged("Proceeds were 9,876 in 2019.", YEARS)["verdict"] == "numbers_differ"


def test_what_only_another_document_names_is_left_open() -> None:
    slides = {**chunk("c1", "The final loss borne by the Cooperative was $1.41 million."), "document_id": "slides"}
    report = {**chunk("c2", "The dryer of Kestrel Flats burned."), "document_id": "report"}
    sentence = "Kestrel Flats bore a final loss of $1.41 million [c1]."
    assert judge_claims(sentence, [slides, report])[0]["verdict"] == "unverified"
    assert judge_claims(sentence, [slides])[0]["verdict"] == "not_in_source"


def test_the_number_of_a_revision_stands_in_the_name_of_its_file() -> None:
    policy = {**chunk("c1", "A deduction of $4.25 per ton is made from late loads."), "file_name": "Delivery_rev9.md"}
    assert (
        judge_claims("Under revision 9 the late loads lose $4.25 per ton [c1].", [policy])[0]["verdict"]
        != "numbers_differ"
    )


def test_a_document_is_called_by_its_title() -> None:
    article = {**chunk("c1", "It was founded in 1956."), "title": "UPLAND AGRIBUSINESS REVIEW"}
    assert (
        judge_claims("It was founded in 1956, says the Upland Agribusiness Review [c1].", [article])[0]["verdict"]
        not in REFUTED
    )


def test_a_reader_is_not_asked_for_the_contrary_of_what_the_source_denies_too() -> None:
    asked: list[str] = []

    def reader(questions: Sequence[Question]) -> list[float]:
        asked.extend(question.claim for question in questions)
        return [0.3 for _ in questions]

    judge_claims(
        "Growers are not affected [c1].", [chunk("c1", "Growers should see no difference on their checks.")], reader
    )
    assert asked == ["Growers are not affected."]
    judge_claims(
        "The plan was not approved [c1].",
        [chunk("c1", "The board met in May, and its members passed the plan.")],
        reader,
    )
    assert "The plan was approved." in asked


@pytest.mark.parametrize(("likely", "contrary", "verdict"), [(0.17, 0.40, "unverified"), (0.05, 0.40, "contradicted")])
def test_a_denial_is_refuted_where_its_contrary_is_far_likelier(likely: float, contrary: float, verdict: str) -> None:
    left_open = Support("unverified", "few of its words are in the source", is_open=True)
    assert weighed(left_open, likely, [contrary]).verdict == verdict


PRELIMINARY = "Net sales were about $58.9 million before the auditors' review."
FILED = "Dollars in thousands\n\n| | Feb. 28, 2025 |\n|---|---|\n| Net sales | $58,214 |\n| Net proceeds | $6,004 |"
COVER = "The cover has a 72-hour waiting period, and the boiler was down for about 60 hours."
RETEST = "The fee is refunded if the result differs by more than 0.5 percentage points."


@pytest.mark.parametrize(
    ("sentence", "texts"),
    [
        (
            "The preliminary figure was $58.9 million of net sales [c1], the final one $58.2 million [c2].",
            (PRELIMINARY, FILED),
        ),
        ("The boiler was down for 60 hours, and the cover begins only after 72 [c1].", (COVER,)),
        ("The fee is refunded if the results differ by more than 0.5 points [c1].", (RETEST,)),
    ],
)
def test_a_figure_that_a_sentence_gives_is_found_there(sentence: str, texts: tuple[str, ...]) -> None:
    (claim,) = judge_claims(sentence, [chunk(f"c{n}", text) for n, text in enumerate(texts, 1)])
    assert claim["verdict"] not in REFUTED


def test_another_number_of_hours_is_still_refuted() -> None:
    assert judged("The boiler was down for 60 hours, and the cover begins only after 96.", COVER)["verdict"] in REFUTED
