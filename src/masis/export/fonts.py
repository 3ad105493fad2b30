"""Which letters the PDF can show: a font of this machine where there is a wide one, else the one of the library."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "/System/Library/Fonts", "C:/Windows/Fonts")
_FAMILIES = (
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
    ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
    ("Arial Unicode.ttf", "Arial Unicode.ttf"),
    ("arial.ttf", "arialbd.ttf"),
)
MISSING = "\u25af"
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")


@dataclass(frozen=True)
class Fonts:
    regular: str
    bold: str
    has: frozenset[int]
    """The characters that both can show."""

    def shown(self, text: str) -> str:
        """A character that the font does not have stands as an empty box, or as a question mark."""
        box = MISSING if ord(MISSING) in self.has else "?"
        composed = unicodedata.normalize("NFC", text)
        return "".join(c if c in "\n\t" or ord(c) in self.has else box for c in composed)

    def shortcomings(self, text: str) -> str | None:
        """What a reader should know of this text in these fonts."""
        if _RIGHT_TO_LEFT.search(text):
            return "Text that is written from right to left is not set properly here; the HTML and DOCX forms have it."
        if self.shown(text) != unicodedata.normalize("NFC", text):
            return "Characters that the font lacks stand as empty boxes here; the HTML and DOCX forms have them."
        return None


@cache
def fonts() -> Fonts:
    """Found and loaded once: the library keeps fonts for the process anyway."""
    for regular, bold in _FAMILIES:
        for folder in _FOLDERS:
            found = next(Path(folder).rglob(regular), None) if Path(folder).is_dir() else None
            if found and (found.parent / bold).is_file():
                return _loaded(found, found.parent / bold)
    import reportlab

    own = Path(reportlab.__file__).parent / "fonts"
    return _loaded(own / "Vera.ttf", own / "VeraBd.ttf")


def _loaded(regular: Path, bold: Path) -> Fonts:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    faces: list[Any] = [TTFont("masis", str(regular)), TTFont("masis-bold", str(bold))]
    for face in faces:
        pdfmetrics.registerFont(face)
    pdfmetrics.registerFontFamily("masis", normal="masis", bold="masis-bold", italic="masis", boldItalic="masis-bold")
    shared = set.intersection(*(set(face.face.charToGlyph) for face in faces))
    return Fonts("masis", "masis-bold", frozenset(shared))
