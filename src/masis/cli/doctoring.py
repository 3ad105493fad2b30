"""`masis doctor`: what is configured, which services respond, what a question costs."""

import typer

from masis.cli.console import AsJson, opened, out, print_json


def doctor(as_json: AsJson = False) -> None:
    """Check the set-up: data folder, index, embedder, models. Asks each configured model two short questions.

    Exits with 1 when something that is configured does not work.

    $ masis doctor

    $ OPENAI_API_KEY=… masis doctor --json
    """
    with opened(as_json=as_json) as masis:
        from dataclasses import asdict

        findings = masis.checkup()
        if as_json:
            print_json([asdict(finding) for finding in findings])
        else:
            from rich.markup import escape

            for finding in findings:
                mark = {"ok": "[green]✓[/green]", "note": "[yellow]![/yellow]", "bad": "[red]✗[/red]"}[finding.state]
                out().print(f"{mark} [bold]{finding.part:<12}[/bold] {escape(finding.found)}")
                if finding.advice:
                    out().print(f"  {'':<12} [dim]{escape(finding.advice)}[/dim]")
        if any(finding.state == "bad" for finding in findings):
            raise typer.Exit(1)
