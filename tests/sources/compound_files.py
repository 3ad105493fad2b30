"""Old Office containers (OLE compound files) and what stands in them, made in memory."""

import struct
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Tree: TypeAlias = Mapping[str, "bytes | Tree"]

SECTOR, SMALL_SECTOR, SMALL = 512, 64, 4096
FREE, END, FAT_SECTOR, NO_ENTRY = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF


def compound_of(tree: Tree) -> bytes:
    """Streams under 4096 bytes stand together in small sectors, as the format wants it."""
    entries: list[list[Any]] = [["Root Entry", 5, NO_ENTRY, NO_ENTRY, b""]]
    _add(entries, 0, tree)
    small_table: list[int] = []
    small_starts: dict[int, int] = {}
    for index, entry in enumerate(entries):
        if 0 < len(entry[4]) < SMALL:
            small_starts[index] = len(small_table)
            small_table += _chain(len(small_table), -(-len(entry[4]) // SMALL_SECTOR))
            entries[0][4] += entry[4] + bytes(-len(entry[4]) % SMALL_SECTOR)
    tables = [_table(small_table)] if small_table else []
    directory_size = -(-len(entries) * 128 // SECTOR)
    large = {index: entry[4] for index, entry in enumerate(entries) if index not in small_starts and entry[4]}
    others = [len(table) // SECTOR for table in tables] + [-(-len(data) // SECTOR) for data in large.values()]
    fat_size = next(n for n in range(1, 100) if n * 128 >= n + directory_size + sum(others))
    fat = [FAT_SECTOR] * fat_size + _chain(fat_size, directory_size)
    small_place = len(fat) if tables else END
    fat += [link for table in tables for link in _chain(len(fat), len(table) // SECTOR)]
    starts = dict(small_starts)
    for index, data in large.items():
        starts[index] = len(fat)
        fat += _chain(len(fat), -(-len(data) // SECTOR))
    directory = b"".join(
        _directory_entry(name, kind, child, right, starts.get(index, END), len(data))
        for index, (name, kind, child, right, data) in enumerate(entries)
    )
    directory += _directory_entry("", 0, NO_ENTRY, NO_ENTRY, 0, 0) * (directory_size * 4 - len(entries))
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII", bytes.fromhex("d0cf11e0a1b11ae1"), 0x3E, 3, 0xFFFE, 9, 6,
        0, fat_size, fat_size, 0, SMALL, small_place, len(tables), END, 0,
    )  # fmt: skip
    places = struct.pack("<109I", *range(fat_size), *[FREE] * (109 - fat_size))
    streams = [data + bytes(-len(data) % SECTOR) for data in large.values()]
    return b"".join([header, places, _table(fat, fat_size), directory, *tables, *streams])


def _table(links: list[int], sectors: int = 0) -> bytes:
    size = max(sectors, -(-len(links) * 4 // SECTOR)) * 128
    return struct.pack(f"<{size}I", *links, *[FREE] * (size - len(links)))


def _add(entries: list[list[Any]], parent: int, tree: Tree) -> None:
    last = None
    for name, content in tree.items():
        index = len(entries)
        is_stream = isinstance(content, bytes)
        entries.append([name, 2 if is_stream else 1, NO_ENTRY, NO_ENTRY, content if is_stream else b""])
        if last is None:
            entries[parent][2] = index
        else:
            entries[last][3] = index
        last = index
        if not is_stream:
            _add(entries, index, content)


def _chain(start: int, size: int) -> list[int]:
    return [*range(start + 1, start + size), END] if size else []


def _directory_entry(name: str, kind: int, child: int, right: int, start: int, size: int) -> bytes:
    text = (name + "\0").encode("utf-16-le") if name else b""
    return struct.pack("<64sHBBIII36xIQ", text, len(text), kind, 1, NO_ENTRY, right, child, start, size)


def workbook_of(name: str, cells: Sequence[tuple[int, int, str | float]], *, password: bool = False) -> bytes:
    """An Excel 97 workbook of one sheet."""
    sheet = _record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0))
    for row, column, value in cells:
        place = struct.pack("<HHH", row, column, 0)
        if isinstance(value, str):
            sheet += _record(0x204, place + struct.pack("<HB", len(value), 1) + value.encode("utf-16-le"))
        else:
            sheet += _record(0x203, place + struct.pack("<d", value))
    sheet += _record(0xA, b"")
    start = _record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0))
    start += _record(0x2F, b"\x01" + bytes(53)) if password else b""
    label = struct.pack("<BB", len(name), 1) + name.encode("utf-16-le")
    size = len(start) + 4 + 6 + len(label) + 4
    book = start + _record(0x85, struct.pack("<IBB", size, 0, 0) + label) + _record(0xA, b"") + sheet
    return compound_of({"Workbook": book})


def _record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def word_of(*paragraphs: tuple[str, int, bytes], wide: bool = False, encrypted: bool = False) -> bytes:
    """A Word 97 document: text with its end mark, number of the style, properties."""
    text = "".join(part for part, _, _ in paragraphs)
    width = 2 if wide else 1
    content = text.encode("utf-16-le") if wide else text.encode("cp1252")
    first = 2048
    places, runs = [first], []
    for part, style, properties in paragraphs:
        places.append(places[-1] + len(part.encode("utf-16-le")) // 2 * width)
        runs.append(struct.pack("<H", style) + properties)
    page = _paragraph_page(places, runs)
    page_number = (first + len(content)) // SECTOR + 1
    piece = struct.pack("<HIH", 0, first if wide else first * 2 | 0x40000000, 0)
    units = len(content) // width
    pieces = struct.pack("<BI", 2, 16) + struct.pack("<II", 0, units) + piece
    paragraph_table = struct.pack("<III", places[0], places[-1], page_number)
    header = bytearray(first)
    struct.pack_into("<HH", header, 0, 0xA5EC, 0xC1)
    header[0x0B] = 2 | int(encrypted)
    struct.pack_into("<I", header, 0x4C, units)
    struct.pack_into("<II", header, 0x102, len(pieces), len(paragraph_table))
    struct.pack_into("<II", header, 0x1A2, 0, len(pieces))
    body = bytes(header) + content
    body += bytes(page_number * SECTOR - len(body)) + page
    return compound_of({"WordDocument": body, "1Table": pieces + paragraph_table})


def _paragraph_page(places: list[int], runs: list[bytes]) -> bytes:
    page = bytearray(SECTOR)
    struct.pack_into(f"<{len(places)}I", page, 0, *places)
    position = SECTOR - 2
    for index, run in enumerate(runs):
        padded = run + bytes(-(len(run) + 1) % 2)
        position = (position - len(padded) - 1) // 2 * 2
        page[position] = (len(padded) + 1) // 2
        page[position + 1 : position + 1 + len(padded)] = padded
        page[4 * len(places) + 13 * index] = position // 2
    page[-1] = len(runs)
    return bytes(page)


def message_of(
    texts: Mapping[str, str],
    *,
    sent: int | None = None,
    binaries: Mapping[str, bytes] | None = None,
    attachments: Sequence[Tree] = (),
) -> Tree:
    """The streams of an Outlook message: texts and binaries by the number of their property."""
    fixed = struct.pack("<4sIQ", b"\x40\x00\x39\x00", 6, sent) if sent else b""
    tree: dict[str, bytes | Tree] = {"__properties_version1.0": bytes(32) + fixed}
    tree |= {f"__substg1.0_{number}001F": text.encode("utf-16-le") for number, text in texts.items()}
    tree |= {f"__substg1.0_{number}0102": data for number, data in (binaries or {}).items()}
    return tree | {f"__attach_version1.0_#{index:08X}": each for index, each in enumerate(attachments)}
