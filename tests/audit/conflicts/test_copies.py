from masis.audit.conflicts.copies import is_copy

TEXT = (
    "The parish was founded in 1856, the present church building was completed in 1951, and it was raised to "
    "cathedral status in 1970."
)


def test_the_same_words_a_quotation_and_a_small_edit_are_copies() -> None:
    assert is_copy(TEXT, TEXT.upper())
    assert is_copy(TEXT, f"A newspaper wrote: “{TEXT}” Nobody objected to that at the time, as far as is known today.")
    assert is_copy(TEXT, TEXT.replace("1856", "1900"))


def test_the_same_fact_in_other_words_is_a_source_of_its_own() -> None:
    assert not is_copy(TEXT, "Founded as a parish in 1856, it has been a cathedral since 1970.")
    assert not is_copy(TEXT, "")
