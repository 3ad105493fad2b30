import pytest

from masis.audit.conflicts.holding import gives


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
