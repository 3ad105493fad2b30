import pytest

from masis.errors import UnreadableFile
from masis.sources.markup.ebook import parse_ebook
from tests.sources.packages import zip_of

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
OPF = (
    '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>A Book</dc:title>'
    "<dc:date>2021-05-04T10:00</dc:date>"
    '</metadata><manifest><item id="one" href="ch%201.xhtml" media-type="application/xhtml+xml"/>'
    '<item id="two" href="ch2.xhtml" media-type="application/xhtml+xml"/>'
    '<item id="toc" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>'
    '<spine><itemref idref="two"/><itemref idref="one"/></spine></package>'
)
NCX = (
    "<ncx><navMap><navPoint><navLabel><text>Opening</text></navLabel>"
    '<content src="ch2.xhtml#start"/></navPoint></navMap></ncx>'
)
CHAPTER = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{}</body></html>'
PARTS = {
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": OPF,
    "OEBPS/toc.ncx": NCX,
    "OEBPS/ch 1.xhtml": CHAPTER.format("<h1>Last</h1><p>The end.</p>"),
    "OEBPS/ch2.xhtml": CHAPTER.format("<p>It began<a id='x'/> here.</p>"),
}


def test_chapters_in_the_order_of_reading() -> None:
    document = parse_ebook(zip_of(PARTS), "a.epub")
    assert [(page.number, page.label, page.text) for page in document.pages] == [
        (1, "chapter Opening", "It began here."),
        (2, "chapter Last", "# Last\n\nThe end."),
    ]
    assert (document.title, document.date) == ("A Book", "2021-05-04")


def test_a_missing_chapter_is_named() -> None:
    document = parse_ebook(zip_of({name: part for name, part in PARTS.items() if "ch2" not in name}), "a.epub")
    assert [page.label for page in document.pages] == ["chapter Last"]
    assert document.notes == ["Chapter 1 is missing or damaged and was left out."]


def test_a_protected_book() -> None:
    locked = {"META-INF/encryption.xml": '<encryption><EncryptionMethod Algorithm="aes128-cbc"/></encryption>'}
    with pytest.raises(UnreadableFile, match="encrypted"):
        parse_ebook(zip_of(PARTS | locked), "a.epub")


def test_hidden_fonts_hide_no_text() -> None:
    fonts = '<encryption><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/></encryption>'
    assert parse_ebook(zip_of(PARTS | {"META-INF/encryption.xml": fonts}), "a.epub").pages


@pytest.mark.parametrize(
    "data", [b"PK\x03\x04", zip_of({"x": ""}), zip_of({"META-INF/container.xml": CONTAINER}), zip_of({"b.opf": OPF})]
)
def test_damaged_books(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="damaged"):
        parse_ebook(data, "a.epub")
