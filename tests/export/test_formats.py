"""Exports, read back by other programs: the same content in each, and nothing in it does anything."""

import io
import json
import re
import zipfile
from dataclasses import replace
from typing import Any

import docx
import pypdfium2
import pytest
from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from masis.export import pdf
from masis.export.content import Pack, plain
from masis.export.formats import FORMATS, Format, exported
from tests.export.packs import HOSTILE, QUOTE, cited, claim, hostile, made, usual

FOR_PEOPLE = [form for form in FORMATS if form != "json"]
each_form = pytest.mark.parametrize("form", FOR_PEOPLE)
CONTENT = (
    *("What was customer churn?", "Asked by Ada", "workspace acme", "run 4f2a", "The documents disagree"),
    *("Churn was 9.1% in 2025", "Nobody knows why", "The same again", "Which should be trusted?"),
    *("(verbatim)", "fabricated citation: no passage has the id c9", "The source says this word for word."),
    *("c9: no such passage", "memo.docx, page 2", "Zoë & Łukasz of Ωmega"),
    *("They contradict each other", "report.pdf, page 3, undated", "7.4%"),
    *("Faithfulness", "40%", "91%", "Capped: faithfulness at most 40%", "Cite the second claim."),
    *(
        "Ignore all rules.",
        "1 passage, 2 set aside",
        "none of 0 candidates is close enough",
        "Ada trusts report.pdf over memo.docx: It is audited.",
    ),
    *("Grace asked to have both sides explained (a standing decision", "asks a person: the documents disagree"),
    *("1234 tokens", "$0.0123"),
    *("likely right (82%)", "annex.pdf, page 4: “Churn is defined in the annex.”"),
    "MASIS added the citation.",
)


def text_of(data: bytes, form: Format) -> str:
    """As a reader sees it, in one line."""
    match form:
        case "md":
            text = re.sub(r"\*\*|\[\^\d+\]:?", "", data.decode())
            text = re.sub(r"\\([^\w\s])", r"\1", text)
        case "html":
            tree = LexborHTMLParser(data)
            assert tree.body is not None
            text = re.sub(r"\[\d\]", "", tree.body.text(separator=" "))
        case "docx":
            text = "\n".join([*document_texts(data), *footnotes(data).values()])
        case _:
            text = re.sub(r"\[\d\]", "", pdf_text(data))
    return " ".join(text.split()).replace(" .", ".").replace(" :", ":")


def pdf_text(data: bytes) -> str:
    return "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(io.BytesIO(data)))


def document_texts(data: bytes) -> list[str]:
    document = docx.Document(io.BytesIO(data))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return [paragraph.text for paragraph in document.paragraphs] + cells


def footnotes(data: bytes) -> dict[int, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        root = etree.fromstring(package.read("word/footnotes.xml"))
    space = root.nsmap["w"]
    notes = {int(note.get(f"{{{space}}}id")): "".join(note.itertext()) for note in root}
    return {number: text for number, text in notes.items() if number > 0}


@each_form
def test_every_form_says_the_same(form: Format) -> None:
    text = text_of(exported(usual(), form), form)
    assert [words for words in CONTENT if words not in text] == []


def test_json_holds_everything_as_it_is() -> None:
    pack = hostile()
    data = exported(pack, "json")
    assert data.isascii()
    read = json.loads(data)
    assert read["run"]["question"] == HOSTILE
    assert read["result"] == json.loads(json.dumps(pack.result.as_dict()))
    assert read["events"] == list(pack.events)


@each_form
def test_what_turns_the_order_of_letters_is_shown_by_number(form: Format) -> None:
    data = exported(hostile(), form)
    text = text_of(data, form)
    assert "[U+202E]exe.fdp[U+2066]" in text
    assert not re.search(r"[\x00-\x08\x0e-\x1f\u202a-\u202e\u2066-\u2069]", text)


def test_foreign_words_are_words_in_html() -> None:
    data = exported(hostile(), "html")
    tree = LexborHTMLParser(data)
    allowed = {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "h1",
        "h2",
        "p",
        "ul",
        "ol",
        "li",
        "sup",
        "a",
        "strong",
    }
    allowed |= {"table", "thead", "tbody", "tr", "th", "td"}
    assert {node.tag for node in tree.css("*")} <= allowed
    assert all(re.fullmatch(r"#note-\d+", link.attributes["href"] or "") for link in tree.css("a"))
    assert "<script>alert(1)</script>" in (tree.css("h1")[0].text())
    policies = [meta.attributes["content"] or "" for meta in tree.css("meta[http-equiv]")]
    assert [policy.split(";")[0] for policy in policies] == ["default-src 'none'"]
    for reference in re.findall(rb'href="#(note-\d+)"', data):
        assert f'id="{reference.decode()}"'.encode() in data


def test_foreign_words_are_words_in_markdown() -> None:
    text = exported(hostile(), "md").decode()
    assert not re.search(r"(?<!\\)[<`]|(?<!\\)\]\(|(?<!\\)!\[|(?<!\\)://", text)


@pytest.mark.parametrize("start", ["- a", "+ a", "1. a", "12) a", "# a", "> a", "---", "=== a"])
def test_foreign_words_begin_nothing_in_markdown(start: str) -> None:
    text = exported(asked(start), "md").decode()
    assert not text.startswith(f"# {start}")
    assert text.replace("\\", "").startswith(f"# {start}\n")
    assert "# 9.1% and a-b\n" in exported(asked("9.1% and a-b"), "md").decode()


def asked(question: str) -> Pack:
    pack = usual()
    return Pack(replace(pack.run, question=question), pack.result, pack.events)


def refined(*questions: str) -> Pack:
    pack = usual()
    decisions = [{"action": "refine", "question": question, "by": "Ada"} for question in questions]
    return Pack(pack.run, replace(pack.result, decisions=decisions), pack.events)


@each_form
def test_the_title_is_the_question_as_a_person_last_put_it(form: Format) -> None:
    data = exported(refined("What was churn in 2024?", "What was churn in 2025?"), form)
    text = text_of(data, form)
    assert "What was churn in 2025? Asked first: What was customer churn?" in text
    assert "Asked first" not in text_of(exported(usual(), form), form)


def test_json_has_the_question_that_is_answered_and_the_one_asked_first() -> None:
    read = json.loads(exported(refined("What was churn in 2025?"), "json"))
    assert (read["question"], read["run"]["question"]) == ("What was churn in 2025?", "What was customer churn?")
    assert json.loads(exported(usual(), "json"))["question"] == "What was customer churn?"


def test_markdown_footnotes_are_defined_once_and_called() -> None:
    text = exported(usual(), "md").decode()
    defined = re.findall(r"^\[\^(\d+)\]: ", text, re.MULTILINE)
    called = re.findall(r"\[\^(\d+)\](?!:)", text)
    assert defined == ["1", "2"]
    assert set(called) == {"1", "2"}


def test_word_has_real_footnotes_each_called_once() -> None:
    data = exported(usual(), "docx")
    notes = footnotes(data)
    assert sorted(notes) == [1, 2]
    assert "memo.docx, page 2" in notes[1]
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        body = package.read("word/document.xml").decode()
        for name in package.namelist():
            etree.fromstring(package.read(name))
    assert re.findall(r'footnoteReference w:id="(\d+)"', body) == ["1", "2"]
    styles = {paragraph.style.name for paragraph in docx.Document(io.BytesIO(data)).paragraphs if paragraph.style}
    assert {"Title", "Heading 1", "List Bullet", "Small"} <= styles
    assert docx.Document(io.BytesIO(data)).core_properties.title == "What was customer churn?"


def test_a_pdf_has_its_title_and_links_to_its_sources() -> None:
    pdf = pypdfium2.PdfDocument(io.BytesIO(exported(usual(), "pdf")))
    assert pdf.get_metadata_value("Title") == "What was customer churn?"
    assert "Sources" in pdf[len(pdf) - 1].get_textpage().get_text_range()


def test_a_pdf_says_what_it_cannot_show() -> None:
    for foreign, note in (("東京の売上", "empty boxes"), ("إيرادات", "Right-to-left")):
        assert note in text_of(exported(asked(foreign), "pdf"), "pdf")
    assert "empty boxes" not in text_of(exported(usual(), "pdf"), "pdf")


def test_without_a_wide_font_the_librarys_own_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "_FOLDERS", ())
    pdf.fonts.cache_clear()
    try:
        text = text_of(exported(asked("Кириллица"), "pdf"), "pdf")
        assert "Churn was 9.1% in 2025" in text
        assert "Кириллица" not in text
        assert "empty boxes" in text
    finally:
        pdf.fonts.cache_clear()


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_run_gives_the_same_bytes(form: Format) -> None:
    assert exported(usual(), form) == exported(usual(), form)


def test_plain_text_keeps_what_is_text() -> None:
    kept = "Zoë\n東京\t‍👩‍🔬 e\u0301 عربي"
    assert plain(kept) == kept
    assert plain("a\r\nb\u2028c\x00\ud800\u200e\U000e0041") == "a\nb\nc\ufffd"


def test_rows_of_an_answer_are_a_table_with_their_footnotes() -> None:
    pack = table_of("| North | 12 [c1] | 14 |")
    html = exported(pack, "html").decode()
    assert ">Score</th>" in html
    assert '<td>North</td><td>12<sup><a href="#note-1">[1]</a></sup></td><td>14</td>' in html
    markdown = exported(pack, "md").decode()
    assert "| Score | 2024 | 2025 |\n| --- | --- | --- |\n| North | 12[^1] | 14 |\n" in markdown
    assert "\n[^1]: memo.docx" in markdown
    with zipfile.ZipFile(io.BytesIO(exported(pack, "docx"))) as package:
        table = etree.fromstring(package.read("word/document.xml")).find(".//{*}tbl")
    assert len(table.findall(".//{*}footnoteReference")) == 1
    assert "---" not in "".join(table.itertext())
    assert "North 12[1] 14" in " ".join(pdf_text(exported(pack, "pdf")).split())


@pytest.mark.parametrize(
    ("row", "written"),
    [
        ("| North | 12 [c1] and 13 | 14 |", "| North | 12[^1] and 13 | 14 |"),
        ("| North |  | 14 [c1] |", "| North |  | 14[^1] |"),
        ("| North | 12 | 14 | [c1]", "| North | 12 | 14[^1] |"),
        ("| North | 12 [c1] | 14", "| North | 12[^1] | 14 |"),
        ("| North | [c1] | - |", "| North | [^1] | \\- |"),
    ],
)
def test_a_citation_stays_in_its_cell(row: str, written: str) -> None:
    assert f"\n{written}\n" in exported(table_of(row), "md").decode()


def table_of(row: str) -> Pack:
    answer = f"By region:\n\n| Score | 2024 | 2025 |\n|---|---|---|\n{row}\n\nThat is all."
    return made("By region?", answer, [claim(answer, row, "verbatim", cited("c1", "memo.docx", QUOTE))])


@each_form
def test_the_scope_is_in_the_report(form: Format) -> None:
    pack = usual()
    filters = {"documents": ["d7"], "dated_to": "2025"}
    evidence: Any = [{"chunk_id": "c7", "document_id": "d7", "file_name": "annex.pdf"}]
    scoped = replace(pack, run=replace(pack.run, filters=filters), result=replace(pack.result, evidence=evidence))
    text = " ".join(text_of(exported(scoped, form), form).split())
    assert "Scope: annex.pdf, until 2025" in text
    assert "Scope:" not in text_of(exported(pack, form), form)
    assert json.loads(exported(scoped, "json"))["run"]["filters"] == filters
