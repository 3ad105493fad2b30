"""`masis cancel` and `masis delete`: ending a run, and removing runs, documents, sources and more."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.console import AsJson, Workspace, opened, record, show
from masis.cli.running import RunId
from masis.wording import counted

if TYPE_CHECKING:
    from masis.types import DeletionReceipt

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]

delete = typer.Typer(
    no_args_is_help=True,
    help="""Permanently delete a run, document, source, workspace or decision.

    $ masis delete document report.pdf --workspace acme""",
)


def cancel(run_id: RunId, as_json: AsJson = False) -> None:
    """Stop a run that is queued, running or waiting for a decision.

    $ masis cancel 4f2a…
    """
    with opened(as_json=as_json) as masis:
        run = masis.cancel(run_id)
        said = "will stop at once" if run.status == "running" else f"is {run.status}"
        show(asdict(run), f"Run {run_id} {said}.", as_json=as_json)


@delete.command("run")
def delete_run(run_id: RunId, as_json: AsJson = False) -> None:
    """Delete a run with its answer, trail and checkpoints.

    $ masis delete run 4f2a…
    """
    with opened(as_json=as_json) as masis:
        workspace = masis.get_run(run_id).workspace_id
        masis.delete_run(run_id)
        record(masis, "run.delete", workspace, run_id)
        show({"deleted": run_id}, f"Run {run_id} was deleted.", as_json=as_json)


@delete.command("document")
def delete_document(
    document: Annotated[str, typer.Argument(help="A document's file name or id.")],
    workspace: Workspace,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete a document and everything derived from it: passages, vectors, text, stored file and caches.

    Prints a receipt of what was removed.

    $ masis delete document report.pdf --workspace acme
    """
    with opened(as_json=as_json) as masis:
        _confirm(f"{document} from {workspace}", yes)
        receipt = masis.delete_document(document, workspace)
        record(masis, "document.delete", workspace, document)
        _print_receipt(receipt, as_json)


@delete.command("workspace")
def delete_workspace(
    workspace: Annotated[str, typer.Argument(help="The workspace's name.")], yes: Yes = False, as_json: AsJson = False
) -> None:
    """Delete a workspace and everything in it: documents, index, stored files, caches, runs and decisions.

    Prints a receipt of what was removed.

    $ masis delete workspace acme --yes --json
    """
    with opened(as_json=as_json) as masis:
        _confirm(f"the workspace {workspace} and everything in it", yes)
        receipt = masis.delete_workspace(workspace)
        record(masis, "workspace.delete", workspace, workspace)
        _print_receipt(receipt, as_json)


@delete.command("decision")
def delete_decision(
    decision_id: Annotated[str, typer.Argument(help="The decision, as printed by `masis decisions`.")],
    workspace: Workspace,
    as_json: AsJson = False,
) -> None:
    """Delete a standing decision. The next question that runs into the conflict needs a decision again.

    $ masis delete decision 8c1d… --workspace acme
    """
    with opened(as_json=as_json) as masis:
        gone = masis.delete_decision(workspace, decision_id)
        said = f"Deleted: {gone['about']}. The next question that meets this conflict will ask again."
        show(gone, said, as_json=as_json)


@delete.command("source")
def delete_source(
    source: Annotated[str, typer.Argument(help="A folder or an address, as printed by `masis sources`.")],
    workspace: Workspace,
    as_json: AsJson = False,
) -> None:
    """Stop syncing a source. Its documents stay.

    $ masis delete source reports/ --workspace acme
    """
    with opened(as_json=as_json) as masis:
        from masis.sources.remote.listing import address_of

        gone = masis.delete_source(workspace, address_of(source))
        record(masis, "source.delete", workspace, gone.address)
        show(asdict(gone), f"{gone.address} is no longer synced.", as_json=as_json)


def _confirm(what: str, yes: bool) -> None:
    if not yes and not typer.confirm(f"Delete {what}?", err=True):
        raise typer.Exit(1)


def _print_receipt(receipt: "DeletionReceipt", as_json: bool) -> None:
    said = (
        f"Deleted {counted(receipt.documents, 'document')}: {counted(receipt.chunks, 'passage')} with their "
        f"vectors, {receipt.text_chars} characters of text, {receipt.bytes} bytes of originals, "
        f"{counted(receipt.cached_vectors, 'cached vector')}, {counted(receipt.runs, 'run')}."
    )
    show(asdict(receipt), said, as_json=as_json)
