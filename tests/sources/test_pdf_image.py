import io

import pypdfium2
import pytest

from masis.errors import UnreadableFile
from masis.sources.pdf.page_image import Wanted, draw_page, skeleton_of
from tests.sources.files import pdf_of

TEXT = "Customer churn was 7.4% in fiscal 2025."


def turned(degrees: int, *, cut: bool = False) -> bytes:
    document = pypdfium2.PdfDocument(pdf_of(TEXT))
    page = document[0]
    page.set_rotation(degrees)
    if cut:
        left, bottom, right, top = page.get_mediabox()
        page.set_cropbox(left + 20, bottom + 100, right - 10, top)
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_the_box_is_where_the_words_are_drawn(degrees: int, cut: bool) -> None:
    """The ink of the only line of a page lies inside the box, however the page is turned or cut."""
    data = turned(degrees, cut=cut)
    image = draw_page(data, "a.pdf", Wanted(1, 800, skeleton_of(TEXT).text))
    (box,) = image.boxes
    drawn = pypdfium2.PdfDocument(data)[0].render(scale=image.width / pypdfium2.PdfDocument(data)[0].get_width())
    pixels, stride, channels = bytes(drawn.buffer), drawn.stride, drawn.n_channels
    ink = [
        (x / drawn.width, y / drawn.height)
        for y in range(drawn.height)
        for x in range(drawn.width)
        if pixels[y * stride + x * channels] < 180
    ]
    inside = [box[0] <= x <= box[2] and box[1] <= y <= box[3] for x, y in ink]
    assert len(ink) > 50
    assert sum(inside) > 0.95 * len(inside)


def test_words_that_are_not_on_the_page_are_not_marked() -> None:
    assert draw_page(turned(0), "a.pdf", Wanted(1, 300, "nowhere")).boxes == ()


@pytest.mark.parametrize("page", [0, 2, -1])
def test_a_page_that_is_not_there_is_refused(page: int) -> None:
    with pytest.raises(UnreadableFile, match="no page"):
        draw_page(turned(0), "a.pdf", Wanted(page, 300))
