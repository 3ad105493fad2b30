"""Books (EPUB): one page per chapter, in reading order."""

import re
from collections.abc import Iterator

from masis.errors import UnreadableFile
from masis.sources.data.xml_tree import Element, attribute, descendants, first, own_text
from masis.sources.markup.webpage import parse_webpage
from masis.sources.office.package import Package, encrypted, resolve
from masis.sources.plain import one_line
from masis.types import Page, ParsedDocument

_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_FONT_ONLY = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


def parse_ebook(data: bytes, file_name: str) -> ParsedDocument:
    package = Package(data, file_name, "a book (EPUB)")
    _refuse_protected(package)
    opf_name = _opf_name(package)
    opf = package.required_xml(opf_name)
    contents = _table_of_contents(package, opf, opf_name)
    pages, notes = [], []
    for index, part in enumerate(_chapters(opf, opf_name), start=1):
        page = _chapter(package, part, index, contents)
        if page is None:
            notes.append(f"Chapter {index} is missing or damaged and was left out.")
        elif page.text:
            pages.append(page)
    if not pages and notes:
        raise package.damaged()
    date = _DATE.match(_metadata(opf, "date") or "")
    return ParsedDocument(pages, title=_metadata(opf, "title"), date=date[0] if date else None, notes=notes)


def _refuse_protected(package: Package) -> None:
    """Hidden fonts hide no text; anything else encrypted means that the book is copy-protected."""
    root = package.xml("META-INF/encryption.xml")
    methods = [] if root is None else [attribute(each, "Algorithm") for each in descendants(root, "EncryptionMethod")]
    if any(method not in _FONT_ONLY for method in methods):
        raise encrypted(package.file_name)


def _opf_name(package: Package) -> str:
    container = package.xml("META-INF/container.xml")
    listed = [] if container is None else [attribute(root, "full-path") for root in descendants(container, "rootfile")]
    found = [name for name in (*listed, *package.names) if name in package.names and name.endswith(".opf")]
    if not found:
        raise package.damaged()
    return found[0]


def _metadata(opf: Element, name: str) -> str | None:
    found = first(opf, "metadata", name)
    return one_line(own_text(found)) or None if found is not None else None


def _chapters(opf: Element, opf_name: str) -> Iterator[str]:
    folder = opf_name.rpartition("/")[0]
    items = {attribute(item, "id"): attribute(item, "href") for item in descendants(opf, "item")}
    for reference in descendants(opf, "itemref"):
        if attribute(reference, "idref") in items:
            yield resolve(folder, items[attribute(reference, "idref")])


def _chapter(package: Package, part: str, index: int, contents: dict[str, str]) -> Page | None:
    data = package.read(part)
    try:
        chapter = parse_webpage(data, package.file_name) if data else None
    except UnreadableFile:
        chapter = None
    if chapter is None:
        return None
    return Page(index, chapter.text, label=f"chapter {contents.get(part) or chapter.title or index}")


def _table_of_contents(package: Package, opf: Element, opf_name: str) -> dict[str, str]:
    """Chapter titles by part, from the navigation of old books (NCX) and new ones (nav)."""
    titles: dict[str, list[str]] = {}
    for item in descendants(opf, "item"):
        if attribute(item, "media-type") != "application/x-dtbncx+xml" and "nav" not in attribute(item, "properties"):
            continue
        part = resolve(opf_name.rpartition("/")[0], attribute(item, "href"))
        root = package.xml(part)
        for link, title in _links(root) if root is not None else ():
            named = titles.setdefault(resolve(part.rpartition("/")[0], link), [])
            # A link into the middle of a part names a piece of it; a link to the part itself names the whole.
            named[:] = [*named, title] if "#" in link else [title] * 2 + named
    return {part: named[0] for part, named in titles.items() if len(set(named)) == 1 or named[0] == named[1]}


def _links(root: Element) -> Iterator[tuple[str, str]]:
    for point in descendants(root, "navPoint"):
        label, content = first(point, "navLabel", "text"), first(point, "content")
        if label is not None and one_line(own_text(label)):
            yield attribute(content, "src"), one_line(own_text(label))
    for anchor in descendants(root, "a"):
        if one_line(own_text(anchor)):
            yield attribute(anchor, "href"), one_line(own_text(anchor))
