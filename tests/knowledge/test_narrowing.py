from hypothesis import given
from hypothesis import strategies as st

from masis.knowledge.search.reranking import narrowed, windows
from masis.types import EvidenceChunk

BEFORE = "The annual meeting was held in Lisbon. Members were welcomed by the chair. Coffee was served at ten. "
ANSWER = "Customer churn fell to 3.1% in the second quarter."
AFTER = " The kitchen was painted in June. A new lift was ordered as well. It will arrive in the autumn."
PASSAGE = f"{BEFORE}{ANSWER}{AFTER}"
ASKED = "How high was customer churn in the second quarter?"
TABLE = "Churn by quarter\n\nQuarter | Churn\nFirst quarter | 4.0%\nSecond quarter | 3.1%\nThird quarter | 2.9%"


def passage(text: str, start: int = 1000) -> EvidenceChunk:
    return EvidenceChunk(
        chunk_id="c0",
        file_name="a.md",
        text=text,
        score=0.7,
        document_id="d" * 64,
        page=3,
        start=start,
        end=start + len(text),
        heading="Results",
    )


def shown(question: str, *texts: str) -> list[str]:
    return [text[start:end] for text, (start, end) in zip(texts, windows(question, texts), strict=True)]


def test_keeps_the_sentence_that_speaks_of_the_question_and_its_neighbours() -> None:
    assert shown(ASKED, PASSAGE, BEFORE)[0] == f"Coffee was served at ten. {ANSWER} The kitchen was painted in June."


def test_text_span_and_id_stay_exact() -> None:
    [cut, _] = narrowed(ASKED, [passage(PASSAGE), passage(BEFORE)])
    text = f"Coffee was served at ten. {ANSWER} The kitchen was painted in June."
    start = 1000 + PASSAGE.index(text)
    assert (cut["start"], cut["end"], cut["text"]) == (start, start + len(text), text)
    assert cut["chunk_id"] == passage(PASSAGE)["chunk_id"]
    assert (cut["score"], cut["page"], cut.get("heading")) == (0.7, 3, "Results")


def test_a_passage_without_a_word_of_the_question_stays_whole() -> None:
    whole = passage(BEFORE.strip())
    assert narrowed("Who owns Oskarn?", [whole]) == [whole]
    assert narrowed("", [whole]) == [whole]


def test_a_table_is_never_cut() -> None:
    text = f"{BEFORE}\n\n{TABLE}\n\n{AFTER.strip()}"
    [cut, _] = shown("Churn of the second quarter?", text, BEFORE)
    assert TABLE in cut
    assert "annual" not in cut
    assert "autumn" not in cut


def test_what_every_candidate_says_does_not_decide() -> None:
    company = "Tolmerick was founded in 1990. Tolmerick is a company. Tolmerick sells many things in nine towns. "
    text = f"{company}All of them are its own. The largest plant stands in Oskarn and makes pumps."
    alone, *_ = shown("Where is the largest plant of Tolmerick?", text, *[company] * 9)
    assert alone == "All of them are its own. The largest plant stands in Oskarn and makes pumps."


def test_both_ends_of_an_answer_are_kept() -> None:
    text = f"{BEFORE}Churn fell in Europe. It was lower than before. Churn rose in Asia.{AFTER}"
    assert "Europe" in shown("churn Europe Asia", text, BEFORE)[0]
    assert "Asia" in shown("churn Europe Asia", text, BEFORE)[0]


@given(st.text("ab .\n|#1", max_size=200), st.lists(st.text("ab .\n|#1", min_size=1, max_size=200), max_size=4))
def test_windows_lie_inside_and_are_not_empty(question: str, texts: list[str]) -> None:
    for text, (start, end) in zip(texts, windows(question, texts), strict=True):
        assert 0 <= start < end <= len(text) or not text.strip()
