"""Lists in pages: `limit` and an opaque `cursor` go in, `items` and `next_cursor` come out."""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Annotated, Generic, TypeVar

from fastapi import Query
from pydantic import BaseModel, Field

from masis.errors import InvalidInput

Item = TypeVar("Item")
Model = TypeVar("Model", bound=BaseModel)

Limit = Annotated[int, Query(ge=1, le=200, description="How many at most.")]
Cursor = Annotated[
    str | None, Query(max_length=2000, description="`next_cursor` of the page before; absent for the first page.")
]


class Page(BaseModel, Generic[Model]):
    items: list[Model]
    next_cursor: str | None = Field(None, description="Give it as `cursor` for the next page; null on the last.")


def cursor_after(position: str) -> str:
    return base64.urlsafe_b64encode(position.encode()).decode().rstrip("=")


def position_of(cursor: str | None) -> str | None:
    if cursor is None:
        return None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        raise InvalidInput("This cursor is not one of ours.", advice="Take `next_cursor` of the page before.") from None


def cut(found: Sequence[Item], limit: int, position: Callable[[Item], str]) -> tuple[Sequence[Item], str | None]:
    """Of one more than `limit` that were asked for, the page and where the next begins."""
    shown = found[:limit]
    return shown, cursor_after(position(shown[-1])) if len(found) > limit else None


def cut_sorted(
    found: Sequence[Item],
    limit: int,
    cursor: str | None,
    position: Callable[[Item], str],
    *,
    newest_first: bool = False,
) -> tuple[Sequence[Item], str | None]:
    """A page of a list that is small enough to have whole, in the order of its positions."""
    seen = position_of(cursor)
    ordered = sorted(found, key=position, reverse=newest_first)
    if seen is not None:
        ordered = [each for each in ordered if (position(each) < seen if newest_first else position(each) > seen)]
    return cut(ordered, limit, position)
