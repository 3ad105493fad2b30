"""Tables of an older format: what going back leaves is what that format would have made."""

import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from masis import DataFolderError, InvalidInput, Settings
from masis.access.audit_log import ACCESS
from masis.bulk.migrating import go_back_to
from masis.cli.app import app
from masis.database import LIMITS, Schema, go_back, open_database
from masis.knowledge.catalog_rows import CATALOG
from masis.runs.tables import RUNS
from tests.support.servers import PostgresServer

SCHEMAS = [RUNS, CATALOG, ACCESS, LIMITS]
FORMATS = [(schema, version) for schema in SCHEMAS for version in range(1, len(schema.steps) + 1)]
NAMES = [f"{schema.name}={version}" for schema, version in FORMATS]
ON_SQLITE = 'SELECT m.name, c.name, c.type, c."notnull" FROM sqlite_master m LEFT JOIN pragma_table_info(m.name) c'
ON_POSTGRES = """
    SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT tablename, indexname, '', '' FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT relname, COALESCE(array_to_string(reloptions, ' '), ''), '', '' FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"""


def tables(settings: Settings, schema: Schema) -> set[tuple[object, ...]]:
    """What a version that knows the schema so far finds, without changing anything."""
    database = open_database(settings, schema)
    try:
        with database.reading() as db:
            rows = db.execute(ON_POSTGRES if settings.database_url else ON_SQLITE).fetchall()
            version = db.execute("SELECT version FROM schema_versions WHERE name = ?", (schema.name,)).fetchone()
            return {*(tuple(row) for row in rows), ("version", version[0])}
    finally:
        database.close()


def upto(schema: Schema, version: int) -> Schema:
    return replace(schema, steps=schema.steps[:version], back=schema.back[: version - 1])


def made(settings: Settings, schema: Schema) -> None:
    database = open_database(settings, schema)
    with database.writing():
        pass
    database.close()


@pytest.fixture(params=["sqlite", "postgres"])
def two_places(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Settings, Settings]]:
    if request.param == "sqlite":
        yield Settings(home=tmp_path / "old"), Settings(home=tmp_path / "new")
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    names = [f"test_{secrets.token_hex(8)}" for _ in range(2)]
    old, new = (Settings(home=tmp_path, database_url=server.database(name)) for name in names)
    yield old, new
    for name in names:
        server.drop(name)


@pytest.mark.parametrize(("schema", "version"), FORMATS, ids=NAMES)
def test_going_back_leaves_the_tables_of_that_format(
    two_places: tuple[Settings, Settings], schema: Schema, version: int
) -> None:
    old, new = two_places
    made(old, upto(schema, version))
    made(new, schema)
    go_back(new, schema, version)
    assert tables(new, upto(schema, version)) == tables(old, upto(schema, version))
    made(new, schema)
    assert ("version", len(schema.steps)) in tables(new, schema), "this version upgrades them again"


def test_every_step_can_be_undone() -> None:
    assert all(len(schema.back) == len(schema.steps) - 1 for schema in SCHEMAS)


@pytest.mark.parametrize("wanted", ["runs", "runs=x", "runs=0", "runs=99", "walks=3", ""])
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_format_that_does_not_exist_is_refused(tmp_path: Path, wanted: str, dry_run: bool) -> None:
    with pytest.raises(InvalidInput):
        go_back_to(Settings(home=tmp_path), wanted, dry_run=dry_run)


def test_what_both_formats_store_is_still_there(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    database = open_database(settings, ACCESS)
    with database.writing() as db:
        columns = "key_id, name, role, workspaces, digest, created_at"
        db.execute(f"INSERT INTO api_keys ({columns}) VALUES ('k', 'n', 'r', '', '', '')")
    database.close()
    assert go_back_to(settings, "access=1", dry_run=True) == ["ALTER TABLE api_keys DROP COLUMN keeps_closed"]
    go_back_to(settings, "access=1")
    older = open_database(settings, upto(ACCESS, 1))
    with older.reading() as db:
        assert db.execute("SELECT name FROM api_keys").fetchone()[0] == "n"
    older.close()


def test_the_command_shows_asks_and_undoes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASIS_HOME", str(tmp_path))
    made(Settings(home=tmp_path), ACCESS)
    shown = CliRunner().invoke(app, ["migrate", "--back", "access=1", "--dry-run"])
    assert (shown.exit_code, "keeps_closed" in shown.stdout, "1 change to undo." in shown.stdout) == (0, True, True)
    assert CliRunner().invoke(app, ["migrate", "--back", "access=1"], input="n\n").exit_code == 1
    with pytest.raises(DataFolderError, match="format 2 of its access, not 1") as refused:
        made(Settings(home=tmp_path), upto(ACCESS, 1))
    assert "masis migrate --back access=1" in refused.value.advice
    done = CliRunner().invoke(app, ["migrate", "--back", "access=1", "--yes"])
    assert (done.exit_code, "1 change undone." in done.stdout) == (0, True)
    made(Settings(home=tmp_path), upto(ACCESS, 1))
