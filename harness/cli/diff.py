"""``windtunnel diff``: what a new certificate has that an old one had not, and the other way round."""

from pathlib import Path

import click
from rich.console import Console

from harness.report.comparing import compared, read
from harness.report.files import laid_out
from harness.report.text import escape_line


@click.command("diff")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As JSON, one document.")
def command(old: Path, new: Path, as_json: bool) -> int:
    """Compare two certificates, or two reports: clauses and levels gained and lost, and what has moved.

    Exit 1 when a clause or a level was lost, else 0.

    \b
    windtunnel diff last/certificate.json windtunnel-report/certificate.json
    windtunnel diff last windtunnel-report
    """
    console = Console(soft_wrap=True, quiet=as_json)
    found = compared(read(old), read(new))
    for word, rows in (("[bold red]lost[/]", found.lost), ("[green]gained[/]", found.gained), ("other", found.other)):
        for name, was, is_ in rows:
            console.print(f"{word} {escape_line(name)}: {escape_line(was)}, then {escape_line(is_)}")
    for sentence in found.moved:
        console.print(escape_line(sentence))
    if not found.moved:
        console.print("the same implementation and the same suite")
    console.print(f"{len(found.lost)} lost, {len(found.gained)} gained, {len(found.other)} otherwise")
    if as_json:
        parts = {kind: [_row(*each) for each in getattr(found, kind)] for kind in ("lost", "gained", "other")}
        click.echo(laid_out({**parts, "moved": list(found.moved)}))
    return 1 if found.lost else 0


def _row(name: str, was: str, is_: str) -> dict[str, str]:
    return {"name": name, "was": was, "is": is_}
