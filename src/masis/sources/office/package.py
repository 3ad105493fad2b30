"""The containers of office files and books, ZIP and the older OLE: opens their parts within limits, and reads
charts."""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from types import TracebackType
from urllib.parse import unquote

from masis.errors import UnreadableFile
from masis.sources.data.xml_tree import Element, attribute, descendants, elements, first, name_of, number, xml_root
from masis.sources.office.sheets import readable_number
from masis.sources.plain import one_line
from masis.sources.table_grid import table_lines

_LONGEST_STREAM = 500_000_000


class CompoundFile:
    """Streams by path; a missing or damaged stream is None."""

    def __init__(self, data: bytes, file_name: str, kind: str) -> None:
        import olefile

        self.file_name = file_name
        self._kind = kind
        try:
            self._file = olefile.OleFileIO(io.BytesIO(data))
            self.paths = ["/".join(path) for path in self._file.listdir()]
        except Exception as error:  # a damaged sector table fails in many ways, none of them declared
            raise self.damaged() from error
        if "EncryptedPackage" in self.paths:
            raise encrypted(file_name)

    def __enter__(self) -> "CompoundFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def read(self, path: str) -> bytes | None:
        if path not in self.paths:
            return None
        try:
            data: bytes = self._file.openstream(path).read(_LONGEST_STREAM)
        except Exception:  # as above
            return None
        return data

    def required(self, path: str) -> bytes:
        data = self.read(path)
        if data is None:
            raise self.damaged()
        return data

    def damaged(self) -> UnreadableFile:
        return UnreadableFile(
            f"{self.file_name} is damaged: it cannot be read as {self._kind}.",
            advice="Open it in the program it comes from and save it again in a newer format.",
        )


_MAX_POINTS = 5000


def chart_lines(root: Element) -> Iterator[str]:
    title = next(descendants(root, "title"), None)
    if title is not None and (text := one_line("".join(part.text or "" for part in descendants(title, "t", "v")))):
        yield f"Chart: {text}"
    series = list(descendants(root, "ser"))
    names = [one_line(" ".join(_points(first(each, "tx")).values())) for each in series]
    labels: dict[int, str] = {}
    for each in series:
        for key, label in _points(
            first(each, "cat") if first(each, "cat") is not None else first(each, "xVal")
        ).items():
            labels.setdefault(key, label)
    columns = [
        _points(first(each, "val") if first(each, "val") is not None else first(each, "yVal")) for each in series
    ]
    rows = sorted({key for column in columns for key in column} | set(labels))
    cells = [[labels.get(row, ""), *(column.get(row, "") for column in columns)] for row in rows]
    yield from table_lines([["", *names], *cells], 1) if rows else ()


def _points(data: Element | None) -> dict[int, str]:
    """The values the chart was last drawn with, by position."""
    if data is None:
        return {}
    points: dict[int, str] = {}
    for point in descendants(data, "pt"):
        value = first(point, "v")
        if value is not None:
            points[number(attribute(point, "idx"), len(points), _MAX_POINTS)] = readable_number(value.text or "")
    return points


_MAX_UNPACKED_BYTES = 500_000_000
_DAY = re.compile(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
_OF_TEMPLATES = ("2006-08-16", "2006-09-16", "2013-01-27T09:1", "2013-12-23T23:15:00", "2015-06-05T18:1")
"""Creation times of the empty templates that PowerPoint, Excel, python-pptx and python-docx start a new file from."""


class Package:
    """Parts by name. A missing or damaged part is None; the parser decides whether it can do without."""

    def __init__(self, data: bytes, file_name: str, kind: str) -> None:
        self.file_name = file_name
        self._kind = kind
        self._zip = open_zip(data, file_name, kind)
        self.names: Sequence[str] = self._zip.namelist()

    def read(self, name: str) -> bytes | None:
        try:
            return self._zip.read(name)
        except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError):
            return None

    def xml(self, name: str) -> Element | None:
        data = self.read(name)
        if not data:
            return None
        try:
            return xml_root(data, self.file_name, tolerant=True)
        except UnreadableFile:
            return None

    def required_xml(self, name: str) -> Element:
        root = self.xml(name)
        if root is None:
            raise self.damaged()
        return root

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """The parts that a part of an Office file refers to: id → kind and name of the other part."""
        folder, _, name = part.rpartition("/")
        root = self.xml(f"{folder}/_rels/{name}.rels".lstrip("/"))
        if root is None:
            return {}
        return {
            attribute(relation, "Id"): (
                attribute(relation, "Type").rpartition("/")[2],
                resolve(folder, attribute(relation, "Target")),
            )
            for relation in descendants(root, "Relationship")
        }

    def properties(self) -> tuple[str | None, str | None]:
        """The author of an Office file and the day of its last change, if stated. The creation date comes second, as
        many files begin as a copy of another."""
        root = self.xml("docProps/core.xml")
        if root is None:
            return None, None
        said = {name_of(each): " ".join((each.text or "").split()) for each in elements(root)}
        stamps = (said.get("modified", ""), said.get("created", ""))
        days = (_DAY.match(stamp) for stamp in stamps if not stamp.startswith(_OF_TEMPLATES))
        return said.get("creator") or None, next((day[0] for day in days if day), None)

    def damaged(self) -> UnreadableFile:
        return _damaged(self.file_name, self._kind)


def open_zip(data: bytes, file_name: str, kind: str) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError) as error:
        raise _damaged(file_name, kind) from error
    parts = archive.infolist()
    if sum(part.file_size for part in parts) > _MAX_UNPACKED_BYTES:
        raise UnreadableFile(
            f"{file_name} unpacks to more than {_MAX_UNPACKED_BYTES // 1_000_000} MB and was not opened.",
            advice="Remove large embedded objects, or save the text alone.",
        )
    if any(part.flag_bits & 1 for part in parts):
        raise encrypted(file_name)
    return archive


def resolve(folder: str, target: str) -> str:
    """The name of a part from a link inside another part."""
    return posixpath.normpath(posixpath.join("/", folder, unquote(target.split("#", 1)[0]))).lstrip("/")


def encrypted(file_name: str) -> UnreadableFile:
    return UnreadableFile(
        f"{file_name} is encrypted or password-protected.", advice="Save a copy without a password and add that."
    )


def _damaged(file_name: str, kind: str) -> UnreadableFile:
    return UnreadableFile(
        f"{file_name} is damaged: its parts cannot be read as {kind}.",
        advice="Open it in the program it comes from and save it again.",
    )
