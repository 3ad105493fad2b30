import pytest

from masis.audit.conflicts.agreement import gives, is_copy, same_answer


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("3,559 people", "3559"),
        ("$4.2bn", "4,200 million dollars"),
        ("2 July 1829", "1829"),
        ("July 2, 1829", "2 July 1829"),
        ("about 1820", "1820"),
        ("March 2024", "14 March 2024"),
        ("Mahesh Bhatt", "Bhatt"),
        ("the Republican Party", "Republican"),
        ("J. Smith", "John Smith"),
        ("UNDP", "United Nations Development Programme"),
        ("U.S.", "United States"),
        ("Alla Rakha", "Allah Rakha"),
        ("São Paulo", "Sao Paulo"),
        ("over 1,000", "1,212"),
        ("24 months", "two years"),
    ],
)
def test_one_answer_in_two_spellings(a: str, b: str) -> None:
    assert same_answer(a, b)
    assert same_answer(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("3,559", "10,000"),
        ("$4.2bn", "$4.2 million"),
        ("1856", "1900"),
        ("2 July 1829", "4 July 1829"),
        ("about 1898", "1829"),
        ("January 1, 1877", "1904"),
        ("Mahesh Bhatt", "Raj Kapoor"),
        ("Series 3", "Series 4"),
        ("Boston", "New York City"),
        ("J. Smith", "Mary Smith"),
        ("ice hockey", "sumo wrestling"),
    ],
)
def test_two_answers(a: str, b: str) -> None:
    assert not same_answer(a, b)
    assert not same_answer(b, a)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Revenue came to 4,200 million dollars.", "$4.2bn"),
        ("Revenue was $199.6M in 2024.", "almost 200 million"),
        ("The launch is on 2026-05-03.", "3 May 2026"),
        ("Anna Ruiz, who joined in 2019, is chief executive.", "Anna Ruiz"),
        ("The board did not approve the acquisition.", "not approve the acquisition"),
    ],
)
def test_a_value_however_it_is_written(text: str, value: str) -> None:
    assert gives(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Revenue came to 4,200 million dollars.", "$4.3bn"),
        ("The launch is on 2026-05-03.", "5 May 2026"),
        ("Anna Ruiz is chief executive.", "Mark Hall"),
        ("Anna Ruiz is chief executive.", " "),
    ],
)
def test_a_value_that_is_not_there(text: str, value: str) -> None:
    assert not gives(text, value)


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
