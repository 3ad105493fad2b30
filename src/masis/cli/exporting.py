"""`masis runs export`: a run as a file to hand on."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.console import err, opened

if TYPE_CHECKING:
    from masis.client import Masis

RunId = Annotated[str, typer.Argument(help="The run, as printed by `masis ask` or `masis runs`.")]


def export_run(
    run_id: RunId,
    form: Annotated[
        str | None, typer.Option("--format", "-f", help="json, md, html, docx or pdf; unset, as the file is called.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write it; unset, printed.")] = None,
) -> None:
    """Write a run as a file: its answer with footnoted sources, verdicts, conflicts, scores and trail.

    JSON holds everything.

    $ masis runs export 4f2a… -o answer.docx

    $ masis runs export 4f2a… --format md
    """
    with opened(as_json=False) as masis:
        data = _exported(masis, run_id, form or (output.suffix.removeprefix(".") if output else "md"), output)
        if output is None:
            sys.stdout.buffer.write(data)
            return
        _write(output, data)
        err().print(f"Run {run_id} was written to {output}.", markup=False)


def _exported(masis: "Masis", run_id: str, form: str, output: Path | None) -> bytes:
    from masis.errors import InvalidInput
    from masis.export.formats import FORMATS, exported
    from masis.export.pack import Pack

    known = next((each for each in FORMATS if each == form.lower()), None)
    if known is None:
        raise InvalidInput(f"“{form[:40]}” is not an export format.", advice=f"Choose among: {', '.join(FORMATS)}.")
    if output is None and known in ("docx", "pdf") and sys.stdout.isatty():
        raise InvalidInput(f"A {known} file cannot be printed.", advice="Name a file with --output.")
    record, result = masis.get_run(run_id), masis.result(run_id)
    if result is None or record.status in ("queued", "running"):
        raise InvalidInput(
            f"Run {run_id} is {record.status}.", advice="Export it when it is finished or needs your decision."
        )
    return exported(Pack(record, result, masis.events(run_id)), known)


def _write(output: Path, data: bytes) -> None:
    from masis.errors import InvalidInput

    try:
        output.write_bytes(data)
    except OSError as error:
        raise InvalidInput(f"{output} cannot be written: {error.strerror}.", advice="Name another file.") from None
