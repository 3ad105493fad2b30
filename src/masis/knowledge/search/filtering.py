"""Where a search may look, as a person says it and as the store is asked."""

from collections.abc import Sequence

from masis.errors import InvalidInput
from masis.knowledge.catalog import Catalog
from masis.knowledge.store.port import StoreFilters, days_of
from masis.types import SearchFilters


def store_filters(catalog: Catalog, workspace_id: str, filters: SearchFilters) -> StoreFilters:
    """Raises InvalidInput for a document that is not there, or a date that is none."""
    return StoreFilters(
        document_ids=_document_ids(catalog, workspace_id, filters.documents),
        file_types=tuple(kind.lower().lstrip(".") for kind in filters.file_types),
        first_day=_day(filters.dated_from, 0),
        last_day=_day(filters.dated_to, 1),
        pages=filters.pages,
    )


def _document_ids(catalog: Catalog, workspace_id: str, wanted: Sequence[str]) -> tuple[str, ...]:
    if not wanted:
        return ()
    documents = catalog.documents(workspace_id)
    found: list[str] = []
    for name in wanted:
        ids = [d.document_id for d in documents if name in (d.document_id, d.file_name)]
        if not ids:
            raise InvalidInput(
                f"There is no document {name[:80]!r} in {workspace_id}.",
                advice=f"List them with `masis documents --workspace {workspace_id}`.",
            )
        found += ids
    return tuple(found)


def _day(date: str | None, end: int) -> int | None:
    if date is None:
        return None
    days = days_of(date)
    if days is None:
        raise InvalidInput(f"{date[:40]!r} is not a date.", advice="Write 2025, 2025-03 or 2025-03-31.")
    return days[end]
