import pytest

from masis.sources.pdf.page_image import nearest, skeleton_of
from masis.sources.plain import clean


@pytest.mark.parametrize(
    "text",
    [
        "Revenue rose.\r\n\r\n\r\n\r\n  It rose\u00a0again. \r\nSoft\u00adly",
        "e\u0301tat \x02 caf\u00e9 \u200bx",
        "\ufeffo\u0308ffnen \U0001f600 東京",
    ],
)
def test_cleaning_changes_nothing_of_it(text: str) -> None:
    assert skeleton_of(text).text == skeleton_of(f"## {clean(text)}").text


def test_every_character_knows_where_it_stood() -> None:
    text = "a \u00e9\n# b"
    found = skeleton_of(text)
    assert found.text == "ae\u0301b"
    assert found.origins == [0, 2, 2, 6]


@pytest.mark.parametrize(
    ("wanted", "expected", "place"),
    [("ab", 0, 0), ("ab", 2, 3), ("ab", 3, 3), ("ab", 9, 6), ("ab", 100, 6), ("zz", 0, None), ("", 0, None)],
)
def test_of_several_places_the_nearest_is_taken(wanted: str, expected: int, place: int | None) -> None:
    assert nearest(wanted, "abxabxab", expected) == place
