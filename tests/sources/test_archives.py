import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile

import pytest

from masis.errors import UnreadableFile
from masis.sources import archives as archive_entries
from masis.sources.archives import Limits, parse_archive
from masis.types import Member
from tests.sources.hostile import tar_of, zip_bomb, zip_of

FILES = {"a.txt": b"Revenue rose.", "folder/b.csv": b"x,y\n1,2"}
MEMBERS = [Member("a.txt", b"Revenue rose."), Member("folder/b.csv", b"x,y\n1,2")]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.zip", zip_of(FILES)),
        ("a.tar", tar_of(FILES)),
        ("a.tar.gz", tar_of(FILES, "w:gz")),
        ("a.tgz", tar_of(FILES, "w:gz")),
        ("a.tar.bz2", tar_of(FILES, "w:bz2")),
        ("a.tar.xz", tar_of(FILES, "w:xz")),
    ],
)
def test_members_become_files(name: str, data: bytes) -> None:
    document = parse_archive(data, name)
    assert (document.pages, document.members, document.notes) == ([], MEMBERS, [])


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_lone_file_loses_its_last_extension(compress: object) -> None:
    assert callable(compress)
    assert parse_archive(compress(b"Revenue rose."), "report.txt.gz").members == [
        Member("report.txt", b"Revenue rose.")
    ]


@pytest.mark.parametrize(
    ("inside", "label"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("/etc/passwd.txt", "passwd.txt"),
        ("..\\..\\windows.txt", "windows.txt"),
        ("C:\\windows.txt", "windows.txt"),
        ("a/../../b.txt", "b.txt"),
    ],
)
@pytest.mark.parametrize("make", [zip_of, tar_of])
def test_a_name_that_points_outside_is_a_label_with_a_note(make: object, inside: str, label: str) -> None:
    assert callable(make)
    document = parse_archive(make({inside: b"x"}), "a.zip")
    assert [member.name for member in document.members] == [label]
    assert document.notes == [f"Names that point outside the archive were shortened: {label}."]


def test_names_are_printable_and_each_there_once() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in ("a.txt", "./a.txt", "a.txt", "b//c.txt", "new\nline.txt"):
            archive.addfile(tarfile.TarInfo(name))
    names = [member.name for member in parse_archive(buffer.getvalue(), "a.tar").members]
    assert names == ["a.txt", "a (2).txt", "a (3).txt", "b/c.txt", "new\ufffdline.txt"]


def test_utf8_names_without_the_mark_that_says_so() -> None:
    data = zip_of({"Übersicht.txt": b"x"})
    # The flag for UTF-8 names, in the local header and in the table of contents.
    unmarked = data.replace(b"\x14\x00\x00\x08", b"\x14\x00\x00\x00")
    assert unmarked != data
    assert [member.name for member in parse_archive(unmarked, "a.zip").members] == ["Übersicht.txt"]


def test_what_systems_leave_behind_is_not_mentioned() -> None:
    rubbish = ["__MACOSX/._a.txt", ".DS_Store", "folder/.hidden/x.txt", "Thumbs.db", "folder/desktop.ini"]
    document = parse_archive(zip_of({**dict.fromkeys(rubbish, b"x"), "a.txt": b"y"}), "a.zip")
    assert (document.members, document.notes) == ([Member("a.txt", b"y")], [])


def test_links_and_devices_are_left_out_with_a_note() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, kind in (("link", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("disk", tarfile.BLKTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        archive.addfile(tarfile.TarInfo("a.txt"))
    document = parse_archive(buffer.getvalue(), "a.tar")
    assert [member.name for member in document.members] == ["a.txt"]
    assert document.notes == ["Left out as a link: link, hard.", "Left out as not a plain file: disk."]


def test_a_link_in_a_zip() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("link.txt")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
        archive.writestr("a.txt", "x")
    document = parse_archive(buffer.getvalue(), "a.zip")
    assert document.notes == ["Left out as a link: link.txt."]


def test_a_password() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", "open")
        archive.writestr("b.txt", "secret")
    data = bytearray(buffer.getvalue())
    for start in (data.rindex(b"PK\x03\x04") + 6, data.rindex(b"PK\x01\x02") + 8):
        data[start] |= 1
    with pytest.raises(UnreadableFile, match="password-protected") as error:
        parse_archive(bytes(data), "a.zip")
    assert "Unpack it" in error.value.advice


def test_one_damaged_member_does_not_take_the_others() -> None:
    data = bytearray(zip_of({"a.txt": b"Revenue rose. " * 50, "b.txt": b"Costs fell."}))
    data[45] ^= 0xFF
    document = parse_archive(bytes(data), "a.zip")
    assert [member.name for member in document.members] == ["b.txt"]
    assert document.notes == ["Left out as damaged: a.txt."]


def test_a_cut_off_tar_keeps_what_came_before() -> None:
    data = tar_of({"a.txt": b"Revenue rose.", "b.txt": b"x" * 5000})
    document = parse_archive(data[:3000], "a.tar")
    assert document.members[0] == MEMBERS[0]
    assert document.notes == ["Left out as damaged: what follows b.txt."]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.zip", zip_of(FILES)[:60]),
        ("a.zip", b"PK\x03\x04 and nothing more"),
        ("a.tar.gz", tar_of(FILES, "w:gz")[:40]),
        ("a.txt.gz", gzip.compress(b"Revenue rose. " * 100)[:-12]),
        ("a.txt.xz", lzma.compress(b"Revenue rose. " * 100)[:40]),
    ],
    ids=["zip", "zip of nothing", "tar.gz", "gz", "xz"],  # gzip holds the time: the bytes would name a test differently
)
def test_a_cut_off_archive(name: str, data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="damaged or cut-off archive") as error:
        parse_archive(data, name)
    assert error.value.advice


@pytest.mark.parametrize("data", [zip_of({}), zip_of({".DS_Store": b"x"}), tar_of({})])
def test_nothing_inside(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="contains no files"):
        parse_archive(data, "a.zip")


def test_too_many_files() -> None:
    files = {f"{number}.txt": b"x" for number in range(11)}
    assert len(parse_archive(zip_of(files), "a.zip", Limits(members=11)).members) == 11
    for data in (zip_of(files), tar_of(files)):
        with pytest.raises(UnreadableFile, match="holds more than 10 files") as error:
            parse_archive(data, "a.zip", Limits(members=10))
        assert "MASIS_MAX_MEMBERS" in error.value.advice


@pytest.mark.parametrize("make", ["zip", "tar", "gz", "lone"])
def test_too_many_bytes(make: str) -> None:
    files = {"a.txt": b"x" * 600, "b.txt": b"y" * 600}
    data = {
        "zip": zip_of(files),
        "tar": tar_of(files),
        "gz": tar_of(files, "w:gz"),
        "lone": gzip.compress(b"x" * 1200),
    }[make]
    with pytest.raises(UnreadableFile, match="unpacks to more than") as error:
        parse_archive(data, "a", Limits(unpacked_bytes=1000))
    assert "MASIS_MAX_UNPACKED_BYTES" in error.value.advice


def test_a_tar_that_claims_a_huge_file() -> None:
    info = tarfile.TarInfo("a.txt")
    info.size = 1 << 40
    with pytest.raises(UnreadableFile, match="unpacks to more than 1000 MB"):
        parse_archive(info.tobuf() + b"x" * 1024, "a.tar")


def test_a_bomb_is_known_by_its_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_entries, "_RATIO_MATTERS_ABOVE", 1_000_000)
    for data in (zip_bomb(5), bz2.compress(b"a" * 5_000_000)):
        with pytest.raises(UnreadableFile, match="more than 300 times its size"):
            parse_archive(data, "a.zip")
    # A log that repeats itself is no bomb.
    lines = b"\n".join(b"2026-03-12 request %d took %d ms" % (n, n * 7919 % 1000) for n in range(60_000))
    assert parse_archive(zip_of({"a.log": lines}), "a.zip").members


def test_the_declared_sizes_are_looked_at_before_anything_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zip_bomb(5)
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("was unpacked"))
    with pytest.raises(UnreadableFile, match="unpacks to more than"):
        parse_archive(data, "a.zip", Limits(unpacked_bytes=1_000_000))
