import pytest

from masis.errors import UnreadableFile
from masis.sources.data.data_files import parse_delimited
from tests.sources.files import bare
from tests.support.growth import MOST, growth


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", "Region,2024,2025\nEurope,1.5,2.5\n"),
        ("a.csv", "Region;2024;2025\r\nEurope;1.5;2.5\r\n"),
        ("a.csv", "Region\t2024\t2025\nEurope\t1.5\t2.5"),
        ("a.csv", "Region|2024|2025\nEurope|1.5|2.5"),
        ("a.tsv", "Region\t2024\t2025\nEurope\t1.5\t2.5"),
        ("a.csv", '"Region","2024","2025"\n"Europe","1.5","2.5"'),
    ],
)
def test_one_row_one_line_with_the_header(name: str, data: str) -> None:
    assert bare(parse_delimited(data.encode(), name).text) == "Region | 2024 | 2025\nEurope | 1.5 | 2.5"


def test_commas_and_line_ends_inside_cells() -> None:
    data = b'Name,Note\nAcme,"grew, then\nfell"\n\n,\nBeta,"said ""no"""'
    assert bare(parse_delimited(data, "a.csv").text) == 'Name | Note\nAcme | grew, then fell\nBeta | said "no"'


def test_decimal_commas_do_not_win_over_semicolons() -> None:
    data = b"Region;Umsatz\nEuropa;1,5\nAsien;2,5\nAmerika;3,5"
    assert parse_delimited(data, "a.csv").text.splitlines()[2] == "| Europa | 1,5 |"


def test_one_column_and_ragged_rows() -> None:
    assert bare(parse_delimited(b"Names\nAcme\nBeta", "a.csv").text) == "Names\nAcme\nBeta"
    assert bare(parse_delimited(b"a,b,c\n1,2\n3,4,5,6", "a.csv").text) == "a | b | c | \n1 | 2 |  | \n3 | 4 | 5 | 6"


def test_a_cell_without_end() -> None:
    with pytest.raises(UnreadableFile, match="not a readable table"):
        parse_delimited(b'a,b\n"' + b"x" * 11_000_000, "a.csv")


@pytest.mark.parametrize("piece", ["Europe,2025,1.5\n", "a\n", ",", '"a","b"\n'])
def test_time_grows_with_the_length_only(piece: str) -> None:
    assert growth(lambda text: parse_delimited(f"Region,Year,Sales\n{text}".encode(), "a.csv"), piece) < MOST
