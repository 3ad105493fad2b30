"""`masis`: one file per command group, assembled here."""

from typing import Annotated

import typer

from masis.cli import answering, chat, ending, keys, library, maintenance, running, serving, syncing

app = typer.Typer(
    name="masis",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    add_completion=False,
    pretty_exceptions_enable=False,
    help="""Answers you can defend. Five agents answer a question from your documents, cite every
    sentence, audit themselves, and say what the documents do not.

    Start here

    $ masis ingest reports/ --workspace acme

    $ masis ask "What was customer churn in 2025?" --workspace acme

    Works with no key and no server. With OPENAI_API_KEY, or MASIS_MODEL_BASE_URL for any compatible server, chat
    models write and audit; masis doctor shows what is configured.""",
)

app.command("ask")(answering.ask)
app.command("chat")(chat.chat)
app.command("answer")(answering.answer)
app.command("resume")(answering.resume)
app.command("cancel")(ending.cancel)
app.add_typer(ending.delete, name="delete")
app.add_typer(running.runs, name="runs")
app.command("open")(running.open_run)
app.command("decisions")(running.decisions)
app.command("feedback")(running.feedback)
app.command("usage")(running.usage)
app.command("ingest")(library.ingest)
app.command("sync")(syncing.sync)
app.command("sources")(syncing.sources)
app.command("search")(answering.search)
app.command("section")(answering.section)
app.command("workspaces")(library.workspaces)
app.command("documents")(library.documents)
app.command("reindex")(maintenance.reindex)
app.command("calibrate")(maintenance.calibrate)
app.command("mcp")(serving.mcp)
app.add_typer(keys.app, name="keys")
app.command("audit-log")(keys.audit_log)
app.command("serve")(serving.serve)
app.command("worker")(serving.worker)
app.command("migrate")(maintenance.migrate)
app.add_typer(maintenance.index, name="index")
app.command("doctor")(maintenance.doctor)


def _print_version(wanted: bool) -> None:
    if wanted:
        from masis._version import __version__

        typer.echo(f"masis {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None: ...
