"""`masis ask` and `masis resume`."""

from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.console import AsJson, Workspace, opened, print_json
from masis.cli.searching import InDocument, OfType, OnPages, Since, Until, filters_from

if TYPE_CHECKING:
    from masis.runs.recording import OnEvent
    from masis.runs.result import RunResult
    from masis.runs.service import Masis


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
    as_json: AsJson = False,
) -> None:
    """Ask a question of a workspace's documents.

    Prints the answer with its sources and a verdict on every sentence. When the documents disagree or are silent,
    it says so; a run that needs you ends with a question and the command that answers it.

    $ masis ask "What was customer churn in fiscal 2025?" --workspace acme

    $ masis ask "Which risks rose this quarter?" -w acme --json | jq .claims
    """
    with opened(as_json=as_json) as masis:
        from masis.cli.live import watching

        filters = filters_from(document, file_type, since, until, pages)
        with watching(quiet=as_json) as on_event:
            result = masis.ask(question, workspace, max_retries=max_retries, filters=filters, on_event=on_event)
        _show(result, as_json)


def resume(
    run_id: Annotated[str, typer.Argument(help="The run that waits, as printed by `masis ask`.")],
    prefer: Annotated[
        list[str] | None, typer.Option(help="Trust this document where they disagree (repeatable).")
    ] = None,
    over: Annotated[
        list[str] | None, typer.Option(help="Do not use this document for the question (repeatable).")
    ] = None,
    both: Annotated[bool, typer.Option("--both", help="Both are right: explain the difference.")] = False,
    question: Annotated[str | None, typer.Option(help="Ask this instead.")] = None,
    again: Annotated[bool, typer.Option("--again", help="Documents were added, or a server is back.")] = False,
    accept: Annotated[bool, typer.Option("--accept", help="Take the best draft as it is.")] = False,
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
    """Answer a run that waits for a person, and let it go on.

    Without an answer, a run that was interrupted (its process was killed, or it failed) goes on from where it was.

    $ masis resume 4f2a… --prefer annual-report.pdf --over board-memo.docx --by "Ada Lovelace" --remember

    $ masis resume 4f2a… --question "What was audited revenue in 2025?"

    $ masis resume 4f2a…
    """
    with opened(as_json=as_json) as masis:
        from masis.cli.live import watching
        from masis.errors import InvalidInput

        chosen = {
            "prefer": bool(prefer or over),
            "explain_both": both,
            "refine": question is not None,
            "look_again": again,
            "accept": accept,
            "stop": stop,
        }
        actions = [action for action, given in chosen.items() if given]
        if not actions:
            with watching(quiet=as_json) as on_event:
                recovered = _recovered(masis, run_id, on_event)
            _show(recovered, as_json)
            return
        if len(actions) != 1:
            raise InvalidInput(
                "Say one thing: --prefer with --over, --both, --question, --again, --accept or --stop.",
                advice="`masis resume --help` shows examples.",
            )
        answer = {
            "action": actions[0],
            "prefer": prefer or [],
            "over": over or [],
            "question": question,
            "by": by,
            "note": note,
            "remember": remember,
        }
        with watching(quiet=as_json) as on_event:
            result = masis.resume(run_id, answer, on_event=on_event)
        _show(result, as_json)


def _recovered(masis: "Masis", run_id: str, on_event: "OnEvent | None") -> "RunResult":
    from masis.errors import InvalidInput

    if masis.run(run_id).status == "waiting":
        raise InvalidInput(
            f"Run {run_id} waits for your answer.",
            advice="Say one thing: --prefer with --over, --both, --question, --again, --accept or --stop.",
        )
    return masis.recover(run_id, on_event=on_event)


def _show(result: "RunResult", as_json: bool) -> None:
    if as_json:
        print_json(result.as_dict())
    else:
        from masis.cli.report import print_result

        print_result(result)
    if result.outcome == "unavailable":
        raise typer.Exit(1)
