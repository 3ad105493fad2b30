"""`masis keys` and `masis audit-log`: who may use the service, and what they did."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from masis.cli.console import AsJson, clear_errors, out, print_json, print_table, settings, show

if TYPE_CHECKING:
    from masis.access.api_key import ApiKey

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="""Create, list and revoke API keys. Once a key exists, every caller needs one.

    $ masis keys create "Ada's laptop" --role write --workspace acme --expires 90d

    $ masis keys list

    $ masis keys revoke 3f9a0c12be77""",
)


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="Its owner or purpose; shown in the audit log.")],
    workspaces: Annotated[
        list[str],
        typer.Option("--workspace", "-w", help="A workspace the key gives access to (repeatable); '*' for all."),
    ],
    role: Annotated[
        str,
        typer.Option(
            "--role",
            "-r",
            help="read: view and search. write: also ask, answer, upload and delete documents and runs. "
            "admin: also workspaces, keys and the audit log.",
        ),
    ] = "read",
    expires: Annotated[
        str | None,
        typer.Option("--expires", help="A duration (12h, 90d, 8w) or a date (2027-01-31, inclusive, UTC)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a key and print its token, which is shown only once; MASIS stores only a digest.

    $ masis keys create "Ada's laptop" --role write --workspace acme --expires 90d

    $ masis keys create backup-admin --role admin --workspace '*' --json
    """
    with clear_errors(as_json=as_json):
        from masis.access.api_key import LOCAL_ADMIN
        from masis.access.audit_log import AuditLog
        from masis.access.keys import Keys, checked_role, grant_key

        configured = settings()
        key, token = grant_key(
            Keys(configured), AuditLog(configured), LOCAL_ADMIN, name, checked_role(role), workspaces, expires
        )
        if as_json:
            print_json({**asdict(key), "token": token})
        else:
            _print_new(key, token)


def _print_new(key: "ApiKey", token: str) -> None:
    # Not through rich: a wrapped token cannot be copied.
    typer.echo(f"Key {key.key_id} for {key.name}: {_rights(key)}, {_ends(key)}.")
    typer.echo("Its token, shown only this once:\n")
    typer.echo(f"    {token}\n")
    typer.echo("Use it while the service is running:\n")
    typer.echo(f"    {_example(key, token)}")


def _example(key: "ApiKey", token: str) -> str:
    workspace = "NAME" if key.workspaces == ("*",) else key.workspaces[0]
    address = f"curl http://127.0.0.1:8000/masis/workspaces/{workspace}"
    bearer = f"-H 'Authorization: Bearer {token}'"
    if key.role == "read":
        return f"{address}/documents {bearer}"
    question = """-d '{"query": "What was customer churn in 2025?"}'"""
    return f"{address} {bearer} -H 'Content-Type: application/json' {question}"


@app.command("list")
def list_keys(as_json: AsJson = False) -> None:
    """List the keys, newest first, with rights, last use and expiry. Tokens are not stored.

    $ masis keys list --json
    """
    with clear_errors(as_json=as_json):
        from masis.access.keys import Keys

        found = Keys(settings()).list()
        if as_json:
            print_json([asdict(key) for key in found])
        elif not found:
            out().print(
                "No keys: the service accepts only this machine. Create one: "
                "[cyan]masis keys create NAME --role write --workspace NAME[/cyan]"
            )
        else:
            rows = [(k.key_id, k.name, _rights(k), _ends(k), _minute(k.last_used_at)) for k in found]
            print_table(["key", "name", "may", "ends", "used (UTC)"], rows, cut=(1, 2))


@app.command("revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(help="The key's id: the part of its token between the two underscores.")],
    as_json: AsJson = False,
) -> None:
    """Revoke a key, effective with the next request. It stays in the list and cannot be restored.

    $ masis keys revoke 3f9a0c12be77
    """
    with clear_errors(as_json=as_json):
        from masis.access.api_key import LOCAL_ADMIN
        from masis.access.audit_log import AuditLog
        from masis.access.keys import Keys, revoke_key

        configured = settings()
        keys = Keys(configured)
        key = revoke_key(keys, AuditLog(configured), LOCAL_ADMIN, key_id)
        if as_json:
            print_json(asdict(key))
            return
        typer.echo(f"Revoked {key.key_id} ({key.name}).")
        if all(each.revoked_at for each in keys.list()):
            typer.echo("It was the last one: nobody can call the service until you create another, or run")
            typer.echo("`masis keys stop-asking` to let this machine call it without a key.")


@app.command("stop-asking")
def stop_asking(as_json: AsJson = False) -> None:
    """Let this machine use the service without a key again. Revoke all keys first.

    A service that has had keys asks for one even if its database is lost, until you run this on its machine.

    $ masis keys stop-asking
    """
    with clear_errors(as_json=as_json):
        from masis.access.audit_log import AuditLog
        from masis.access.keys import Keys
        from masis.types import LOCAL

        configured = settings()
        Keys(configured).stop_asking()
        AuditLog(configured).record(LOCAL, "keys.stop_asking")
        said = "Keys are no longer required; the service accepts requests from this machine only."
        show({"needs_key": False}, said, as_json=as_json)


def audit_log(
    workspace: Annotated[
        str | None, typer.Option("--workspace", "-w", help="Only entries about this workspace.")
    ] = None,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="Maximum number of entries.")] = 50,
    before: Annotated[
        str | None, typer.Option("--before", help="Only entries older than this entry_id (see --json).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show who did what, newest first: keys created and revoked, documents and runs added and deleted.

    $ masis audit-log -w acme -n 20

    $ masis audit-log --json
    """
    with clear_errors(as_json=as_json):
        from masis.access.audit_log import AuditLog

        found = AuditLog(settings()).entries(workspace, number, before)
        if as_json:
            print_json([asdict(entry) for entry in found])
        elif not found:
            out().print("The audit log is empty.")
        else:
            rows = [
                (_minute(e.at), e.who, e.action, e.workspace_id or "", e.subject or "", e.detail or "") for e in found
            ]
            print_table(["when (UTC)", "who", "did", "workspace", "to", "detail"], rows, cut=(1, 5))


def _rights(key: "ApiKey") -> str:
    where = "all workspaces" if key.workspaces == ("*",) else ", ".join(key.workspaces)
    return f"{key.role} in {where}"


def _ends(key: "ApiKey") -> str:
    if key.revoked_at:
        return f"revoked {_minute(key.revoked_at)}"
    return f"until {_minute(key.expires_at)}" if key.expires_at else "no end"


def _minute(moment: str | None) -> str:
    return moment[:16].replace("T", " ") if moment else "never"
