import re

from hypothesis import given
from hypothesis import strategies as st

from masis.knowledge.ingestion.chunking import chunk_id

texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


@given(st.text("0123456789abcdef", min_size=64, max_size=64), st.integers(0), st.integers(0), texts)
def test_the_shape_and_that_it_repeats(document_id: str, start: int, end: int, text: str) -> None:
    name = chunk_id(document_id, start, end, text)
    assert re.fullmatch(r"c[0-9a-hjkmnp-tv-z]{10}", name)
    assert re.search(r"\d", name[1:])
    assert chunk_id(document_id, start, end, text) == name


def test_known_ids_so_that_no_machine_and_no_version_differs() -> None:
    assert chunk_id("a" * 64, 0, 13, "Revenue rose.") == "cxzah998xtj"
    assert chunk_id("a" * 64, 0, 13, "Revenue fell.") == "cpph6ecfxag"
    assert chunk_id("b" * 64, 5, 18, "Ümsätze — 5 €") == "c0ngwa1d92k"


def test_every_part_counts() -> None:
    ids = {
        chunk_id("d", 0, 4, "text"),
        chunk_id("e", 0, 4, "text"),
        chunk_id("d", 1, 4, "text"),
        chunk_id("d", 0, 5, "text"),
        chunk_id("d", 0, 4, "Text"),
    }
    assert len(ids) == 5


def test_no_id_reads_like_a_word_and_none_repeats() -> None:
    ids = [chunk_id("d", number, number + 1, "x") for number in range(20_000)]
    assert len(set(ids)) == len(ids)
    assert all(any(character.isdigit() for character in name) for name in ids)
