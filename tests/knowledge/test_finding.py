"""What a search finds, with the library's real parts: whose documents, which words, and under which ids."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from masis.errors import UnknownPassage
from masis.knowledge.ingestion.ingest import embedded_text, meaning_text
from masis.knowledge.library import Library
from masis.knowledge.search.keywords import BY_ROW, QueryWords, nearest, vocabulary_of
from masis.knowledge.search.named_documents import NamedDocument, named_documents, names_of
from masis.knowledge.store.edge import EdgeStore
from masis.settings import Settings
from masis.types import EVERYWHERE, Chunk, EvidenceChunk, Page, ParsedDocument, SearchFilters
from tests.knowledge.stores import NamedEmbedder

STRICT = 0.99
"""Nothing passes by meaning: the vectors of these tests are arbitrary."""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    settings = Settings(home=tmp_path / "home", chunk_chars=300)
    library = Library(settings, EdgeStore(settings.home, NamedEmbedder(), "english"), NamedEmbedder())
    yield library
    library.close()


def prose(about: str, count: int = 8) -> str:
    return " ".join(f"The {about} of this part was {number} in all the regions we know." for number in range(count))


async def ingest(library: Library, folder: Path, **files: str) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    await library.ingest([folder], "acme")


def best(found: Sequence[EvidenceChunk]) -> EvidenceChunk:
    return max(found, key=lambda each: each["score"])


def kept(found: list[EvidenceChunk]) -> list[str]:
    return [each["text"] for each in found if each["score"] >= STRICT]


# Ids


async def test_a_passage_has_the_same_id_whatever_else_is_found(library: Library, tmp_path: Path) -> None:
    sections = "\n\n".join(f"## Part {number}\n\n{prose('cost', 12)}" for number in range(6))
    await ingest(library, tmp_path / "d", report__md=f"# Report\n\n{sections}")
    seen: dict[tuple[int, int], set[str]] = {}
    for text, limit, at_least in [("cost", 5, None), ("cost of part 3", 10, 0.0), ("cost in regions", 20, 0.55)]:
        for each in (await library.search("acme", text, limit, at_least=at_least)).candidates:
            passage = await library.passage("acme", each["chunk_id"])
            assert passage is not None
            assert passage.text == each["text"]
            seen.setdefault((each["start"], each["end"]), set()).add(each["chunk_id"])
    assert all(len(ids) == 1 for ids in seen.values())
    spans = sorted(seen)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))


async def test_the_whole_section_of_a_passage(library: Library, tmp_path: Path) -> None:
    costs = f"## Costs\n\n{prose('cost', 12)}\n\n### Travel\n\n{prose('fare', 2)}"
    text = f"Preface.\n\n# Report\n\n{prose('sale')}\n\n{costs}\n\n## Outlook\n\nGood."
    await ingest(library, tmp_path / "d", report__md=text)
    for asked, expected, path in [
        ("what was the cost of this part", costs, "Report > Costs"),
        ("what was the fare of this part", costs[costs.index("### ") :], "Report > Costs > Travel"),
        ("outlook good", "## Outlook\n\nGood.", "Report > Outlook"),
    ]:
        found = best((await library.search("acme", asked, 10)).candidates)
        section = await library.section("acme", found["chunk_id"])
        assert (section.text, section.heading, section.page) == (expected, path, 1)
        parsed = await library.document_text("acme", section.document_id)
        assert parsed is not None
        assert parsed.text[section.start : section.end] == section.text
        joined = ("cjoined0000", (section.document_id, found["start"], found["end"]))
        assert await library.section("acme", *joined) == section
    with pytest.raises(UnknownPassage):
        await library.section("acme", "c0000000000")


# Words


async def test_what_holds_the_very_words_asked_for_is_never_lost(library: Library, tmp_path: Path) -> None:
    table = "| Item | 2023 |\n|---|---|\n| Deferred tax assets | 5 |\n| Goodwill | 6 |"
    await ingest(
        library,
        tmp_path / "d",
        heading__md=f"# Parental leave policy\n\n{prose('week', 2)}",
        row__md=table,
        phrase__md=f"{prose('thing', 3)} Any substantial doubt about going concern is told.",
        other__md=prose("policy"),
    )
    for asked, held in [
        ("How does Acme handle its parental leave policy for managers in Spain?", "Parental leave"),
        ("What were the deferred tax assets of the group at the end of 2023 in Brazil?", "Deferred tax"),
        ("Did the auditors say anything on substantial doubt about going concern?", "substantial doubt"),
        ("Which clause says “any substantial doubt” to whoever reads it in the end?", "substantial doubt"),
    ]:
        found = await library.search("acme", asked, 10, at_least=STRICT)
        assert [text for text in kept(list(found.candidates)) if held in text], asked
        assert not any("policy of this part" in text for text in kept(list(found.candidates)))


async def test_accents_and_case_make_no_difference(library: Library, tmp_path: Path) -> None:
    await ingest(library, tmp_path / "d", one__md="La Société Générale a payé.", two__md=prose("cost"))
    for asked in ("societe generale", "SOCIÉTÉ GÉNÉRALE"):
        assert "Société" in best((await library.search("acme", asked, 3)).candidates)["text"]


async def test_a_word_no_document_has_is_searched_for_by_its_nearest_spelling(library: Library, tmp_path: Path) -> None:
    await ingest(
        library, tmp_path / "d", one__md=f"The Tolmerick pipeline leaks. {prose('cost')}", two__md=prose("fare")
    )
    result = await library.search("acme", "Why does the tolmerik pipelnie leak?", 3)
    assert result.respelled == {"tolmerik": "tolmerick", "pipelnie": "pipeline"}
    assert "Tolmerick" in best(result.candidates)["text"]
    assert (await library.search("acme", "Why does the Tolmerick pipeline leak?", 3)).respelled == {}
    assert (await library.search("acme", "quarks and gluons", 3)).respelled == {}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("tolmerik", "tolmerick"),
        ("tolmreick", "tolmerick"),
        ("tolmericks", "tolmerick"),
        ("genéralle", "generale"),
        ("costs", None),
        ("quark", None),
        ("acquisiton", "acquisition"),
        ("aquistion", "acquisition"),
    ],
)
def test_the_nearest_spelling(word: str, expected: str | None) -> None:
    assert nearest(word, vocabulary_of("Tolmerick Générale acquisition gains coast 2023").split()) == expected


# Whose and of when


def document(name: str, names: str = "", period: str | None = None, date: str | None = None) -> NamedDocument:
    return NamedDocument(name, name, None, date, period, names, 50)


FILINGS = [
    document(f"{year} Q{quarter} {symbol}.pdf", names, date=f"{year}-0{3 * quarter}-30")
    for symbol, names in [("AAPL", "apple inc cupertino"), ("NVDA", "nvidia corporation"), ("AMZN", "amazon com inc")]
    for year, quarter in [(2022, 3), (2023, 1), (2023, 3)]
]


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("What were Apple's net sales in Q3 2023?", {"2023 Q3 AAPL.pdf"}),
        ("What did NVIDIA earn in the first quarter of 2023?", {"2023 Q1 NVDA.pdf"}),
        ("what did amazon spend", {"2022 Q3 AMZN.pdf", "2023 Q1 AMZN.pdf", "2023 Q3 AMZN.pdf"}),
        ("What is the latest figure for Amazon?", {"2023 Q3 AMZN.pdf"}),
        ("What changed in 2022?", set()),
        ("What changed in Q3 2022?", {"2022 Q3 AAPL.pdf", "2022 Q3 NVDA.pdf", "2022 Q3 AMZN.pdf"}),
        ("Compare Apple and NVIDIA in Q1 2023.", {"2023 Q1 AAPL.pdf", "2023 Q1 NVDA.pdf"}),
        ("What was revenue?", set()),
        ("Which corporation is Inc.?", set()),
    ],
)
def test_which_documents_a_question_means(question: str, meant: set[str]) -> None:
    assert set(named_documents(question, FILINGS).meant) == meant


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Do the annual report and the board memo agree on churn?", {"annual-report-2025.pdf", "board-memo-2026.docx"}),
        ("What does the board memo say of the annual budget?", {"board-memo-2026.docx"}),
        ("What is the annual budget?", set()),
        ("Which report speaks of churn?", set()),
    ],
)
def test_documents_that_a_question_names_by_different_words(question: str, meant: set[str]) -> None:
    names = ("annual-report-2025.pdf", "board-memo-2026.docx", "press-release.html", "risk-register.md", "faq.html")
    assert set(named_documents(question, [document(name) for name in names]).meant) == meant


def test_the_end_of_the_period_a_document_covers() -> None:
    known = [
        document("a.pdf", "acme", "quarter ended 2022-06-25"),
        document("b.pdf", "acme", "quarter ended 2022-09-24"),
    ]
    assert named_documents("What was sold by June 25, 2022?", known).meant == ("a.pdf",)
    assert named_documents("What was sold in September 2022?", known).meant == ("b.pdf",)
    assert named_documents("What was sold in 2022?", known).meant == ()


def test_the_names_on_a_first_page() -> None:
    page = "# FORM 10-Q\nFor the quarterly period ended\nApple Inc.\n(Exact Name of Registrant)\nWe sell phones."
    names = names_of(ParsedDocument([Page(1, page), Page(2, "Samsung")])).split()
    assert "apple" in names
    assert not {"sell", "samsung", "exact", "quarterly"} & set(names)


async def test_a_question_that_names_a_company_gets_its_documents_first(library: Library, tmp_path: Path) -> None:
    figures = "\n\n".join(f"## Item {number}\n\n{prose('margin', 5)}" for number in range(6))
    folder = tmp_path / "d"
    await ingest(library, folder, x1__md=f"# Acme Corp\n\n{figures}", x2__md=f"# Zenith Ltd\n\n{figures}.")
    for company, file in (("Acme", "x1.md"), ("Zenith", "x2.md")):
        found = await library.search("acme", f"What was the margin of {company}?", 4)
        assert {each["file_name"] for each in found.candidates[:3]} == {file}


# Dates


async def test_a_filter_by_date_says_how_many_undated_documents_it_left_out(library: Library, tmp_path: Path) -> None:
    await ingest(
        library, tmp_path / "d", a__md="Cost one.", b__md="Cost two.", c__md="Date: 3 March 2022\n\nCost three."
    )
    found = await library.search("acme", "cost", 5, filters=SearchFilters(dated_from="2022"))
    assert [each["file_name"] for each in found.candidates] == ["c.md"]
    assert found.undated_left_out == 2
    assert (await library.search("acme", "cost", 5)).undated_left_out == 0


async def test_dates_and_periods_from_the_first_page_and_the_name(library: Library, tmp_path: Path) -> None:
    await ingest(
        library,
        tmp_path / "d",
        **{
            "10q__md": "# FORM 10-Q\n\nFor the quarterly period ended June 25, 2022\n\nText.",
            "letter-dated-2021-03-09__md": "Dear all.",
            "2021Q3__md": "Results.",
        },
    )
    known = {each.file_name: (each.date, each.period) for each in library.catalog.documents("acme")}
    assert known == {
        "10q.md": ("2022-06-25", "quarter ended 2022-06-25"),
        "letter-dated-2021-03-09.md": ("2021-03-09", None),
        "2021Q3.md": ("2021", "Q3 2021"),
    }


async def test_a_row_that_is_called_what_is_asked_comes_before_prose_about_it(library: Library, tmp_path: Path) -> None:
    prose_on_it = (
        "Net sales were discussed. Net sales of the quarter are reported; what net sales were is in the table."
    )
    table = "| Item | 2023 |\n|---|---|\n| Total net sales | 81,797 |\n| Gross margin | 36,413 |"
    await ingest(library, tmp_path / "d", a__md=prose_on_it, b__md=f"# Statements\n\n{table}")
    asked = QueryWords("What were total net sales?")
    found = {each["file_name"]: each for each in (await library.search("acme", asked.text, 5)).candidates}
    of = {name: await library.passage("acme", each["chunk_id"]) for name, each in found.items()}
    rows, words = of["b.md"], of["a.md"]
    assert rows is not None
    assert words is not None
    assert asked.row_worth(rows) == BY_ROW
    assert asked.row_worth(words) == 0.0
    assert QueryWords("What was the gross profit?").row_worth(rows) == 0.0


def test_the_figures_of_a_table_are_not_embedded() -> None:
    table = "| Item | 2023 | Change |\n|---|---|---|\n| Net sales | 81,797 | (4)% |\n| Founded | 1976 | in May |"
    passage = Chunk(
        "c1", "d", "aapl.pdf", f"In millions\n{table}", 1, 0, 9, "Report > Part I > Item 2 > Results > Sales"
    )
    assert meaning_text(passage, None) == (
        "aapl > Item 2 > Results > Sales\nIn millions\nItem | 2023 | Change\n\nNet sales\nFounded | 1976 | in May"
    )
    assert "81,797" in embedded_text(passage, None)


async def test_several_documents_as_a_whole_are_opened_one_by_one(library: Library, tmp_path: Path) -> None:
    await ingest(library, tmp_path / "d", one__md=f"# One\n\n{prose('cost')}", two__md=f"# Two\n\n{prose('fare')}")
    asked = "Summarise these documents"
    opened, names = await library.outline("acme", asked, [], EVERYWHERE, 10)
    assert {chunk["file_name"] for chunk in opened} == {"one.md", "two.md"} == set(names)
    alone, names = await library.outline("acme", asked, [], SearchFilters(("two.md",)), 10)
    assert {chunk["file_name"] for chunk in alone} == {"two.md"} == set(names)
    assert await library.outline("acme", "Summarise it", [], EVERYWHERE, 10) == ([], [])
    opened, _ = await library.outline("acme", "Give me an overview", [], EVERYWHERE, 10)
    assert {chunk["file_name"] for chunk in opened} == {"one.md", "two.md"}, "it names none, and means all"


async def test_a_summary_opens_every_document_of_its_scope_up_to_twenty(library: Library, tmp_path: Path) -> None:
    notes = {f"n{n:02}__txt": f"Note {n}, 2 May 20{n:02}\n\n{prose(f'cost{n}')}" for n in range(12, 35)}
    await ingest(library, tmp_path / "d", old__md=f"# Old\n\n{prose('fare')}", **notes)
    asked = "Summarise these documents"
    opened, names = await library.outline("acme", asked, [], SearchFilters(file_types=("txt",)), 10)
    assert len({chunk["file_name"] for chunk in opened}) == 20
    assert len(names) == 23, "those beyond the limit are known by name"
    opened, names = await library.outline("acme", asked, [], SearchFilters(dated_from="2030", dated_to="2031"), 10)
    assert sorted({chunk["file_name"] for chunk in opened}) == ["n30.txt", "n31.txt"] == sorted(names)
