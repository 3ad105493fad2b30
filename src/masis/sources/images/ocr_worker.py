"""Reads the text of images in a separate process: `python -P -B -m masis.sources.images.ocr_worker [PAGE …]`.

The picture comes on standard input; with page numbers it is a PDF, whose pages are drawn first. It answers in JSON
lines: {"page", "text"} for each page, and at the end {"done": true} or {"refused": why}.
"""

import importlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from masis.sources.sandbox import confinement

MEMORY_BYTES = 3 << 30
"""The models and OpenCV take 0.5 GB, a large scan another."""
PAGE_SECONDS = 120
"""CPU seconds per page; a dense page takes 10 to 20."""
MAX_PIXELS = 100_000_000
_DOTS_AN_INCH = 200
_POINTS_AN_INCH = 72
_SAME_LINE = 0.6
"""Boxes whose centres are closer than this share of their height are on one line."""

Box = tuple[float, float, float, str]
"""Left edge, vertical centre, height, text."""


def main() -> None:
    numbers = [int(argument) for argument in sys.argv[1:]]
    data = sys.stdin.buffer.read()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Whatever a library prints must not get between the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    engine = _engine()
    confinement.leave_network()
    confinement.confine(MEMORY_BYTES, len(data), PAGE_SECONDS * (len(numbers) + 1))
    try:
        for page, picture in _pictures(data, numbers):
            print(json.dumps({"page": page, "text": _text(engine, picture)}), file=answers, flush=True)
        last: dict[str, object] = {"done": True}
    except MemoryError:
        last = {"refused": "needs more memory than reading one file may use"}
    except Exception as error:  # whatever a library raises on a damaged picture
        last = {"refused": "cannot be read as a picture", "detail": f"{type(error).__name__}: {error}"}
    print(json.dumps(last), file=answers, flush=True)


def _engine() -> Any:
    """The engine with its models loaded by one tiny picture: afterwards no file may be opened."""
    import numpy as np

    settings = {
        "Global.log_level": "critical",
        # Its detection of upside-down lines is wrong for every second long line of small print.
        "Global.use_cls": False,
        # More than one thread would spin while waiting and use up the time that a page may take.
        "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    }
    engine = importlib.import_module("rapidocr").RapidOCR(params=settings)
    blank = np.full((64, 256, 3), 255, dtype=np.uint8)
    blank[24:40, 32:224] = 0
    engine(blank)
    return engine


def _pictures(data: bytes, numbers: Sequence[int]) -> Iterator[tuple[int, Any]]:
    if not numbers:
        _allow_a_page()
        yield 1, _decoded(data)
        return
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    for number in numbers:
        _allow_a_page()
        page = document[number - 1]
        scale = min(_DOTS_AN_INCH / _POINTS_AN_INCH, (MAX_PIXELS / (page.get_width() * page.get_height())) ** 0.5)
        yield number, page.render(scale=scale).to_numpy()[:, :, :3]


def _allow_a_page() -> None:
    """Extends the CPU limit: recognising a page takes longer than any parser's step."""
    with suppress(OSError, ImportError, ValueError):
        import resource

        used, ceiling = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]), resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (min(int(used) + PAGE_SECONDS, ceiling), ceiling))


def _decoded(data: bytes) -> Any:
    """The picture as an RGB array; transparent areas become white."""
    import io

    import numpy as np
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = MAX_PIXELS // 2  # PIL refuses twice as many
    with Image.open(io.BytesIO(data)) as picture:
        coloured = picture.convert("RGBA")
    page = Image.new("RGBA", coloured.size, "white")
    page.alpha_composite(coloured)
    return np.asarray(page.convert("RGB"))


def _text(engine: Any, picture: Any) -> str:
    found = engine(picture)
    if found.txts is None:
        return ""
    boxes = [_box(corners, text) for corners, text in zip(found.boxes, found.txts, strict=True)]
    return "\n".join("  ".join(text for *_, text in line) for line in lines_of(boxes))


def _box(corners: Any, text: str) -> Box:
    across, down = [float(x) for x, _ in corners], [float(y) for _, y in corners]
    return min(across), sum(down) / len(down), max(down) - min(down), text


def lines_of(boxes: Sequence[Box]) -> list[list[Box]]:
    """Sorts boxes top to bottom and each line left to right, so that the cells of a row stay together."""
    lines: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: box[1]):
        _, middle, height, _ = box
        if lines and abs(middle - lines[-1][-1][1]) < _SAME_LINE * min(height, lines[-1][-1][2]):
            lines[-1].append(box)
        else:
            lines.append([box])
    return [sorted(line) for line in lines]


if __name__ == "__main__":
    main()
