"""`masis calibrate`: makes 0.60 and 0.55 mean for the embedder in use what they mean for the embedded one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.console import AsJson, opened, out, print_json

if TYPE_CHECKING:
    from masis.knowledge.calibration.fitting import Profile


def calibrate(
    workspace: Annotated[
        str | None, typer.Option("--workspace", "-w", help="Whose passages to use; all workspaces when not given.")
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            "-q",
            help='JSON lines {"question", "passage"} or {"question", "document"}; a question alone is off-topic.',
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be kept, and keep nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fit the relevance scale to the embedder in use, so that 0.60 and 0.55 keep and drop what they should.

    The same questions and passages go through it and through the embedded model, which is the reference. Without
    --questions they are made from the passages themselves. Only the embedder is asked, no chat model.

    $ MASIS_EMBEDDING_MODEL=text-embedding-3-small masis calibrate --workspace acme

    $ masis calibrate --questions labelled.jsonl --dry-run
    """
    with opened(as_json=as_json) as masis:
        from masis.knowledge.calibration.run import calibrate_library
        from masis.orchestrator.twin import run_blocking

        profile = run_blocking(calibrate_library(masis.library, masis.settings, workspace, questions, dry_run=dry_run))
        if as_json:
            print_json({**profile.as_json(), "saved": not dry_run})
        else:
            _print_profile(profile, is_saved=not dry_run)


def _print_profile(profile: "Profile", *, is_saved: bool) -> None:
    from rich.markup import escape
    from rich.table import Table

    console = out()
    console.print(f"[bold]{escape(profile.embedder)}[/bold], {escape(profile.source)}")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for title in ("relevance", "cosine", f"{profile.reference}", "before", "calibrated"):
        table.add_column(title)
    cosines = {relevance: cosine for cosine, relevance in profile.points}
    for rates in profile.rates:
        if rates.threshold in cosines:
            shares = (rates.reference, rates.uncalibrated, rates.calibrated)
            table.add_row(f"{rates.threshold:.2f}", f"{cosines[rates.threshold]:.3f}", *map(_shares, shares))
    console.print(table)
    console.print("[dim]Share of questions whose answer passes / of off-topic questions that find something.[/dim]")
    console.print("Kept: searches use it from now on." if is_saved else "Nothing was kept (--dry-run).")


def _shares(shares: tuple[float, float]) -> str:
    on_topic, off_topic = shares
    return f"{on_topic:.0%} / {off_topic:.0%}"
