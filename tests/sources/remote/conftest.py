"""Servers that the tests of sources read from, and a way to list them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from masis.settings import Settings
from masis.sources.remote.listing import Ignore, Listing, Wanted, listed


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """What every server serves."""
    folder = tmp_path / "served"
    (folder / "sub folder").mkdir(parents=True)
    (folder / "one.md").write_text("# One\n\nThe first file.\n")
    (folder / "sub folder" / "zwei ü.txt").write_text("The second file.\n")
    (folder / "left.tmp").write_text("left out")
    return folder


@pytest.fixture
def listing_of(tmp_path: Path) -> Iterator[Callable[..., Listing]]:
    made: list[Listing] = []

    def look(address: str, *, is_trusted: bool = True, **settings: object) -> Listing:
        chosen = Settings(home=tmp_path / "home").model_copy(update=settings)
        made.append(listed(Wanted(address, Ignore(["*.tmp"]), chosen, is_trusted)))
        return made[-1]

    yield look
    for listing in made:
        listing.close()
