"""Pages of documents: where they begin, and as pictures with the cited words under the marks."""

import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import httpx
import pypdfium2
import pytest

from masis.api.routes.sample import sample_documents
from masis.errors import UnreadableFile
from masis.settings import Settings
from masis.sources.pdf.page_image import Box, Wanted, skeleton_of
from masis.sources.sandbox.pool import Sandbox
from tests.api.live import serving
from tests.sources.files import pdf_of
from tests.sources.hostile import pdf_bomb

REPORT = next(path for path in sample_documents() if path.suffix == ".pdf")
WIDTH = 600


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with serving(Settings(home=tmp_path_factory.mktemp("pages"))) as service, service.client() as client:
        files = [
            ("files", ("report.pdf", REPORT.read_bytes())),
            ("files", ("notes.md", b"# Notes\n\nRevenue rose.")),
            ("files", ("accents.pdf", pdf_of("Caf\u00e9 revenue rose.", "Again: revenue rose.", None, "The end."))),
        ]
        client.post("/masis/workspaces/acme/documents?wait=true", files=files).raise_for_status()
        yield client


@pytest.fixture(scope="module")
def documents(client: httpx.Client) -> dict[str, str]:
    items = client.get("/masis/workspaces/acme/documents").json()["items"]
    return {each["file_name"]: f"/masis/workspaces/acme/documents/{each['document_id']}" for each in items}


def boxes_of(png: bytes) -> list[Box]:
    """The bounds of what is marked, a box for each line, as fractions of the picture."""
    width, height, rows = pixels_of(png)
    marked = [[x for x in range(width) if row[3 * x] > 200 and row[3 * x + 2] < 0.6 * row[3 * x]] for row in rows]
    boxes: list[Box] = []
    start = None
    for y in range(height + 1):
        columns = marked[y] if y < height else []
        if columns and start is None:
            start = y
        elif not columns and start is not None:
            among = [x for line in marked[start:y] for x in line]
            boxes.append((min(among) / width, start / height, max(among) / width, y / height))
            start = None
    return boxes


def pixels_of(png: bytes) -> tuple[int, int, list[bytes]]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    size = struct.unpack(">I", png[33:37])[0]
    raw = zlib.decompress(png[41 : 41 + size])
    return width, height, [raw[n * (width * 3 + 1) + 1 : (n + 1) * (width * 3 + 1)] for n in range(height)]


def text_under(data: bytes, page: int, boxes: list[Box] | tuple[Box, ...]) -> str:
    """What pdfium itself finds inside the boxes."""
    sheet = pypdfium2.PdfDocument(BytesIO(data))[page - 1]
    across, down = sheet.get_size()
    words = sheet.get_textpage()
    return " ".join(
        words.get_text_bounded(
            left=box[0] * across, right=box[2] * across, top=(1 - box[1]) * down, bottom=(1 - box[3]) * down
        )
        for box in boxes
    )


def place_of(client: httpx.Client, document: str, words: str, occurrence: int = 0) -> dict[str, Any]:
    told = client.get(f"{document}/text").json()
    start = -1
    for _ in range(occurrence + 1):
        start = told["text"].index(words, start + 1)
    page = next(page for page in told["pages"] if page["start"] <= start < page["end"])
    return {"number": page["number"], "span": {"start": start, "end": start + len(words), "width": WIDTH}}


@pytest.mark.parametrize(
    "words",
    [
        "Customer churn in fiscal 2025 was 7.4%, measured as the share of customers at the start of the year",
        "Revenue by region",
        "Europe | 56.6 | 62.8 | 11.0%",
    ],
)
def test_the_marks_cover_the_words(client: httpx.Client, documents: dict[str, str], words: str) -> None:
    place = place_of(client, documents["report.pdf"], words)
    answer = client.get(f"{documents['report.pdf']}/pages/{place['number']}.png", params=place["span"])
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert answer.headers["vary"] == "Cookie"
    assert int(answer.headers["x-marks"]) >= 1
    found = text_under(REPORT.read_bytes(), place["number"], boxes_of(answer.content))
    assert skeleton_of(words).text in skeleton_of(found).text
    marks = client.get(f"{documents['report.pdf']}/pages/{place['number']}/marks", params=place["span"]).json()
    assert len(marks) == int(answer.headers["x-marks"])
    told = [(each["left"], each["top"], each["right"], each["bottom"]) for each in marks]
    assert skeleton_of(words).text in skeleton_of(text_under(REPORT.read_bytes(), place["number"], told)).text


def test_of_the_same_words_twice_the_cited_ones_are_marked(client: httpx.Client, documents: dict[str, str]) -> None:
    document = documents["accents.pdf"]
    images = []
    for occurrence in (0, 1):
        place = place_of(client, document, "revenue rose.", occurrence)
        images.append(boxes_of(client.get(f"{document}/pages/1.png", params=place["span"]).content))
    (first,), (second,) = images
    assert first[3] <= second[1]


def test_every_sentence_of_the_sample_is_found_on_its_page() -> None:
    data = REPORT.read_bytes()
    sandbox = Sandbox(Settings(parse_processes=1))
    for page in sandbox.parse(data, "report.pdf").pages:
        lines = [line for line in page.text.split("\n") if skeleton_of(line).text]
        at = page.text.index(lines[len(lines) // 2])
        words = skeleton_of(lines[len(lines) // 2]).text
        wanted = Wanted(page.number, 300, words, len(skeleton_of(page.text[:at]).text))
        image = sandbox.draw_page(data, "report.pdf", wanted)
        assert words in skeleton_of(text_under(data, page.number, image.boxes)).text
    sandbox.close()


@pytest.mark.parametrize("span", [{}, {"start": 5}, {"start": 9, "end": 3}, {"start": 10**6, "end": 10**6 + 9}])
def test_a_page_without_words_to_mark_comes_unmarked(
    client: httpx.Client, documents: dict[str, str], span: dict[str, int]
) -> None:
    answer = client.get(f"{documents['report.pdf']}/pages/1.png", params={**span, "width": WIDTH})
    assert (answer.status_code, answer.headers["x-marks"]) == (200, "0")
    assert client.get(f"{documents['report.pdf']}/pages/1/marks", params={**span, "width": WIDTH}).json() == []
    assert pixels_of(answer.content)[0] == WIDTH


@pytest.mark.parametrize(("width", "status"), [(199, 422), (200, 200), (2000, 200), (2001, 422)])
def test_a_picture_is_as_wide_as_asked_within_bounds(
    client: httpx.Client, documents: dict[str, str], width: int, status: int
) -> None:
    answer = client.get(f"{documents['accents.pdf']}/pages/2.png", params={"width": width})
    assert answer.status_code == status
    assert status != 200 or pixels_of(answer.content)[0] == width


def test_what_has_no_pictures_is_not_found(client: httpx.Client, documents: dict[str, str]) -> None:
    for address in (
        f"{documents['notes.md']}/pages/1.png",
        f"{documents['report.pdf']}/pages/999.png",
        f"{documents['notes.md']}/pages/1/marks",
    ):
        answer = client.get(address)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_pages_say_where_they_begin_and_one_can_be_read_alone(client: httpx.Client, documents: dict[str, str]) -> None:
    whole = client.get(f"{documents['report.pdf']}/text").json()
    pages = client.get(f"{documents['report.pdf']}/pages").json()
    assert pages == whole["pages"]
    second = client.get(f"{documents['report.pdf']}/text", params={"page": 2}).json()
    assert second["text"] == whole["text"][second["start"] : second["end"]]
    assert second["pages"] == [pages[1]]
    assert client.get(f"{documents['report.pdf']}/text", params={"page": 999}).status_code == 404


def test_a_picture_that_was_drawn_is_kept(client: httpx.Client, documents: dict[str, str]) -> None:
    address = f"{documents['report.pdf']}/pages/2.png?width=333"
    assert client.get(address).content == client.get(address).content


def test_a_hostile_page_costs_its_own_process_only() -> None:
    sandbox = Sandbox(Settings(parse_processes=1, parse_seconds=2))
    with pytest.raises(UnreadableFile, match="limits of memory and time"):
        sandbox.draw_page(pdf_bomb(20), "bomb.pdf", Wanted(1, 2000))
    with pytest.raises(UnreadableFile):
        sandbox.draw_page(b"%PDF-1.7\nnothing\n%%EOF", "broken.pdf", Wanted(1, 2000))
    assert sandbox.draw_page(pdf_of("Revenue rose."), "good.pdf", Wanted(1, 200, "rose", 7)).boxes
    sandbox.close()


def test_a_long_strip_of_paper_does_not_fill_the_memory() -> None:
    document = pypdfium2.PdfDocument.new()
    document.new_page(100, 14_000)
    written = BytesIO()
    document.save(written)
    sandbox = Sandbox(Settings(parse_processes=1))
    image = sandbox.draw_page(written.getvalue(), "strip.pdf", Wanted(1, 2000))
    assert image.width * image.height <= 8_100_000
    sandbox.close()
