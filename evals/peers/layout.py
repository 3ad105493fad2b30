"""Tables as pdfplumber and pdf_oxide read them; runs in the peers' own environment: `python layout.py FOLDER`."""

import json
import re
import sys
from pathlib import Path
from typing import Any


def plumber_tables(path: Path) -> list[list[list[str]]]:
    import pdfplumber

    with pdfplumber.open(path) as pdf:
        found = [table for page in pdf.pages for table in page.extract_tables()]
        if not found:
            by_text = {"vertical_strategy": "text", "horizontal_strategy": "text"}
            found = [table for page in pdf.pages for table in page.extract_tables(by_text)]
    return [[[cell or "" for cell in row] for row in table] for table in found]


def oxide_tables(path: Path) -> list[list[list[str]]]:
    import pdf_oxide

    document: Any = pdf_oxide.PdfDocument(str(path))
    tables: list[list[list[str]]] = []
    for page in range(document.page_count()):
        is_open = False
        for line in document.to_markdown(page).splitlines():
            if not line.startswith("|"):
                is_open = False
            elif not re.fullmatch(r"[|\s:-]+", line):
                if not is_open:
                    tables.append([])
                is_open = True
                tables[-1].append([cell.strip().strip("*") for cell in line.strip().strip("|").split("|")])
    return tables


def main() -> None:
    files = sorted(Path(sys.argv[1]).glob("*.pdf"))
    answers: dict[str, Any] = {}
    for name, read, package in (("pdfplumber", plumber_tables, "pdfplumber"), ("pdf_oxide", oxide_tables, "pdf_oxide")):
        try:
            __import__(package)
        except ImportError:
            continue
        answers[name] = [_safely(read, file) for file in files]
    print(json.dumps(answers))


def _safely(read: Any, file: Path) -> list[list[list[str]]]:
    try:
        result: list[list[list[str]]] = read(file)
    except Exception as error:
        sys.stderr.write(f"{file.name}: {error}\n")
        return []
    return result


if __name__ == "__main__":
    main()
