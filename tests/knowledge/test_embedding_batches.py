from hypothesis import given
from hypothesis import strategies as st

from masis.embedded import EMBEDDER, installed
from masis.knowledge.embedding.port import batches, cut, estimated_tokens

TEXTS = [
    "The quarterly report shows that revenue rose by twelve percent against the year before. " * 5,
    "| Revenue | 1,234.5 | (678.9) | 12.3% |\n| Cost | 999,888.1 | 77.0 | — |\n" * 5,
    "Die Umsatzerlöse der Gesellschaft stiegen gegenüber dem Vorjahr um zwölf Prozent. " * 5,
    "売上高は前年比で十二パーセント増加した。" * 10,
    "sha256:68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743 " * 5,
]


def test_the_estimate_errs_upwards() -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(installed(EMBEDDER).folder / "tokenizer.json"))
    tokenizer.no_truncation()
    for text in TEXTS[:3]:
        counted = len(tokenizer.encode(text, add_special_tokens=False).ids)
        assert counted <= estimated_tokens(text) <= 3 * counted


@given(st.lists(st.text(max_size=30)), st.integers(1, 5), st.integers(1, 40))
def test_each_text_is_in_one_batch_and_no_batch_is_too_big(texts: list[str], most: int, tokens: int) -> None:
    made = batches(texts, most, tokens)
    assert [text for batch in made for text in batch] == texts
    for batch in made:
        assert 1 <= len(batch) <= most
        assert len(batch) == 1 or sum(map(estimated_tokens, batch)) <= tokens


def test_long_texts_fill_a_request_sooner() -> None:
    long = "word " * 4000
    assert [len(batch) for batch in batches([long] * 100, 64)] == [44, 44, 12]


@given(st.text(max_size=60), st.integers(1, 40))
def test_a_cut_text_is_the_beginning_of_it_and_short_enough(text: str, tokens: int) -> None:
    kept = cut(text, tokens)
    assert text.startswith(kept) or (text, kept) == ("", " ")
    assert kept == (text or " ") or estimated_tokens(kept) <= tokens


def test_what_fits_is_not_cut() -> None:
    assert [cut(text) for text in TEXTS] == TEXTS
    assert len(cut("word " * 20_000)) < 5 * 20_000
