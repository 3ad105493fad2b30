"""LaTeX: sections, lists, tables and text; mathematics stays as written."""

import re
import unicodedata
from collections.abc import Callable, Iterator

from masis.sources.plain import one_line
from masis.sources.table_grid import table_row

_COMMENT = re.compile(r"(?<!\\)%.*")
_DOCUMENT = re.compile(r"\\begin\{document\}(.*?)(?:\\end\{document\}|\Z)", re.DOTALL)
_MATH_NAMES = "equation|align|gather|multline|eqnarray|displaymath|math|verbatim|lstlisting|minted"
_MATH = re.compile(
    rf"\\begin\{{(?P<name>(?:{_MATH_NAMES})\*?)\}}|(?P<display>\$\$)|(?<!\\)(?P<inline>\$)|\\(?P<bracket>\[)|\\(?P<round>\()"
)
_CLOSING = {"display": "$$", "inline": "$", "bracket": "\\]", "round": "\\)"}
_LONGEST_MATH = 5000
_LONGEST_TABLE = 50_000
_KEPT = re.compile("\ue000(\\d+)\ue001")
_BRACED = r"\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
_OPTION = r"(?:\s*\[[^\[\]]*\])?"
_SECTIONS = {
    "part": 1,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
_SECTION = re.compile(rf"\\({'|'.join(_SECTIONS)})\*?{_OPTION}{_BRACED}")
_TABLE = re.compile(r"\\begin\{(?P<name>tabular[xy*]?|longtable|array)\}")
_TABLE_HEAD = re.compile(rf"^(?:{_OPTION}(?:{_BRACED}){{1,2}})")
_ROW_END = re.compile(r"\\\\(?:\[[^\]\n]{0,40}\])?|\\tabularnewline")
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|c(?:mid)?(?:line|rule)(?:\([^)]*\))?\{[^}]*\})"
)
_SPAN = re.compile(rf"\\multi(?:column|row){_OPTION}{_BRACED}{_BRACED}{_BRACED}")
_DROPPED = re.compile(
    rf"\\(?:label|vspace|hspace|includegraphics|bibliographystyle|bibliography|input|include|usepackage|pagestyle|"
    rf"thispagestyle|setlength|setcounter|newcommand|renewcommand|documentclass|graphicspath|hypersetup|addbibresource)"
    rf"\*?(?:{_OPTION}{_BRACED}){{1,2}}"
)
_ENVIRONMENT = re.compile(rf"\\(?:begin|end)\{{[^{{}}]*\}}{_OPTION}")
_HREF = re.compile(rf"\\href{_BRACED}{_BRACED}")
_MARKS = re.compile(rf"\\(?:cite[a-z]*|ref|eqref|autoref|cref|pageref)\*?{_OPTION}{_OPTION}{_BRACED}", re.IGNORECASE)
_FOOTNOTE = re.compile(rf"\\footnote{_OPTION}{_BRACED}")
_ITEM = re.compile(r"(?<!\s)\s*\\item\s*(?:\[([^\[\]]*)\])?\s*")
_ACCENT = re.compile(r"\\([`'^\"~=.]|[uvHcdbrk](?=[\s{\\]))\s*(?:\{\s*\\?([a-zA-Z])\s*\}|\\?([a-zA-Z]))")
_COMBINING = dict(
    zip(
        "`'^\"~=.uvHcdbrk",
        "\u0300\u0301\u0302\u0308\u0303\u0304\u0307\u0306\u030c\u030b\u0327\u0323\u0331\u030a\u0328",
        strict=True,
    )
)
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "aa": "å", "AA": "Å",
    "i": "ı", "ldots": "…", "dots": "…", "textendash": "–", "textemdash": "—", "LaTeX": "LaTeX", "TeX": "TeX",
    "textbackslash": "\\", "euro": "€", "pounds": "£", "S": "§", "copyright": "©", "quad": " ", "qquad": " ",
}  # fmt: skip
_LETTER = re.compile(rf"\\({'|'.join(sorted(_LETTERS, key=len, reverse=True))})(?![a-zA-Z])(?:\{{\}}|\s(?=\S))?")
_COMMAND = re.compile(r"\\[a-zA-Z@]+\*?(?:\[[^\[\]\n]*\])?")
_SYMBOL = re.compile(r"\\([%&$#_{} ,;:!/-])")


def latex_lines(text: str) -> Iterator[str]:
    text = _COMMENT.sub("", text)
    document = _DOCUMENT.search(text)
    for name, mark in (("title", "# "), ("author", ""), ("date", "Date: ")):
        found = re.search(rf"\\{name}{_OPTION}{_BRACED}", text)
        if found and (words := one_line(_plain(re.sub(r"\\(?:and|today|\\)(?![a-z])", " ", found[1])))):
            yield f"{mark}{words}\n"
    yield from _readable(document[1] if document else text).split("\n")


def _readable(text: str) -> str:
    kept: list[str] = []

    def keep(opened: re.Match[str], inside: str) -> str:
        is_inline = opened.lastgroup in ("inline", "round")
        kept.append(f"${inside}$" if is_inline else f"\n\n{inside.strip()}\n\n")
        return f"\ue000{len(kept) - 1}\ue001"

    text = _replaced(text, _MATH, _LONGEST_MATH, keep)
    text = _replaced(text, _TABLE, _LONGEST_TABLE, lambda _, body: _table(body))
    text = _SECTION.sub(lambda match: f"\n\n{'#' * _SECTIONS[match[1]]} {one_line(match[2])}\n\n", text)
    text = _ITEM.sub(lambda match: f"\n- {match[1] + ' ' if match[1] else ''}", _plain(text))
    lines = [one_line(line) for line in text.split("\n")]
    return _KEPT.sub(lambda match: kept[int(match[1])] if int(match[1]) < len(kept) else "", "\n".join(lines))


def _replaced(text: str, opening: re.Pattern[str], longest: int, by: Callable[[re.Match[str], str], str]) -> str:
    """Replaces what is between an opening and its closing. Each closing is searched for once, so many openings that are
    never closed cost no more than the length of the text."""
    pieces: list[str] = []
    reached = 0
    closings: dict[str, int] = {}
    for opened in opening.finditer(text):
        if opened.start() < reached:
            continue
        closing = _CLOSING.get(opened.lastgroup or "") or f"\\end{{{opened['name']}}}"
        if closings.get(closing, 0) < opened.end():
            found = text.find(closing, opened.end())
            closings[closing] = len(text) + longest if found < 0 else found
        end = closings[closing]
        if opened.end() < end <= opened.end() + longest and end < len(text):
            pieces += text[reached : opened.start()], by(opened, text[opened.end() : end])
            reached = end + len(closing)
    return "".join([*pieces, text[reached:]])


def _table(body: str) -> str:
    body = _RULES.sub("", _TABLE_HEAD.sub("", body, count=1))
    rows = ([one_line(_plain(cell)) for cell in re.split(r"(?<!\\)&", row)] for row in _ROW_END.split(body))
    return "\n\n" + "\n".join(table_row(row) for row in rows if any(row)) + "\n\n"


def _plain(text: str) -> str:
    """Replaces commands by what they print, innermost first."""
    text = _DROPPED.sub("", _HREF.sub(r"\2", text))
    text = _SPAN.sub(lambda match: match[match.lastindex or 0], text)
    text = _FOOTNOTE.sub(r" (\1)", _MARKS.sub(r"[\1]", text))
    text = _ACCENT.sub(_accented, text)
    text = _LETTER.sub(lambda match: _LETTERS[match[1]], text)
    text = _ENVIRONMENT.sub("\n", text).replace("\\item", "\ue002")
    text = text.replace("\\\\", "\n").replace("~", "\u00a0").replace("``", "“").replace("''", "”")
    text = _COMMAND.sub("", text).replace("\ue002", "\\item")
    text = re.sub(r"(?<!\\)[{}]", "", text.replace("---", "—").replace("--", "–"))
    return _SYMBOL.sub(_symbol, text)


def _symbol(match: re.Match[str]) -> str:
    """A printed character, or one of the thin spaces and break marks."""
    return {",": " ", ";": " ", ":": " ", "!": "", "/": "", "-": ""}.get(match[1], match[1])


def _accented(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", (match[2] or match[3]) + _COMBINING[match[1]])
