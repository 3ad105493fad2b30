import pytest

from masis.audit.conflicts.alike import same_answer


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
