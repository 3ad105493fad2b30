from concurrent.futures import ThreadPoolExecutor

import pytest

from masis.database import Place, SharedWindow, limits_database
from masis.settings import Settings


@pytest.mark.parametrize("calls", [1, 7])
def test_a_window_has_so_many_places(postgres_url: str, calls: int) -> None:
    database = limits_database(Settings(database_url=postgres_url))
    window = SharedWindow(database, "test", calls, 600.0)
    assert all(isinstance(window.take(), Place) for _ in range(calls))
    wait = window.take()
    assert isinstance(wait, float)
    assert 0 < wait <= 600
    larger = SharedWindow(database, "test", calls + 1, 600.0)
    assert isinstance(larger.take(), Place)
    assert isinstance(larger.take(), float)


def test_a_limit_that_nobody_reaches_costs_no_more_than_what_is_used(postgres_url: str) -> None:
    database = limits_database(Settings(database_url=postgres_url))
    window = SharedWindow(database, "test", 10**12, 600.0)
    assert all(isinstance(window.take(), Place) for _ in range(50))
    with database.reading() as db:
        assert 50 <= db.execute("SELECT COUNT(*) FROM rate_slots").fetchone()[0] <= 150


def test_those_who_come_at_once_get_all_places_and_no_more(postgres_url: str) -> None:
    settings = Settings(database_url=postgres_url)

    def one(_: int) -> Place | float:
        return SharedWindow(limits_database(settings), "test", 10, 600.0).take()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(one, range(24)))
    taken = [answer for answer in answers if isinstance(answer, Place)]
    assert len({place.slot for place in taken}) == len(taken) == 10


def test_a_place_left_for_too_long_is_anothers(postgres_url: str) -> None:
    window = SharedWindow(limits_database(Settings(database_url=postgres_url)), "test", 1, 0.001)
    first = window.take()
    assert isinstance(first, Place)
    again = window.take_again(first, 0.0)
    assert again is not None
    while not isinstance(window.take(), Place):
        pass
    assert window.take_again(again, 0.0) is None


def test_limits_are_told_apart_by_name(postgres_url: str) -> None:
    database = limits_database(Settings(database_url=postgres_url))
    assert isinstance(SharedWindow(database, "a", 1, 600.0).take(), Place)
    assert isinstance(SharedWindow(database, "b", 1, 600.0).take(), Place)
