"""`masis ask`, `masis answer` and `masis resume`."""

from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.console import AsJson, Workspace, opened, print_json
from masis.cli.costs import print_receipt, show_plan
from masis.cli.searching import InDocument, OfType, OnPages, Since, Until, filters_from, say_undated

if TYPE_CHECKING:
    from masis.runs.result import RunResult


def ask(
    question: Annotated[str, typer.Argument(help="The question, in quotes.")],
    workspace: Workspace,
    max_retries: Annotated[
        int | None,
        typer.Option(
            help="Further attempts when an answer does not pass its audit (at most 10; 0 means the default, 2)."
        ),
    ] = None,
    document: InDocument = None,
    file_type: OfType = None,
    since: Since = None,
    until: Until = None,
    pages: OnPages = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what it would take: calls, tokens, money, seconds.")
    ] = False,
    max_cost: Annotated[
        float | None, typer.Option(help="Spend at most so many US dollars on models.", min=0, metavar="USD")
    ] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Work at most so many seconds.", min=0)] = None,
    receipt: Annotated[bool, typer.Option("--receipt", help="Also what each agent spent in each attempt.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask a question of a workspace's documents.

    Prints the answer with its sources and a verdict on every sentence. When the documents disagree or are silent,
    it says so; a run that needs your decision ends with a question and the commands that answer it.

    $ masis ask "What was customer churn in fiscal 2025?" --workspace acme

    $ masis ask "Which risks rose this quarter?" -w acme --json | jq .claims

    $ masis ask "What did the board decide on Lyon?" -w acme --dry-run

    $ masis ask "What did the board decide on Lyon?" -w acme --max-cost 0.05 --max-seconds 60
    """
    with opened(as_json=as_json) as masis:
        from masis.cli.live import watching
        from masis.types import Budget

        filters = filters_from(document, file_type, since, until, pages)
        if since or until:
            say_undated(masis.library.catalog.undated(workspace))
        if dry_run:
            show_plan(masis.plan(question, workspace, max_retries=max_retries, filters=filters), as_json)
            return
        budget = Budget(max_cost, max_seconds)
        with watching(quiet=as_json) as on_event:
            result = masis.ask(
                question, workspace, max_retries=max_retries, filters=filters, budget=budget, on_event=on_event
            )
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
    question: Annotated[str | None, typer.Option(help="Ask this instead.")] = None,
    again: Annotated[bool, typer.Option("--again", help="Search again: documents were added, or a server is back.")] = (
        False
    ),
    accept: Annotated[bool, typer.Option("--accept", help="Accept the best draft as it is.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="End the run.")] = False,
    remember: Annotated[
        bool,
        typer.Option(
            "--remember", help="With --prefer or --both: decide the same way when later questions meet this conflict."
        ),
    ] = False,
    by: Annotated[str, typer.Option(help="Who decides; recorded, and named in the answer.")] = "a person",
    note: Annotated[str | None, typer.Option(help="Why; recorded in the trail.")] = None,
    as_json: AsJson = False,
) -> None:
    """Answer a run that needs your decision; the run then continues.

    $ masis answer 4f2a… --prefer annual-report.pdf --over board-memo.docx --by "Ada Lovelace" --remember

    $ masis answer 4f2a… --question "What was audited revenue in 2025?"
    """
    with opened(as_json=as_json) as masis:
        from masis.cli.live import watching

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
        from masis.cli.live import watching

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
