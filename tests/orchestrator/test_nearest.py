"""A silence shows what comes nearest, and claims a word absent only where the whole workspace's index says so."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from masis.orchestrator.closest import absent_words, closest_passages
from masis.types import Mentions
from tests.support.engines import Stage, chunk

CHUNKS = [
    chunk("c1", "The harbour was dredged. Ferries run in winter.", score=0.5),
    chunk("c2", "The budget grew in 2025.", score=0.7),
    chunk("c3", "Rain fell.", score=0.6),
    chunk("c4", "The museum opened.", score=0.9),
]


def test_the_three_passages_with_most_of_the_words_are_shown() -> None:
    found = closest_passages("How often do ferries cross the harbour in winter?", CHUNKS)
    assert len(found) == 3
    assert found[0]["chunk_id"] == "c1"
    assert found[0]["quote"] == "Ferries run in winter."
    assert found[0]["words"] == ["ferries", "harbour", "winter"]
    assert found[1]["chunk_id"] == "c4"


def test_what_is_read_as_nearest_comes_before_what_has_more_of_the_words() -> None:
    said = chunk("c5", "Prices rose in May. The manager of both shops is Ingrid Holm. Bread sold well.")
    worded = chunk("c6", "Whoever is in charge of the till closes it. The charge for a bag is ten cents.")
    asked = "Who is in charge of the bakeries?"
    assert closest_passages(asked, [said, worded])[0]["chunk_id"] == "c6"
    nearest, other = closest_passages(asked, [said, worded], [said, worded])
    assert nearest["chunk_id"] == "c5"
    assert nearest["quote"].startswith("The manager of both shops is Ingrid Holm.")
    assert other["chunk_id"] == "c6"


def test_a_short_passage_comes_with_what_follows_it_and_a_row_with_its_columns() -> None:
    mail = "From: Tom\nSubject: Lyon lease\n\nApproved, provided that the break option comes after three years.\n"
    [found] = closest_passages("What did Tom approve on the Lyon lease?", [chunk("c1", mail)])
    assert found["quote"].endswith("after three years.")
    table = "| Site | 2023 | Open |\n|---|---|---|\n| Lyon | 124 | 6 |\n"
    [found] = closest_passages("How large is Lyon?", [chunk("c1", table)])
    assert found["shown"] == "Lyon: 124 (2023), 6 (Open)"


async def test_only_what_no_document_has_is_called_absent() -> None:
    asked: list[str] = []

    async def mentions(workspace_id: str, words: Sequence[str]) -> Mapping[str, Mentions | None]:
        asked.extend(words)
        return {"tramway": Mentions(0, 0), "tunnel": Mentions(2, 5), "cost": None}

    services = replace(Stage().services, mentions=mentions)
    absent = await absent_words("What did the tramway, the tunnel and the growth cost?", CHUNKS, "w", services)
    assert absent == ["tramway"]
    assert "growth" not in asked


async def test_without_an_index_nothing_is_called_absent() -> None:
    assert await absent_words("What did the tramway cost?", CHUNKS, "w", Stage().services) == []
