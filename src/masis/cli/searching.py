"""`masis search`: the passages a question would be answered from, without asking any model."""

from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.console import AsJson, Workspace, err, opened, out, print_json

if TYPE_CHECKING:
    from masis.types import EvidenceChunk, SearchFilters

_SHOWN_CHARS = 400

# Where to look: the same for a search and for a question.
InDocument = Annotated[
    list[str] | None, typer.Option("--document", "-d", help="Only in this file, by name or id; may be repeated.")
]
OfType = Annotated[
    list[str] | None, typer.Option("--type", "-t", help="Only in files that end so: pdf, xlsx; may be repeated.")
]
Since = Annotated[str | None, typer.Option(help="Only documents dated then or later: 2024, 2024-03.")]
Until = Annotated[str | None, typer.Option(help="Only documents dated then or earlier.")]
OnPages = Annotated[str | None, typer.Option(help="Only on this page, sheet or slide, or from–to: 3, 3-7.")]


def search(
    question: Annotated[str, typer.Argument(help="A question, or the words to look for.")],
    workspace: Workspace,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="How many passages.")] = 10,
    document: InDocument = None,
    file_type: OfType = None,
    since: Since = None,
    until: Until = None,
    pages: OnPages = None,
    as_json: AsJson = False,
) -> None:
    """Show the passages that a question would be answered from, with their relevance. No model is asked.

    What is below the threshold (0.60, or 0.55 on a retry) is shown dimmed: an answer would not use it.

    $ masis search "customer churn in 2025" --workspace acme --type pdf --since 2025
    """
    with opened(as_json=as_json) as masis:
        filters = filters_from(document, file_type, since, until, pages)
        found = masis.search(question, workspace, limit=limit, filters=filters)
        if since or until:
            say_undated(masis.library.catalog.undated(workspace))
        if as_json:
            print_json(found)
        elif not found:
            out().print("Nothing was found.")
        else:
            for number, passage in enumerate(found, start=1):
                _print_passage(number, passage, is_used=passage["score"] >= masis.settings.relevance_threshold)


def say_undated(count: int) -> None:
    if count:
        noun = "document has" if count == 1 else "documents have"
        err().print(f"{count} {noun} no date and can be in no range: left out.", style="dim")


def filters_from(
    documents: list[str] | None, file_types: list[str] | None, since: str | None, until: str | None, pages: str | None
) -> "SearchFilters":
    from masis.types import SearchFilters

    return SearchFilters(tuple(documents or ()), tuple(file_types or ()), since, until, _pages(pages))


def _pages(wanted: str | None) -> tuple[int, int] | None:
    if wanted is None:
        return None
    first, _, last = wanted.replace("–", "-").partition("-")
    try:
        return int(first), int(last or first)
    except ValueError:
        from masis.errors import InvalidInput

        raise InvalidInput(
            f"{wanted[:40]!r} is not a page range.", advice="Write a page number or a range: 3, 3-7."
        ) from None


def _print_passage(number: int, passage: "EvidenceChunk", *, is_used: bool) -> None:
    from rich.markup import escape

    place = passage.get("label") or f"page {passage['page']}"
    start, end = (position - passage["start"] for position in passage["focus"])
    words = " ".join(passage["text"][start:end].split())
    shown = f"{'… ' if start else ''}{words[:_SHOWN_CHARS]}{' …' if end < len(passage['text']) else ''}"
    style = "" if is_used else "dim"
    out().print(
        f"{number:>3}. [bold]{passage['score']:.2f}[/bold] {escape(passage['file_name'])}, {escape(place)} "
        f"[dim]\\[{passage['chunk_id']}][/dim]",
        style=style,
    )
    out().print(f"     {escape(shown)}", style=style)
