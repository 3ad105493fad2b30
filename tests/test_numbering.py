"""Sources are numbered in the order in which an answer first cites them, one number for the same words."""

from typing import Any

from masis.numbering import Sources


def cited(chunk_id: str, quote: str | None, file_name: str | None = "a.pdf") -> Any:
    return {"chunk_id": chunk_id, "quote": quote, "file_name": file_name, "page": 3, "start": 0, "end": 1}


def claims(answer: str, *sentences: tuple[str, list[Any]]) -> Any:
    made, at = [], 0
    for text, citations in sentences:
        start = answer.index(text, at)
        at = start + len(text)
        made.append({"text": text, "start": start, "end": at, "kind": "claim", "citations": citations, "verdict": None})
    return made


def test_the_same_words_are_one_source_and_other_words_of_a_passage_another() -> None:
    first, second, third = "Churn fell [c1].", "Sales rose [c1, c2].", "Churn fell [c1]."
    answer = f"{first} {second} {third}"
    fell, rose, other = cited("c1", "fell"), cited("c1", "rose"), cited("c2", "rose too")
    sources = Sources(claims(answer, (first, [fell]), (second, [rose, other]), (third, [fell])))
    assert [(source.number, source.citation["quote"]) for source in sources] == [
        (1, "fell"),
        (2, "rose"),
        (3, "rose too"),
    ]
    assert sources.numbered(answer) == "Churn fell [1]. Sales rose [2][3]. Churn fell [1]."
    numbers = [[citation.get("number") for citation in claim["citations"]] for claim in sources.on_claims()]
    assert numbers == [[1], [2, 3], [1]], "the page is given the same numbers"


def test_a_citation_of_nothing_says_so() -> None:
    answer = "Invented [c9]."
    sources = Sources(claims(answer, (answer, [cited("c9", None, None)])))
    assert [source.where for source in sources] == ["c9: no such passage"]
    assert sources.numbered(answer) == "Invented [1]."
    assert Sources([]).numbered("Left [c9] as it is.") == "Left [c9] as it is."
