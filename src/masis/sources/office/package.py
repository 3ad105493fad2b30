"""The ZIP containers that office files and books are: their parts, opened within limits."""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Sequence
from urllib.parse import unquote

from masis.errors import UnreadableFile
from masis.sources.data.xml_tree import Element, attribute, descendants, elements, name_of, xml_root

_MAX_UNPACKED_BYTES = 500_000_000
_DAY = re.compile(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")


class Package:
    """Parts by name. A part that is missing or damaged is None; the parser decides whether it can do without."""

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
        """What a part of an Office file points to: id → kind and name of the other part."""
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
        """Who made an Office file, and on which day, where it says so."""
        root = self.xml("docProps/core.xml")
        if root is None:
            return None, None
        said = {name_of(each): " ".join((each.text or "").split()) for each in elements(root)}
        day = _DAY.match(said.get("created", ""))
        return said.get("creator") or None, day[0] if day else None

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
    """A part's name from a link inside another part."""
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
