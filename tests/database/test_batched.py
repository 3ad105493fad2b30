import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from masis.database import Connection, Database
from masis.database.batched import BatchedDatabase
from masis.errors import DatabaseUnavailable

ADD = "INSERT INTO notes (name, number) VALUES (?, ?)"


class Counted:
    """A real database that counts its transactions, and may go away."""

    row_lock = ""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.begun = 0
        self.left = 1_000

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self._database.reading() as db:
            yield db

    @contextmanager
    def writing(self, lock: str | None = None) -> Iterator[Connection]:
        self.begun += 1
        if self.begun > self.left:
            raise DatabaseUnavailable("It is away.", advice="Wait.")
        with self._database.writing(lock) as db:
            yield db

    def forget_deleted(self) -> None: ...

    def close(self) -> None: ...


@pytest.fixture
def counted(database: Database) -> Counted:
    return Counted(database)


@pytest.fixture
def batched(counted: Counted) -> BatchedDatabase:
    return BatchedDatabase(counted)


def add(batched: BatchedDatabase, name: str, number: int) -> str:
    with batched.writing() as db:
        db.execute(ADD, (name, number))
        if number < 0:
            raise ValueError(name)
    return name


def names(batched: BatchedDatabase) -> list[str]:
    with batched.reading() as db:
        return [row[0] for row in db.execute("SELECT name FROM notes ORDER BY name").fetchall()]


async def test_many_calls_are_few_transactions(batched: BatchedDatabase, counted: Counted) -> None:
    wanted = [f"n{number:02}" for number in range(50)]
    done = await asyncio.gather(*(batched.together("writing", add, batched, name, 1) for name in wanted))
    assert done == wanted
    assert names(batched) == wanted
    assert counted.begun <= 3


async def test_what_is_of_a_kind_is_done_at_once(batched: BatchedDatabase) -> None:
    sizes: list[int] = []

    def add_all(names_given: list[str]) -> list[str]:
        sizes.append(len(names_given))
        for name in names_given:
            add(batched, name, -1 if name == "n07" else 1)
        return names_given

    wanted = [f"n{number:02}" for number in range(20)]
    done = await asyncio.gather(
        *(batched.all_together("writing", add_all, name) for name in wanted),
        batched.together("writing", add, batched, "other", 1),
        return_exceptions=True,
    )
    assert isinstance(done[7], ValueError)
    assert [one for one in done if one is not done[7]] == [*(name for name in wanted if name != "n07"), "other"]
    assert names(batched) == sorted([*(name for name in wanted if name != "n07"), "other"])
    assert max(sizes) > 10


async def test_the_trouble_of_one_is_not_that_of_the_others(batched: BatchedDatabase) -> None:
    given = [("a", 1), ("b", -1), ("c", 1), ("a", 2)]
    done = await asyncio.gather(
        *(batched.together("writing", add, batched, name, number) for name, number in given), return_exceptions=True
    )
    assert [done[0], type(done[1]), done[2], type(done[3])] == ["a", ValueError, "c", type(done[3])]
    assert isinstance(done[3], Exception)  # the name is taken
    assert names(batched) == ["a", "c"]


async def test_a_call_nobody_waits_for_any_more_is_made(batched: BatchedDatabase) -> None:
    tasks = [asyncio.create_task(batched.together("writing", add, batched, name, 1)) for name in "ab"]
    await asyncio.sleep(0)
    tasks[0].cancel()
    assert await tasks[1] == "b"
    assert names(batched) == ["a", "b"]


async def test_a_database_that_is_away_is_tried_once_and_each_has_an_error_of_its_own(
    batched: BatchedDatabase, counted: Counted
) -> None:
    counted.left = 0
    done = await asyncio.gather(
        *(batched.together("writing", add, batched, f"n{number}", 1) for number in range(20)), return_exceptions=True
    )
    assert all(isinstance(error, DatabaseUnavailable) and error.advice == "Wait." for error in done)
    assert len({id(error) for error in done}) == 20
    assert counted.begun <= 2


async def test_a_database_that_goes_away_half_way_is_not_tried_for_each(
    batched: BatchedDatabase, counted: Counted
) -> None:
    """One call breaks the batch, then the first few go by themselves, then nothing answers any more."""
    counted.left = 3
    calls = [
        batched.together("writing", add, batched, f"n{number:02}", -1 if number == 0 else 1) for number in range(9)
    ]
    done = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(done[0], ValueError)
    assert done[1] == "n01"
    assert all(isinstance(error, DatabaseUnavailable) for error in done[2:])
    assert counted.begun == 4
    assert names(batched) == ["n01"]


async def test_reading_together_sees_what_is_there(batched: BatchedDatabase) -> None:
    add(batched, "a", 1)
    assert await asyncio.gather(*(batched.together("reading", names, batched) for _ in range(5))) == [["a"]] * 5


def test_event_loops_do_not_share_a_lane(batched: BatchedDatabase) -> None:
    for name in "ab":
        asyncio.run(batched.together("writing", add, batched, name, 1))
    assert names(batched) == ["a", "b"]
