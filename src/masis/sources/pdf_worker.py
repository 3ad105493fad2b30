"""Reads one PDF in a process of its own, since hostile files drive pdfium to gigabytes or abort it.

Run as a file, without the rest of MASIS: `python -P pdf_worker.py < FILE`. Answers in JSON lines: a page each
{"lines": [[font size, text], …]}, at the end {"pages": n} or {"error": one of pdf.py's, "detail": …}.
"""

import json
import sys
from typing import Any

MEMORY_BYTES = 1 << 30
CPU_SECONDS_A_PAGE = 20
CPU_SECONDS = 600
MAX_CHARACTERS = 100_000_000


def main() -> None:
    data = sys.stdin.buffer.read()
    _limit_memory(MEMORY_BYTES + 2 * len(data))
    _allow_cpu()
    import pypdfium2

    try:
        _write_pages(pypdfium2.PdfDocument(data))
    except pypdfium2.PdfiumError as error:
        _write({"error": "password" if "assword" in str(error) else "damaged", "detail": str(error)})


def _write_pages(document: Any) -> None:
    characters = 0
    for page in document:
        _allow_cpu()
        lines = _lines(page.get_textpage())
        characters += sum(len(text) for _, text in lines)
        if characters > MAX_CHARACTERS:
            _write({"error": "too long", "detail": f"more than {MAX_CHARACTERS} characters"})
            return
        _write({"lines": lines})
    _write({"pages": len(document)})


def _lines(textpage: Any) -> list[tuple[float, str]]:
    from pypdfium2 import raw

    lines, start = [], 0
    for text in textpage.get_text_range().split("\r\n"):
        index = raw.FPDFText_GetCharIndexFromTextIndex(textpage, start)
        lines.append((round(raw.FPDFText_GetFontSize(textpage, max(index, 0)), 1), text))
        start += len(text) + 2
    return lines


def _limit_memory(limit: int) -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ImportError, ValueError, OSError):
        return  # not on every system; the time limits still hold


def _allow_cpu() -> None:
    """Each page may use its seconds: a long report is not a hostile file."""
    try:
        import resource

        used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        soft = min(int(used) + CPU_SECONDS_A_PAGE, CPU_SECONDS)
        resource.setrlimit(resource.RLIMIT_CPU, (soft, CPU_SECONDS))
    except (ImportError, ValueError, OSError):
        return


def _write(record: dict[str, object]) -> None:
    print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
