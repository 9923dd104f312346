"""``windtunnel diff``: what a new certificate has that an old one had not, and the other way round."""

from pathlib import Path

import click
from rich.console import Console

from harness.report.comparing import compared, read
from harness.report.text import escape


@click.command("diff")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
def command(old: Path, new: Path) -> int:
    """Compare two certificates, or two reports: clauses and levels gained and lost, and what has moved.

    Exit 1 when a clause or a level was lost, else 0.

    \b
    windtunnel diff last/certificate.json windtunnel-report/certificate.json
    windtunnel diff last windtunnel-report
    """
    console = Console(soft_wrap=True)
    found = compared(read(old), read(new))
    for word, rows in (("[bold red]lost[/]", found.lost), ("[green]gained[/]", found.gained), ("other", found.other)):
        for name, was, is_ in rows:
            console.print(f"{word} {escape(name)}: {escape(was)}, then {escape(is_)}")
    for sentence in found.moved:
        console.print(escape(sentence))
    if not found.moved:
        console.print("the same implementation and the same suite")
    console.print(f"{len(found.lost)} lost, {len(found.gained)} gained, {len(found.other)} otherwise")
    return 1 if found.lost else 0
