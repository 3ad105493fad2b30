import pytest

from masis.access.audit_log import access_database, secret_for
from masis.errors import InvalidInput
from masis.settings import Settings


def test_made_once_and_kept(settings: Settings) -> None:
    first = secret_for("keys", settings, access_database(settings))
    assert secret_for("keys", settings, access_database(settings)) == first
    assert secret_for("sessions", settings, access_database(settings)) != first
    assert len(first) == 32


def test_the_given_one_decides_and_is_not_kept(settings: Settings) -> None:
    database = access_database(settings)
    given = Settings(home=settings.home, database_url=settings.database_url, secret_key="g" * 40)
    assert secret_for("keys", given, database) != secret_for("keys", settings, database)
    with database.reading() as db:
        assert "g" * 40 not in str(db.execute("SELECT secret FROM access_secret").fetchall())
    assert "g" * 40 not in repr(given)


def test_a_short_one_is_refused_without_being_shown(settings: Settings) -> None:
    short = Settings(home=settings.home, database_url=settings.database_url, secret_key="hunter2")
    with pytest.raises(InvalidInput) as refused:
        secret_for("keys", short, access_database(short))
    assert "hunter2" not in str(refused.value) + refused.value.advice
