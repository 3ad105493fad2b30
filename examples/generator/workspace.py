"""The files of the sample workspace, by name."""

from datetime import datetime
from pathlib import Path

from examples.generator import tables
from examples.generator.markup import read_blocks
from examples.generator.pdf import write_pdf
from examples.generator.text import write_html, write_text
from examples.generator.word import write_docx
from examples.generator.wording import vocabulary

TEMPLATES = Path(__file__).parent / "templates"
WORKSPACE = Path(__file__).parents[1] / "tolmerick"

MARKDOWN = ("post-mortem-gateway-outage", "risk-register", "strategy-2026-2028")
HTML = ("investor-faq", "press-release-2026-01")
MEMO_WRITTEN = datetime(2026, 2, 24, 9, 0)


def documents() -> dict[str, bytes]:
    """Each file's bytes; the same on every run."""
    words = vocabulary()
    filled = {path.stem: path.read_text("utf-8").format_map(words) for path in sorted(TEMPLATES.glob("*.md"))}
    blocks = {name: read_blocks(text) for name, text in filled.items()}
    memo = "board-memo-2026-02"
    return {
        "annual-report-2025.pdf": write_pdf(blocks["annual-report-2025"], "Tolmerick Instruments"),
        f"{memo}.docx": write_docx(blocks[memo], "Adaeze Brightwell", MEMO_WRITTEN),
        **{f"{name}.md": filled[name].encode() for name in MARKDOWN},
        **{f"{name}.html": write_html(blocks[name]).encode() for name in HTML},
        "customer-call-havenmoor.txt": write_text(blocks["customer-call-havenmoor"]).encode(),
        "quarterly-figures.csv": tables.quarterly_csv().encode(),
    }


def write_documents(folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, data in documents().items():
        path = folder / name
        path.write_bytes(data)
        written.append(path)
    return written
