import pytest

from masis.errors import UnreadableFile
from masis.sources.office.presentation import parse_presentation
from tests.sources.files import bare
from tests.sources.packages import relations, zip_of

NAMES = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)


def paragraphs(*texts: str) -> str:
    return "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)


def shape(*texts: str, placeholder: str | None = None) -> str:
    mark = f"<p:ph {placeholder}/>" if placeholder is not None else ""
    return (
        f"<p:sp><p:nvSpPr><p:cNvPr/><p:nvPr>{mark}</p:nvPr></p:nvSpPr><p:txBody>{paragraphs(*texts)}</p:txBody></p:sp>"
    )


def slide(*shapes: str, root: str = "sld") -> str:
    return f"<p:{root} {NAMES}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:{root}>"


def pptx_of(*slides: str, **others: str) -> bytes:
    listed = "".join(f'<p:sldId id="{255 + index}" r:id="r{index}"/>' for index in range(1, len(slides) + 1))
    links = [(f"r{index}", "slide", f"slides/slide{index}.xml") for index in range(1, len(slides) + 1)]
    parts = {
        "ppt/presentation.xml": f"<p:presentation {NAMES}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(*links),
        **{f"ppt/slides/slide{index}.xml": each for index, each in enumerate(slides, start=1)},
    }
    return zip_of(parts | others)


def test_slides_are_pages_with_their_title_first() -> None:
    first = slide(
        shape("Growth was 18 %.", "APAC led.", placeholder='type="body"'),
        shape("Q3 Revenue", placeholder='type="title"'),
        shape("3", placeholder='type="sldNum"'),
        shape("A note in a box"),
    )
    document = parse_presentation(pptx_of(first, slide(shape("Second"))), "a.pptx")
    assert document.title == "Q3 Revenue"
    assert [(page.number, page.label, page.text) for page in document.pages] == [
        (1, "slide 1", "# Q3 Revenue\n\n- Growth was 18 %.\n- APAC led.\n\nA note in a box"),
        (2, "slide 2", "Second"),
    ]


def test_items_say_how_far_inside_they_are_and_their_number() -> None:
    body = "".join(
        f"<a:p><a:pPr{level}>{mark}</a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>"
        for text, level, mark in [
            ("Plan", "", '<a:buAutoNum type="arabicPeriod"/>'),
            ("costs", ' lvl="1"', ""),
            ("Do", "", '<a:buAutoNum type="arabicPeriod"/>'),
        ]
    )
    listed = f'<p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:txBody>{body}</p:txBody></p:sp>'
    assert parse_presentation(pptx_of(slide(listed)), "a.pptx").text == "1. Plan\n  - costs\n2. Do"


def test_shapes_are_read_from_the_top_and_from_the_left() -> None:
    def placed(text: str, x: int, y: int) -> str:
        place = f'<p:spPr><a:xfrm><a:off x="{x}" y="{y}"/></a:xfrm></p:spPr><p:txBody>'
        return shape(text).replace("<p:txBody>", place)

    shapes = [placed("below", 0, 2_000_000), placed("right", 3_000_000, 10_000), placed("left", 0, 60_000)]
    assert parse_presentation(pptx_of(slide(*shapes)), "a.pptx").text == "left\n\nright\n\nbelow"
    drawn = [*shapes, shape("nowhere")]
    assert parse_presentation(pptx_of(slide(*drawn)), "a.pptx").text == "below\n\nright\n\nleft\n\nnowhere"


def test_groups_and_alternatives_are_read_once() -> None:
    choices = f"<mc:Choice>{shape('new')}</mc:Choice><mc:Fallback>{shape('old')}</mc:Fallback>"
    both = f"<mc:AlternateContent>{choices}</mc:AlternateContent>"
    data = pptx_of(slide(f"<p:grpSp>{shape('inner')}<p:grpSp>{shape('deeper')}</p:grpSp></p:grpSp>", both))
    assert parse_presentation(data, "a.pptx").text == "inner\n\ndeeper\n\nnew"


def test_a_table_is_rows() -> None:
    def cell(text: str, attributes: str = "") -> str:
        return f"<a:tc{attributes}><a:txBody>{paragraphs(text)}</a:txBody></a:tc>"

    rows = [
        cell("Region") + cell("City"),
        cell("Europe", ' rowSpan="2"') + cell("Bonn"),
        cell("", ' vMerge="1"') + cell("Rome"),
    ]
    table = "".join(f"<a:tr>{row}</a:tr>" for row in rows)
    frame = (
        f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{table}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )
    assert (
        bare(parse_presentation(pptx_of(slide(frame)), "a.pptx").text) == "Region | City\nEurope | Bonn\nEurope | Rome"
    )


def test_a_chart_is_the_table_it_was_drawn_from() -> None:
    def points(name: str, *values: str) -> str:
        listed = "".join(f'<c:pt idx="{index}"><c:v>{value}</c:v></c:pt>' for index, value in enumerate(values))
        return f"<c:{name}><c:strCache>{listed}</c:strCache></c:{name}>"

    series = points("tx", "Sales") + points("cat", "2024", "2025") + points("val", "5", "6.3000000000000007")
    chart = f"<c:chartSpace {NAMES}><c:title>{paragraphs('By year')}</c:title><c:ser>{series}</c:ser></c:chartSpace>"
    frame = (
        '<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="c1"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    others = {
        "ppt/slides/_rels/slide1.xml.rels": relations(("c1", "chart", "../charts/chart1.xml")),
        "ppt/charts/chart1.xml": chart,
    }
    text = parse_presentation(pptx_of(slide(frame), **others), "a.pptx").text
    assert bare(text) == "Chart: By year\n | Sales\n2024 | 5\n2025 | 6.3"


def test_speaker_notes_are_marked_as_notes() -> None:
    others = {
        "ppt/slides/_rels/slide1.xml.rels": relations(("n1", "notesSlide", "../notesSlides/notesSlide1.xml")),
        "ppt/notesSlides/notesSlide1.xml": slide(
            shape("Say it slowly.", placeholder='type="body"'), shape("1", placeholder='type="sldNum"'), root="notes"
        ),
    }
    assert parse_presentation(pptx_of(slide(shape("On the slide")), **others), "a.pptx").text == (
        "On the slide\n\nNotes: Say it slowly."
    )


def test_slides_are_found_without_their_list() -> None:
    data = zip_of({f"ppt/slides/slide{index}.xml": slide(shape(f"s{index}")) for index in (10, 2, 1)})
    assert [page.text for page in parse_presentation(data, "a.pptx").pages] == ["s1", "s2", "s10"]


def test_a_damaged_slide_is_named_and_the_others_are_read() -> None:
    document = parse_presentation(pptx_of(slide(shape("good")), ""), "a.pptx")
    assert document.text == "good"
    assert document.notes == ["Slide 2 is damaged and was left out."]


@pytest.mark.parametrize("data", [b"PK\x03\x04 cut", zip_of({"ppt/presentation.xml": "<p"}), pptx_of("")])
def test_damaged_presentations(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="damaged") as error:
        parse_presentation(data, "a.pptx")
    assert "save it again" in error.value.advice


def test_an_entity_is_not_expanded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>' + slide(shape("before &b; after"))
    text = parse_presentation(pptx_of(bomb), "a.pptx").text
    assert "haha" not in text


def test_nesting_deeper_than_the_stack() -> None:
    deep = slide("<p:grpSp>" * 300 + shape("x") + "</p:grpSp>" * 300)
    with pytest.raises(UnreadableFile):
        parse_presentation(pptx_of(deep), "a.pptx")
