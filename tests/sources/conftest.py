from collections.abc import Iterator

import pytest

from masis.settings import Settings
from masis.sources.sandbox.pool import Sandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox(Settings(parse_processes=2))
    yield sandbox
    sandbox.close()
