from masis.knowledge.search.reranking import CLEARLY_WEAKER, EmbeddedReranker, Reranker, read_windows, reranked
from masis.types import EvidenceChunk


def passage(text: str, number: int) -> EvidenceChunk:
    return EvidenceChunk(
        chunk_id=f"c{number}",
        file_name="2025-Q3_Oskarn.md",
        text=text,
        score=0.7,
        document_id="d",
        page=1,
        start=number * 100,
        end=number * 100 + len(text),
    )


CHURN = passage("Customer churn fell to 3.1% in 2025.", 0)
OFFICE = passage("The office in Lisbon has a large kitchen.", 1)
ASKED = "What was customer churn in 2025?"


async def test_the_embedded_model_puts_the_answer_first_and_leaves_relevance_alone() -> None:
    found = await reranked(ASKED, [OFFICE, CHURN], EmbeddedReranker())
    assert found == [CHURN, OFFICE]


async def test_what_is_clearly_weaker_goes_and_what_says_otherwise_stays() -> None:
    otherwise = passage("In 2025 customer churn was 4.7%.", 3)
    found = await reranked(ASKED, [OFFICE, CHURN, otherwise], EmbeddedReranker(), drop_below_best=CLEARLY_WEAKER)
    assert sorted(each["chunk_id"] for each in found) == ["c0", "c3"]


class Measures:
    """Keeps what it was given to read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    async def scores(self, question: str, passages: list[str]) -> list[float]:
        self.read += passages
        return [float(len(passage)) for passage in passages]


async def test_only_the_part_that_speaks_of_the_question_is_read_again_under_its_names() -> None:
    office = OFFICE["text"]
    around = passage(f"{office} {office} {CHURN['text']} {office} {office}", 4)
    around["heading"] = "Results"
    reranker = Measures()
    assert await reranked(ASKED, [OFFICE, around], reranker) == [around, OFFICE]
    assert reranker.read == [
        f"2025 Q3 Oskarn\n{office}",
        f"2025 Q3 Oskarn > Results\n{office} {CHURN['text']} {office}",
    ]


async def test_the_same_pair_scores_the_same_whatever_comes_with_it() -> None:
    reranker: Reranker = EmbeddedReranker()
    alone = await reranker.scores(ASKED, [CHURN["text"]])
    together = await reranker.scores(ASKED, [OFFICE["text"], CHURN["text"]])
    assert together[1] == alone[0] > together[0]


async def test_ties_stay_as_they_came_and_nothing_is_nothing() -> None:
    twin = passage(OFFICE["text"], 2)
    assert await reranked(ASKED, [twin, OFFICE], EmbeddedReranker()) == [twin, OFFICE]
    assert await reranked(ASKED, [], EmbeddedReranker()) == []


def test_a_highlight_is_what_the_selector_reads_as_the_answer_and_else_what_has_the_words() -> None:
    dinner = passage(
        "Customer churn was discussed at dinner in 2025. Losses of subscribers came down to 3.1% that year. "
        "The chef came from Porto.",
        4,
    )
    (read,) = read_windows("How many customers did the company lose in 2025?", [dinner])
    assert "3.1%" in dinner["text"][slice(*read)]
    assert "Porto" not in dinner["text"][slice(*read)]
    lease = "The lease runs until 2031 and may be extended twice by five years each against a fee of two percent. " * 3
    office = passage(f"{lease}The office in Lisbon has a large kitchen.", 5)
    (by_words,) = read_windows("Lisbon kitchen", [office])
    assert office["text"][slice(*by_words)].endswith("The office in Lisbon has a large kitchen.")
    assert by_words[0] > len(lease) / 2
