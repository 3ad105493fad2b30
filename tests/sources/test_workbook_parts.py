import struct

from masis.sources.office.workbook import WorkbookParts
from tests.sources.packages import relations, zip_of


def record(kind: int, data: bytes) -> bytes:
    return bytes([kind, len(data)]) + data


def test_a_binary_sheet_says_how_far_it_reaches() -> None:
    sheet = b"".join(
        [
            record(0, struct.pack("<I", 4)),
            record(7, struct.pack("<II", 2, 0)),
            b"\x81\x01" + bytes([0x80 | 4, 0]) + b"abcd",  # two bytes each for the kind and the length
            record(0, struct.pack("<I", 13)),
            record(2, struct.pack("<II", 6, 0)),
        ]
    )
    parts = WorkbookParts(
        zip_of(
            {
                "xl/workbook.bin": b"",
                "xl/_rels/workbook.bin.rels": relations(("r1", "worksheet", "worksheets/sheet1.bin")),
                "xl/worksheets/sheet1.bin": sheet,
            }
        ),
        "a.xlsb",
    )
    assert parts.cells("any") == 10 * 5


def test_a_binary_sheet_cut_off_ends() -> None:
    parts = WorkbookParts(zip_of({"xl/worksheets/sheet1.bin": b"\x00\xff\xff\xff\x7f\x01"}), "a.xlsb")
    assert parts.cells("any") == 0
