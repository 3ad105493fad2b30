import json

import pytest

from masis.errors import UnreadableFile
from masis.sources.data.data_files import parse_json, parse_notebook, parse_xml
from tests.sources.files import bare


def json_text(value: object, name: str = "a.json") -> str:
    return parse_json(json.dumps(value, ensure_ascii=False).encode(), name).text


def test_each_leaf_with_its_path() -> None:
    value = {"name": "Ann", "address": {"city": "Köln", "zip": 50667}, "tags": ["a", "b"], "none": None, "ok": True}
    assert json_text(value) == "name: Ann\naddress.city: Köln\naddress.zip: 50667\ntags: a, b\nok: true"


def test_flat_records_are_a_table() -> None:
    value = {"title": "Sales", "years": [{"year": 2024, "sales": 5.5}, {"year": 2025, "sales": None, "note": "est."}]}
    document = parse_json(json.dumps(value).encode(), "a.json")
    assert bare(document.text) == "title: Sales\n\nyears:\nyear | sales | note\n2024 | 5.5 | \n2025 |  | est."
    assert document.title == "Sales"


def test_records_with_long_texts_are_paragraphs() -> None:
    long = "word " * 60
    assert json_text([{"id": 1, "text": long}, {"id": 2, "text": "short"}]) == (
        f"id: 1\ntext: {long.strip()}\n\nid: 2\ntext: short"
    )


def test_lists_in_lists() -> None:
    assert json_text({"m": [[1, 2], [3]]}) == "m[1]: 1, 2\n\nm[2]: 3"
    assert json_text("alone") == "alone"


def test_json_lines_whatever_their_name() -> None:
    data = b'{"year": 2024, "sales": 5}\n\n{"year": 2025, "sales": 6}\n'
    assert (
        bare(parse_json(data, "a.jsonl").text)
        == bare(parse_json(data, "a.json").text)
        == "year | sales\n2024 | 5\n2025 | 6"
    )


def test_a_broken_line_is_named_and_the_others_are_read() -> None:
    document = parse_json(b'{"a": 1}\n{"a": \n{"a": 3}', "a.jsonl")
    assert document.text == "a\n1\n3"
    assert document.notes == ["Not valid JSON and left out: line 2."]


def test_broken_json_says_where() -> None:
    with pytest.raises(UnreadableFile, match="line 3, column 1") as error:
        parse_json(b'{\n"a": 1,\n', "a.json")
    assert ".txt" in error.value.advice
    with pytest.raises(UnreadableFile, match="line 1 is not valid"):
        parse_json(b"nothing\nof the kind", "a.jsonl")


@pytest.mark.parametrize("depth", [900, 100_000])
def test_json_deeper_than_the_stack(depth: int) -> None:
    with pytest.raises(UnreadableFile, match="deeper"):
        parse_json(b"[" * depth + b"{}" + b"]" * depth, "a.json")


def test_xml_records_alike_are_a_table() -> None:
    data = (
        "<factbook><country><name>Canada</name><capital>Ottawa</capital></country>"
        "<country><name>Trinidad &amp; Tobago</name><capital>Port of Spain</capital></country></factbook>"
    )
    assert bare(parse_xml(data.encode("utf-16"), "a.xml").text) == (
        "factbook\ncountry:\nname | capital\nCanada | Ottawa\nTrinidad & Tobago | Port of Spain"
    )


def test_xml_elements_by_their_names() -> None:
    data = b'<order id="7"><customer vip="yes">Ann</customer>loose<item>Two <b>red</b> pens</item><empty/></order>'
    assert parse_xml(data, "a.xml").text == "order (id=7)\ncustomer (vip=yes): Ann\nloose\nitem: Two red pens"


ARTICLE = """<!DOCTYPE article SYSTEM "http://127.0.0.1:1/x.dtd"><article><front><journal-meta><p>no</p></journal-meta>
<article-meta><title-group><article-title>On <italic>ducks</italic></article-title></title-group>
<contrib-group><contrib><name><surname>Doe</surname><given-names>Jo</given-names></name></contrib></contrib-group>
<pub-date pub-type="epub"><day>4</day><month>5</month><year>2021</year></pub-date>
<abstract><p>Short&nbsp;words.</p></abstract></article-meta></front>
<body><sec><title>Methods</title><p>We counted<list><list-item><p>eggs</p></list-item></list>often.</p>
<sec><title>Data</title><table-wrap><caption><p>Eggs.</p></caption><table><tr><th rowspan="2">A</th><th>B</th></tr>
<tr><td>2</td></tr></table></table-wrap></sec></sec></body></article>"""


def test_an_article_in_xml() -> None:
    document = parse_xml(ARTICLE.encode(), "a.nxml")
    assert bare(document.text) == (
        "# On ducks\n\nJo Doe\n\n## Abstract\n\nShort\u00a0words.\n\n## Methods\n\nWe countedoften.\n\n- eggs\n\n"
        "### Data\n\nEggs.\n\nA | B\nA | 2"
    ).replace("countedoften", "counted often").replace("\u00a0", " ")
    assert (document.title, document.date) == ("On ducks", "2021-05-04")


def test_entities_are_not_expanded_and_nothing_is_fetched() -> None:
    entities = '<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/hostname">'
    bomb = f"<!DOCTYPE x [{entities}]><x><y>1 &b; &f; 2</y></x>"
    assert parse_xml(bomb.encode(), "a.xml").text == "x\ny: 1 &b; &f; 2"


def test_xml_cut_off_is_read_as_far_as_it_goes_and_says_so() -> None:
    document = parse_xml(b"<a><b>first</b><c>sec", "a.xml")
    assert document.text == "a\nb: first\nc: sec"
    assert "line 1" in document.notes[0]


def test_a_page_named_xml_is_a_page() -> None:
    assert parse_xml(b"<html><body><h1>Hi</h1><p>There</p></body></html>", "a.xml").text == "# Hi\n\nThere"


@pytest.mark.parametrize("data", [b"<a>" * 400 + b"x" + b"</a>" * 400, b"not xml", b"<"])
def test_xml_that_is_none(data: bytes) -> None:
    with pytest.raises(UnreadableFile):
        parse_xml(data, "a.xml")


def test_a_notebook() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Ducks\n", "Some **bold** words."]},
        {
            "cell_type": "code",
            "source": "print(1)",
            "outputs": [
                {"output_type": "stream", "text": ["1\n"]},
                {"data": {"text/plain": "'x'", "image/png": "AAAA"}},
                {"traceback": ["\x1b[31mError\x1b[0m"]},
            ],
        },
        {"cell_type": "raw", "source": "raw"},
    ]
    document = parse_notebook(json.dumps({"cells": cells}).encode(), "a.ipynb")
    assert document.text == "# Ducks\nSome bold words.\n\n```\nprint(1)\n```\n1\n\n'x'\nError\n\nraw"
    assert document.title == "Ducks"


@pytest.mark.parametrize("data", [b"{}", b"[]", b'{"cells": [1]}', b"{", b'{"cells": 5}'])
def test_damaged_notebooks(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="damaged"):
        parse_notebook(data, "a.ipynb")
