"""`masis ask`, `answer`, `resume`, `search` and `section`: questions, and the passages that answer them."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.console import AsJson, Workspace, beside, clear_errors, err, fitting, opened, out, print_json
from masis.cli.report import print_receipt, show_plan
from masis.language.measures import percent
from masis.types import place

if TYPE_CHECKING:
    from masis.runs.records import RunResult
    from masis.types import EvidenceChunk, SearchFilters


_SHOWN_CHARS = 400

# Search filters, shared by `search` and `ask`.
InDocument = Annotated[
    list[str] | None, typer.Option("--document", "-d", help="Search only this file, by name or id (repeatable).")
]
OfType = Annotated[
    list[str] | None, typer.Option("--type", "-t", help="Search only files of this type: pdf, xlsx (repeatable).")
]
Since = Annotated[str | None, typer.Option(help="Only documents dated on or after this date: 2024, 2024-03.")]
Until = Annotated[str | None, typer.Option(help="Only documents dated on or before this date.")]
OnPages = Annotated[str | None, typer.Option(help="Search only these pages, sheets or slides: 3 or 3-7.")]


def search(
    question: Annotated[str, typer.Argument(help="A question, or the words to look for.")],
    workspace: Workspace,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Maximum number of passages.")] = 10,
    document: InDocument = None,
    file_type: OfType = None,
    since: Since = None,
    until: Until = None,
    pages: OnPages = None,
    as_json: AsJson = False,
) -> None:
    """Show the passages that MASIS would use to answer a question, with their relevance. Calls no model.

    What is below the threshold (60%, or 55% on a retry) is shown dimmed: an answer would not use it.

    $ masis search "customer churn in 2025" --workspace acme --type pdf --since 2025
    """
    with beside(as_json=as_json) as service:
        filters = filters_from(document, file_type, since, until, pages)
        if service:
            _show_found(service.search(question, workspace, limit, filters), as_json)
            return
    with opened(as_json=as_json) as masis:
        found = masis.search(question, workspace, limit=limit, filters=filters)
        if since or until:
            _say_undated(masis.library.catalog.undated(workspace))
        _show_found(found, as_json)


def _show_found(found: "list[EvidenceChunk]", as_json: bool) -> None:
    from masis.cli.console import settings

    if as_json:
        print_json(found)
    elif not found:
        out().print("Nothing was found.")
    else:
        for number, passage in enumerate(found, start=1):
            _print_passage(number, passage, is_used=passage["score"] >= settings().relevance_threshold)


def section(
    chunk_id: Annotated[str, typer.Argument(help="The passage's id, as printed in citations and by `masis search`.")],
    workspace: Workspace,
    as_json: AsJson = False,
) -> None:
    """Show the whole section that contains a passage.

    $ masis section c0123456789 --workspace acme
    """
    with opened(as_json=as_json) as masis:
        found = masis.section(chunk_id, workspace)
        if as_json:
            print_json(asdict(found))
            return
        out().print(f"{found.file_name}, page {found.page}", style="dim", markup=False, soft_wrap=True)
        out().print(found.text, markup=False)


def _say_undated(count: int) -> None:
    if count:
        noun = "document without a date was" if count == 1 else "documents without a date were"
        err().print(f"{count} {noun} left out.", style="dim")


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
    """The id comes first and is never broken, so that it can be copied; a long file name is cut at the terminal's
    edge."""
    from rich.padding import Padding
    from rich.text import Text

    from masis.language.statements import read_out

    console = out()
    where = place(passage["page"], passage.get("label"))
    begin = f"{number:>3}. {percent(passage['score']):>4}  {passage['chunk_id']}  "
    room = console.width - len(begin) - len(where) - 2 if console.is_terminal else None
    style = "" if is_used else "dim"
    console.print(f"{begin}{fitting(passage['file_name'], room)}, {where}", style=style, markup=False, soft_wrap=True)
    start, end = (position - passage["start"] for position in passage["focus"])
    words = read_out(passage["text"][start:end], passage["text"], passage.get("heading"))
    is_cut = len(words) > _SHOWN_CHARS
    words = words[:_SHOWN_CHARS].rsplit(" ", 1)[0] if is_cut else words
    shown = f"{'… ' if start else ''}{words}{' …' if is_cut or end < len(passage['text']) else ''}"
    if console.is_terminal:
        console.print(Padding(Text(shown), (0, 0, 0, 5)), style=style)
    else:
        console.print(f"     {shown}", markup=False, soft_wrap=True)


def ask(
    workspace: Workspace,
    question: Annotated[str | None, typer.Argument(help="The question, in quotes; omit it with --file.")] = None,
    max_retries: Annotated[
        int | None,
        typer.Option(help="Maximum retries if an answer fails its audit (at most 10; 0 means the default, 2)."),
    ] = None,
    document: InDocument = None,
    file_type: OfType = None,
    since: Since = None,
    until: Until = None,
    pages: OnPages = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only estimate calls, tokens, cost and seconds.")] = False,
    max_cost: Annotated[
        float | None, typer.Option(help="Maximum cost of model calls, in US dollars.", min=0, metavar="USD")
    ] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Maximum working time, in seconds.", min=0)] = None,
    thread: Annotated[
        str | None, typer.Option(help="Follow up on this run; the question is completed from its thread.")
    ] = None,
    receipt: Annotated[bool, typer.Option("--receipt", help="Also print what each agent spent per attempt.")] = False,
    file: Annotated[Path | None, typer.Option(help="Ask all questions of this file: .csv, .jsonl or .parquet.")] = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="With --file: file to write the answers to, .csv, .jsonl or .parquet.")
    ] = None,
    parallel: Annotated[
        int | None, typer.Option(min=1, help="With --file: number of questions to process in parallel.")
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            help="With --file: ask on a Ray cluster: its address, HOST:6379; `ray` for the one in RAY_ADDRESS, or else"
            " this machine; `local` for this machine only."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask a workspace's documents a question.

    Prints the answer with its sources and a verdict on every sentence. If the documents disagree or do not cover the
    question, it says so. If the run needs your decision, it prints the question and the commands to answer it.

    $ masis ask "What was customer churn in fiscal 2025?" --workspace acme

    $ masis ask "Which risks rose this quarter?" -w acme --json | jq .claims

    $ masis ask "And the year before?" -w acme --thread 4f2a…

    $ masis ask "What did the board decide on Lyon?" -w acme --dry-run

    $ masis ask "What did the board decide on Lyon?" -w acme --max-cost 0.05 --max-seconds 60

    $ masis ask --file questions.csv --out answers.parquet -w acme --max-cost 20

    $ masis ask --file questions.csv --out answers.parquet -w acme --on head:6379
    """
    from masis.bulk import Job
    from masis.cli.bulk import ask_all, one_of
    from masis.cli.report import watching
    from masis.types import EVERYWHERE, Budget

    with clear_errors(as_json=as_json):
        given = filters_from(document, file_type, since, until, pages)
        question = one_of(question, file, out_file, on, alone=given != EVERYWHERE or bool(thread or dry_run))
    if file and out_file:
        ask_all(Job(file, workspace, out_file, parallel, max_cost, max_seconds, max_retries), on, as_json=as_json)
        return
    with beside(as_json=as_json) as service:
        filters = filters_from(document, file_type, since, until, pages)
        if service and not dry_run:
            with watching(quiet=as_json) as on_event:
                result = service.ask(
                    question,
                    workspace,
                    max_retries=max_retries,
                    filters=filters if filters != EVERYWHERE or thread is None else None,
                    thread=thread,
                    budget=Budget(max_cost, max_seconds),
                    on_event=on_event,
                )
            _show_answer(result, question, as_json, receipt)
            return
    with opened(as_json=as_json) as masis:
        if since or until:
            _say_undated(masis.library.catalog.undated(workspace))
        # In a thread, no filters means the filters of the thread.
        chosen = filters if filters != EVERYWHERE or thread is None else None
        if dry_run:
            show_plan(masis.plan(question, workspace, max_retries=max_retries, filters=filters), as_json)
            return
        budget = Budget(max_cost, max_seconds)
        with watching(quiet=as_json) as on_event:
            result = masis.ask(
                question,
                workspace,
                max_retries=max_retries,
                filters=chosen,
                budget=budget,
                thread=thread,
                on_event=on_event,
            )
        _show_answer(result, question, as_json, receipt)


def _show_answer(result: "RunResult", question: str, as_json: bool, receipt: bool) -> None:
    if not as_json and result.question not in ("", question):
        out().print(f"→ {result.question}", markup=False, soft_wrap=True)
    _show(result, as_json, receipt)


def answer(
    run_id: Annotated[str, typer.Argument(help="The run that needs a decision, as printed by `masis ask`.")],
    prefer: Annotated[
        list[str] | None, typer.Option(help="Trust this document where they disagree (repeatable).")
    ] = None,
    over: Annotated[
        list[str] | None, typer.Option(help="Do not use this document for the question (repeatable).")
    ] = None,
    both: Annotated[bool, typer.Option("--both", help="Both are right: explain both sides.")] = False,
    question: Annotated[str | None, typer.Option(help="Ask this question instead.")] = None,
    again: Annotated[bool, typer.Option("--again", help="Search again, for example after adding documents.")] = (False),
    accept: Annotated[bool, typer.Option("--accept", help="Accept the best draft as is.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="End the run.")] = False,
    remember: Annotated[
        bool,
        typer.Option(
            "--remember", help="With --prefer or --both: decide the same way when later questions meet this conflict."
        ),
    ] = False,
    by: Annotated[
        str, typer.Option(help="Name of the person who decides; recorded, and named in the answer.")
    ] = "a person",
    note: Annotated[str | None, typer.Option(help="Reason for the decision; recorded in the trail.")] = None,
    as_json: AsJson = False,
) -> None:
    """Give your decision to a run that is waiting for it; the run then continues.

    $ masis answer 4f2a… --prefer annual-report.pdf --over board-memo.docx --by "Ada Lovelace" --remember

    $ masis answer 4f2a… --question "What was audited revenue in 2025?"
    """
    with opened(as_json=as_json) as masis:
        from masis.cli.report import watching

        chosen = {
            "prefer": bool(prefer or over),
            "explain_both": both,
            "refine": question is not None,
            "look_again": again,
            "accept": accept,
            "stop": stop,
        }
        given = {
            "action": _one_action(chosen),
            "prefer": prefer or [],
            "over": over or [],
            "question": question,
            "by": by,
            "note": note,
            "remember": remember,
        }
        with watching(quiet=as_json) as on_event:
            result = masis.answer(run_id, given, on_event=on_event)
        _show(result, as_json)


def _one_action(chosen: dict[str, bool]) -> str:
    from masis.errors import InvalidInput

    actions = [action for action, given in chosen.items() if given]
    if len(actions) != 1:
        raise InvalidInput(
            "Choose exactly one of --prefer with --over, --both, --question, --again, --accept and --stop.",
            advice="`masis answer --help` shows examples.",
        )
    return actions[0]


def resume(
    run_id: Annotated[str, typer.Argument(help="The run, as printed by `masis ask` or `masis runs`.")],
    as_json: AsJson = False,
) -> None:
    """Resume a run that failed or whose process was killed, from its last checkpoint.

    $ masis resume 4f2a…
    """
    with opened(as_json=as_json) as masis:
        from masis.cli.report import watching

        with watching(quiet=as_json) as on_event:
            result = masis.resume(run_id, on_event=on_event)
        _show(result, as_json)


def _show(result: "RunResult", as_json: bool, receipt: bool = False) -> None:
    if as_json:
        print_json(result.as_dict())
    else:
        from masis.cli.report import print_result

        print_result(result)
        if receipt:
            print_receipt(result)
    if result.outcome == "unavailable":
        raise typer.Exit(1)
