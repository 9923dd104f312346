"""``windtunnel verify``: is a certificate what it says?"""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import click
import msgspec
from rich.console import Console

from harness.cli.rerun import run_again
from harness.cli.sign import signing
from harness.report.certificate import NAME, Certificate
from harness.report.files import laid_out
from harness.report.text import escape_line
from harness.report.verifying import Step, verified

_ENDS = {
    0: "[green]the certificate holds[/]",
    1: "[bold red]refuted[/]: this certificate does not hold",
    5: "not everything could be checked here",
}
_MARKS = {True: "[green]holds[/]", False: "[bold red]refuted[/]", None: "[yellow]not known[/]"}


@click.command("verify")
@click.argument("path", type=click.Path(path_type=Path), metavar="CERTIFICATE")
@click.option("--evidence", type=click.Path(path_type=Path), metavar="FILE", help="The run's events.jsonl.")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="The public key of who signed it, in PEM.")
@click.option("--rerun", is_flag=True, help="Certify the target once more, too, with the same seed and scope.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one document.")
def command(path: Path, evidence: Path | None, key: Path | None, rerun: bool, as_json: bool) -> int:
    """Check a certificate offline, step by step: its form, its digests and counts, and its histories judged again.

    The events of the run are looked for beside it. Exit 0 when every step holds, 1 when one is refuted, 5 when
    something cannot be known here.

    \b
    windtunnel verify windtunnel-report/certificate.json
    windtunnel verify certificate.json --evidence run/events.jsonl
    windtunnel verify windtunnel-report --rerun
    """
    console = Console(soft_wrap=True, quiet=as_json)
    came: list[Step] = []
    path = path / NAME if path.is_dir() else path
    steps = verified(path, evidence)
    if key is not None:
        steps = chain(_signature(path, key), steps)
    if rerun:
        steps = chain(steps, _again(path, evidence))
    for step in steps:
        console.print(f"{_MARKS[step.ok]} {step.name}: {escape_line(step.says)}")
        came.append(step)
        if step.ok is False:
            break
    code = _code(came)
    console.print(_ENDS[code])
    if as_json:
        told = [{"step": step.name, "holds": step.ok, "says": step.says} for step in came]
        click.echo(laid_out({"exit_code": code, "steps": told}))
    return code


def _code(came: Sequence[Step]) -> int:
    ends = [step.ok for step in came]
    return 1 if False in ends else 5 if None in ends else 0


def _signature(path: Path, key: Path) -> Iterator[Step]:
    is_signed = signing().is_signed(path, key)
    yield Step(
        "signature", is_signed, f"by the owner of {key.name}" if is_signed else f"not by the owner of {key.name}"
    )


def _again(path: Path, evidence: Path | None) -> Iterator[Step]:
    content = msgspec.json.decode(path.read_bytes(), type=Certificate).predicate.windtunnel
    place = evidence or path.parent / content.evidence.name
    yield run_again(content, path, place / content.evidence.name if place.is_dir() else place)
