"""Lists a source, and reads each of its files on demand. Folders are handled here; the other kinds have their own
modules, loaded when an address needs them."""

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from pathlib import Path
from urllib.parse import urlsplit

from masis.errors import Forbidden, InvalidInput, SourceUnavailable, UnreadableFile
from masis.settings import Settings

ALWAYS = (".*", "~$*", "Thumbs.db", "desktop.ini", "__MACOSX")
"""Hidden files, and what programs leave beside documents."""
IGNORE_FILE = ".masisignore"
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class _Pattern:
    segments: tuple[re.Pattern[str] | None, ...]
    """None stands for any number of folders."""
    is_negated: bool
    only_folders: bool


class Ignore:
    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._patterns = [found for line in (*ALWAYS, *patterns) if (found := _read(line))]

    def __call__(self, path: str, *, is_folder: bool = False) -> bool:
        """Whether to ignore a path below the root, written with slashes. Everything in an ignored folder is ignored."""
        parts = path.split("/")
        reached = [_skipping(pattern.segments, {0}) for pattern in self._patterns]
        for depth, part in enumerate(parts, start=1):
            reached = [_advanced(p.segments, at, part) for p, at in zip(self._patterns, reached, strict=True)]
            if self._leaves_out(reached, is_folder=is_folder or depth < len(parts)):
                return True
        return False

    def _leaves_out(self, reached: Sequence[set[int]], *, is_folder: bool) -> bool:
        for pattern, at in zip(reversed(self._patterns), reversed(reached), strict=True):
            if len(pattern.segments) in at and (is_folder or not pattern.only_folders):
                return not pattern.is_negated
        return False


def _read(line: str) -> _Pattern | None:
    line = re.sub(r"(?<!\\) +$", "", line.rstrip("\r\n"))
    if not line or line.startswith("#"):
        return None
    is_negated = line.startswith("!")
    body = line[is_negated:]
    only_folders = body.endswith("/")
    body = body.removesuffix("/")
    # A slash at the beginning or in the middle ties a pattern to the root.
    parts = body.removeprefix("/").split("/") if "/" in body else ["**", body]
    if parts[-1] == "**":
        parts.append("*")
    if not body.strip("/"):
        return None
    return _Pattern(tuple(None if part == "**" else _segment(part) for part in parts), is_negated, only_folders)


def _segment(part: str) -> re.Pattern[str]:
    # Python's own translation does not backtrack, but knows neither "\" nor "[^".
    return re.compile(
        translate(
            _ESCAPED.sub(lambda found: f"[{found[1]}]" if found[1] in "*?[" else found[1], part).replace("[^", "[!")
        )
    )


def _advanced(pattern: Sequence[re.Pattern[str] | None], reached: set[int], part: str) -> set[int]:
    """All positions in the pattern that one more folder or name can reach, so that nothing is tried twice."""
    following = set[int]()
    for at in reached - {len(pattern)}:
        segment = pattern[at]
        if segment is None:
            following.add(at)
        elif segment.match(part):
            following.add(at + 1)
    return _skipping(pattern, following)


def _skipping(pattern: Sequence[re.Pattern[str] | None], reached: set[int]) -> set[int]:
    for at in sorted(reached):
        while at < len(pattern) and pattern[at] is None:
            at += 1
            reached.add(at)
    return reached


WEB = ("http", "https", "webdav", "webdav+http", "dav", "davs")
MAIL = ("imap", "imaps")
_CHAINED = re.compile(r"([A-Za-z][\w+.-]*)(?:://[^\[\]]*?)?::")
"""zip::s3://…, as fsspec writes it; in an address such as http://[::1]/, the two colons mean something else."""
ON_COMMAND = "Mailboxes and web pages are read on demand only, not on a schedule."


@dataclass(frozen=True, slots=True)
class ListedFile:
    place: str
    """Its path or address, which identifies it from one listing to the next."""
    name: str
    """The document's name; below a folder, the path from there."""
    version: str
    """A different version means that the bytes may differ; an empty one, that only reading can tell."""
    read: Callable[[], bytes]
    """Raises UnreadableFile."""
    identity: str | None = None
    """A file at another place with the same identity is this file, moved."""


@dataclass(slots=True)
class Listing:
    files: list[ListedFile] = field(default_factory=list[ListedFile])
    unreadable: dict[str, str] = field(default_factory=dict[str, str])
    """Places that could not be listed, and why; their known files do not count as deleted."""
    notes: list[str] = field(default_factory=list[str])
    close: Callable[[], object] = bool
    """Closes the connection that the files are read through."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to list, and for whom."""

    address: str
    ignore: Ignore
    settings: Settings
    is_trusted: bool = True
    """Whether it was added by the person at the machine; the service restricts what is added through it."""


def address_of(source: str) -> str:
    """The full path of a folder, so that it is the same source from everywhere; anything else unchanged."""
    if not scheme_of(source):
        return str(Path(source).expanduser().absolute()).encode("utf-8", "backslashreplace").decode()
    return without_password(source)


def without_password(source: str) -> str:
    try:
        has_password = urlsplit(source.rpartition("::")[2]).password is not None
    except ValueError as error:
        raise InvalidInput(f"{source[:200]} is not an address: {error}.") from None
    if has_password:
        raise InvalidInput(
            "The address contains a password, but addresses are stored and shown.",
            advice="Put it into ~/.netrc, or where the storage's own tools look for it, and leave it out here.",
        )
    return source


def scheme_of(source: str) -> str:
    """Empty for a path: a drive letter is not a scheme."""
    if chained := _CHAINED.match(source):
        return chained[1].lower()
    scheme, found, _ = source.partition("://")
    return scheme.lower() if found and len(scheme) > 1 else ""


def is_on_command(address: str) -> bool:
    return scheme_of(address) in MAIL or is_sitemap(address)


def is_sitemap(address: str) -> bool:
    name = urlsplit(address).path.rpartition("/")[2].lower()
    return scheme_of(address) in ("http", "https") and "sitemap" in name and name.endswith((".xml", ".xml.gz"))


def listed(wanted: Wanted) -> Listing:
    """Raises SourceUnavailable if the source as a whole cannot be listed; then nothing is known about its files."""
    require_allowed(wanted)
    scheme = scheme_of(wanted.address)
    if not scheme:
        return _folder(wanted)
    if is_sitemap(wanted.address):
        from masis.sources.remote.web import site_listing

        return site_listing(wanted)
    if scheme in WEB:
        from masis.sources.remote.web import web_listing

        return web_listing(wanted)
    if scheme in MAIL:
        from masis.sources.remote.mailbox import mailbox_listing

        return mailbox_listing(wanted)
    from masis.sources.remote.storage import storage_listing

    return storage_listing(wanted)


def require_allowed(wanted: Wanted) -> None:
    """Through the service, anyone with a key could otherwise have its machine's files, cloud account or network
    read."""
    scheme = scheme_of(wanted.address)
    if wanted.is_trusted or is_listed(wanted.address, wanted.settings):
        return
    if scheme not in ("http", "https"):
        raise Forbidden(
            f"{wanted.address[:200]} may not be read through the service.",
            advice="An administrator allows it with MASIS_SYNC_ALLOWED, or adds it with `masis sync` on its machine.",
        )


def is_listed(address: str, settings: Settings) -> bool:
    """Whether MASIS_SYNC_ALLOWED names it or a folder above it."""
    allowed = [each.strip().rstrip("/") for each in settings.sync_allowed.split(",") if each.strip()]
    above = [each for each in allowed if address.rstrip("/") == each or address.startswith(f"{each}/")]
    return bool(above) and ".." not in address.split("/")


def too_large(name: str, settings: Settings) -> UnreadableFile:
    return UnreadableFile(
        f"{name} is larger than {settings.max_file_bytes / 1_000_000:g} MB.",
        advice="Split it, or raise MASIS_MAX_FILE_BYTES.",
    )


def require_few(count: int, wanted: Wanted) -> None:
    if count > wanted.settings.sync_max_files:
        raise InvalidInput(
            f"{wanted.address} holds more than {wanted.settings.sync_max_files} files.",
            advice="Name a folder below it, leave files out with --ignore, or raise MASIS_SYNC_MAX_FILES.",
        )


def ignore_for(address: str, patterns: Sequence[str]) -> Ignore:
    """Includes the patterns of .masisignore in the root of a folder."""
    said = list[str]()
    if not scheme_of(address):
        try:
            said = Path(address, IGNORE_FILE).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            said = []
    return Ignore([*said, *patterns])


def _folder(wanted: Wanted) -> Listing:
    root, found = Path(wanted.address), Listing()
    try:
        is_folder = stat.S_ISDIR(root.stat().st_mode)
        if is_folder:
            next(root.iterdir(), None)
    except OSError as error:
        raise SourceUnavailable(f"{root} cannot be read: {error.strerror or error}.") from None
    files = _walked(root, wanted, found) if is_folder else [(root, root.name)]
    for path, name in files:
        try:
            seen = path.stat()
        except OSError as error:
            found.unreadable[_place(path)] = error.strerror or str(error)
            continue
        if stat.S_ISREG(seen.st_mode) and (wanted.is_trusted or _is_below(path, root)):
            found.files.append(_on_disk(path, name, seen, wanted.settings))
            require_few(len(found.files), wanted)
    return found


def _walked(root: Path, wanted: Wanted, found: Listing) -> Iterator[tuple[Path, str]]:
    def failed(error: OSError) -> None:
        found.unreadable[_place(Path(error.filename))] = error.strerror or str(error)

    for parent, folders, names in os.walk(root, onerror=failed):
        below = Path(parent).relative_to(root)
        if {"cur", "new", "tmp"} <= set(folders):
            folders[:] = [each for each in folders if each != "tmp"]
        folders[:] = sorted(each for each in folders if not wanted.ignore((below / each).as_posix(), is_folder=True))
        for name in sorted(names):
            if not wanted.ignore((below / name).as_posix()):
                yield Path(parent, name), (below / name).as_posix()


def _on_disk(path: Path, name: str, seen: os.stat_result, settings: Settings) -> ListedFile:
    def read() -> bytes:
        try:
            if path.stat().st_size > settings.max_file_bytes:
                raise too_large(path.name, settings)
            return path.read_bytes()
        except OSError as error:
            raise UnreadableFile(
                f"{path.name} cannot be read: {error.strerror or error}.", advice="Check your right to read it."
            ) from None

    size, changed = seen.st_size, seen.st_mtime_ns
    maildir = path.parents[1]
    if path.parent.name in ("cur", "new") and (maildir / "tmp").is_dir():
        # A message never changes, but its name ends with flags that do, and it moves from `new` to `cur`.
        message = path.name.partition(":")[0]
        name = f"{name.removesuffix(f'{path.parent.name}/{path.name}')}{message}.eml"
        return ListedFile(f"{_place(maildir)}/{message}", _storable(name), str(size), read)
    return ListedFile(
        _place(path),
        _storable(name),
        f"{changed}-{seen.st_ctime_ns}-{size}",
        read,
        f"{seen.st_dev}:{seen.st_ino}:{changed}:{size}",
    )


def _is_below(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())


def _place(path: Path) -> str:
    """The place as ingestion knows it: two names that cannot be decoded stay two places."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def _storable(name: str) -> str:
    return name.encode("utf-8", "replace").decode()
