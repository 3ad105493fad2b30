"""Finding in real filings that are much alike: whose, under which id, however a word is spelled, and of which day."""

import asyncio
import shutil
from collections.abc import Iterator

import pytest

from evals.tables import shared_data
from masis.knowledge.library import Library
from masis.knowledge.store.edge import EdgeStore
from masis.settings import Settings
from masis.types import SearchFilters
from tests.knowledge.stores import NamedEmbedder

FILINGS, FORMATS = shared_data("kgrag_sec10q"), shared_data("formats")
pytestmark = pytest.mark.skipif(FILINGS is None, reason="the data set is not at ../shared/data/kgrag_sec10q")
NAMES = ("2022 Q3 AAPL.pdf", "2022 Q3 AMZN.pdf", "2022 Q3 NVDA.pdf")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Its vectors are arbitrary: what is found is found by words and names."""
    assert FILINGS
    home = tmp_path_factory.mktemp("filings")
    settings = Settings(home=home / "home")
    library = Library(settings, EdgeStore(settings.home, NamedEmbedder(), "english"), NamedEmbedder())
    folder = home / "documents"
    folder.mkdir()
    for name in NAMES:
        shutil.copy(FILINGS / "docs" / name, folder)
    (folder / "note.txt").write_text("The Société Générale lent money to the iPhone maker.")
    asyncio.run(library.ingest([folder], "acme"))
    yield library
    library.close()


async def files_found(library: Library, question: str) -> list[str]:
    return [each["file_name"] for each in (await library.search("acme", question, 5)).candidates]


@pytest.mark.parametrize(("company", "file_name"), [("Apple", NAMES[0]), ("Amazon", NAMES[1]), ("NVIDIA", NAMES[2])])
async def test_a_question_that_names_a_company_is_asked_of_its_filing(
    library: Library, company: str, file_name: str
) -> None:
    found = await files_found(library, f"What was the operating income of {company}?")
    assert found[0] == file_name
    assert found.count(file_name) >= 4


async def test_a_misspelled_word_and_one_without_accents(library: Library) -> None:
    result = await library.search("acme", "How did iphnoe net sales develop?", 5)
    assert result.respelled == {"iphnoe": "iphone"}
    assert NAMES[0] in {each["file_name"] for each in result.candidates}
    assert "note.txt" in await files_found(library, "Who is the societe generale?")


async def test_the_rows_asked_for_pass_the_filter(library: Library) -> None:
    asked = "What were Apple's total net sales by category in Wearables, Home and Accessories?"
    found = (await library.search("acme", asked, 10, at_least=0.6)).candidates
    assert any("| Wearables, Home and Accessories" in each["text"] for each in found if each["score"] >= 0.6)


@pytest.mark.parametrize(
    ("asked", "held"),
    [
        ("What does Apple say in its filing under Mine Safety Disclosures?", "Mine Safety Disclosures"),
        ("What did the Northern California District Court rule in its judgment?", "Northern California District Court"),
    ],
)
async def test_a_heading_or_a_phrase_asked_for_passes_the_filter(library: Library, asked: str, held: str) -> None:
    found = (await library.search("acme", asked, 10, at_least=0.99)).candidates
    assert any(held in f"{each.get('heading')} {each['text']}" for each in found if each["score"] >= 0.99)


async def test_the_whole_section_of_a_passage_is_given(library: Library) -> None:
    found = (await library.search("acme", "Apple: iPhone net sales increased due to new iPhone models", 10)).candidates
    [passage] = [each for each in found if "iPhone net sales increased" in each["text"]][:1]
    section = await library.section("acme", passage["chunk_id"])
    assert (section.heading or "").endswith("> iPhone")
    assert section.text.lstrip("# ").startswith("iPhone\n\niPhone net sales increased")


async def test_the_rows_of_a_statement_come_with_its_unit(library: Library) -> None:
    """Amazon's say “(in millions)” above “(unaudited)”."""
    [filing] = [d for d in library.catalog.documents("acme") if d.file_name == NAMES[1]]
    cuts = [text for text in await library.passages("acme", filing.document_id) if "(unaudited) > |" in text]
    assert len(cuts) >= 3
    assert all("(in millions" in text for text in cuts)


async def test_a_passage_has_one_id_in_every_search(library: Library) -> None:
    seen: dict[tuple[str, int], set[str]] = {}
    for asked, limit in (("Apple net sales of iPhone", 5), ("Apple iPhone net sales, third quarter", 10)):
        for each in (await library.search("acme", asked, limit)).candidates:
            seen.setdefault((each["document_id"], each["start"]), set()).add(each["chunk_id"])
    assert all(len(ids) == 1 for ids in seen.values())


async def test_a_range_of_dates_says_what_it_left_out(library: Library) -> None:
    within = SearchFilters(dated_from="2022-07", dated_to="2022-09")
    result = await library.search("acme", "net sales", 10, filters=within)
    assert {each["file_name"] for each in result.candidates} == {NAMES[1]}
    assert result.undated_left_out == 1


@pytest.mark.skipif(FORMATS is None, reason="the data set is not at ../shared/data/formats")
async def test_words_without_their_accents_find_real_articles(library: Library) -> None:
    assert FORMATS
    names = ("docling__wiki_duck.html", "docling__pntd.0008301.nxml")
    await library.ingest([FORMATS / "good" / name for name in names], "articles")
    for asked, held in (("galapagos", "Galápagos"), ("FOGLO", "Föglö"), ("the MINISTERE", "Ministère")):
        result = await library.search("articles", f"What about {asked}?", 3)
        assert not result.respelled
        assert any(held in each["text"] for each in result.candidates)
    phrase = "Who works for the MINISTERE DE LA SANTE in Niamey?"
    found = (await library.search("articles", phrase, 10, at_least=0.99)).candidates
    assert any("Ministère de la Santé" in each["text"] for each in found if each["score"] >= 0.99)
