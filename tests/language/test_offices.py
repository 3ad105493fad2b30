import pytest

from masis.reasoning.offline.relevance import is_of_another_office


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Who is the chief operating officer?", "Rafael Quintero, Chief Technology Officer, will ask the board."),
        ("Who is the COO?", "Maren Oakhurst, Chief Executive Officer, said so."),
        ("Who is the chief operating officer?", "The CFO, Tobias Lindqvar, signed."),
        ("Who is the chief marketing officer?", "The chief medical officer, Ada Kern, resigned."),
        ("Who is the CTO?", "Maren Oakhurst is chief executive."),
    ],
)
def test_another_office(asked: str, said: str) -> None:
    assert is_of_another_office(asked, said)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Who is the chief executive of Tolmerick?", "said Maren Oakhurst, Chief Executive Officer."),
        ("Who is the CEO?", "Maren Oakhurst is chief executive."),
        ("Who is the CTO?", "Ivo Brandt is Chief Technical Officer."),
        ("Who is the chief technology officer?", "Ivo Brandt is Chief Technical Officer."),
        ("Who is the chief operating officer?", "The CTO reports to Ann Lee, Chief Operating Officer."),
        ("Who is the chief operating officer?", "Ann Lee runs operations."),
        ("Who runs operations?", "The CTO, Ivo Brandt."),
        ("Who is the chief engineer?", "The CTO, Ivo Brandt."),
        ("What did the chief financial and operating officer say?", "The CFO said no."),
        ("Who is the COO?", "The coos of doves; Cuo is a town."),
    ],
)
def test_the_same_office_or_none(asked: str, said: str) -> None:
    assert not is_of_another_office(asked, said)
