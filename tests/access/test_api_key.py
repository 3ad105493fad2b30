from collections.abc import Callable

import pytest

from masis.access.api_key import digest, key_id_of, new_token, without_tokens


def test_a_token_names_its_key_and_holds_256_random_bits() -> None:
    tokens = {new_token() for _ in range(50)}
    assert len(tokens) == 50
    for token in tokens:
        assert key_id_of(token) == token.split("_")[1]
        assert len(bytes.fromhex(token.split("_")[2])) == 32


CHANGES: list[Callable[[str], str]] = [lambda t: t + "0", lambda t: t[:-1], str.upper, lambda t: f" {t}\n"]


@pytest.mark.parametrize("change", CHANGES)
def test_what_only_looks_like_one_is_none(change: Callable[[str], str]) -> None:
    assert key_id_of(change(new_token())) is None


@pytest.mark.parametrize("nonsense", ["", "masis__", "masis_é_\ud800", "Bearer", "٣" * 83, "masis_" + "9" * 10_000])
def test_nonsense_is_none(nonsense: str) -> None:
    assert key_id_of(nonsense) is None


def test_the_digest_depends_on_token_and_secret() -> None:
    token, other = new_token(), new_token()
    assert digest(token, b"s") == digest(token, b"s")
    assert len({digest(token, b"s"), digest(other, b"s"), digest(token, b"t")}) == 3


def test_a_token_in_a_text_is_cut_to_its_id() -> None:
    token = new_token()
    said = without_tokens(f"called with {token}, twice: {token}")
    assert token[-64:] not in said
    assert said.count(token[:18]) == 2
