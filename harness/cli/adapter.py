"""``windtunnel adapter``: a skeleton to begin an adapter with, and a lint of what one says."""

import shlex
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Any

import click
import msgspec

from harness.adapters import skeleton
from harness.adapters.lint import lint as findings_of
from harness.adapters.mistakes import Finding, Verdict
from harness.certify.reach import command_target, stdio_start
from harness.cli.named_system import named_system
from harness.cli.options import FOLDER, of_timeouts
from harness.errors import UsageError
from harness.report.files import laid_out, write_whole
from harness.report.sentences import plural
from harness.report.text import in_one_line, printable
from harness.systems import registry


@click.group("adapter")
def command() -> None:
    """Write an adapter: what stands between windtunnel and an implementation in any language."""


@command.command("init")
@click.option(
    "--lang", required=True, type=click.Choice(tuple(skeleton.LANGUAGES)), help="The language it is written in."
)
@click.option("--system", "names", multiple=True, required=True, metavar="NAME", help="What it is for; repeatable.")
@click.option(
    "--out",
    "folder",
    type=FOLDER,
    metavar="DIR",
    help="Where it goes.  [default: adapter-SYSTEM]",
)
@click.option("--force", is_flag=True, help="Write over what is there.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one document.")
def init(lang: str, names: tuple[str, ...], folder: Path | None, force: bool, as_json: bool) -> int:
    """Write an adapter that runs: a place for every operation, a target file, and the list of what is left.

    \b
    windtunnel adapter init --lang python --system rate_limit
    windtunnel adapter init --lang bash --system fallback --system signals --out my-adapter
    """
    systems = tuple(named_system(name) for name in dict.fromkeys(names))
    place = folder or Path(f"adapter-{'-'.join(system.name for system in systems)}")
    texts = skeleton.files(lang, systems)
    there = [name for name in texts if (place / name).exists()]
    if there and not force:
        raise UsageError(f"{printable(str(place))} has {' and '.join(there)} already; add --force to write over it")
    try:
        with _nothing_left(place, texts):
            place.mkdir(parents=True, exist_ok=True)
            for name, text in texts.items():
                write_whole(place / name, text)
    except OSError as error:
        raise UsageError(
            f"cannot write to {printable(str(place))}: {error.strerror}; choose another place with --out"
        ) from error
    facts = _facts(lang, systems, place)
    for line in [laid_out(facts)] if as_json else _told(facts):
        click.echo(line)
    return 0


@contextmanager
def _nothing_left(place: Path, names: Iterable[str]) -> Iterator[None]:
    """Of folders and files that were not there before nothing stays when they cannot all be written."""
    files = [place / name for name in names if not (place / name).exists()]
    folders = list(takewhile(lambda folder: not folder.exists(), (place, *place.parents)))
    try:
        yield
    except BaseException:
        with suppress(OSError):
            for path in files:
                path.unlink(missing_ok=True)
            for folder in folders:
                folder.rmdir()
        raise


@command.command("lint")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="-- CMD...")
@click.option("--system", "names", multiple=True, metavar="NAME", help="Only of this system; repeatable.")
@of_timeouts
@click.option("--unsafe", is_flag=True, help="Go on where this machine cannot contain the command.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one document.")
def lint(words: tuple[str, ...], names: tuple[str, ...], timeout_scale: float, unsafe: bool, as_json: bool) -> int:
    """Play well-formed and malformed exchanges with the adapter CMD, and explain each mistake in a sentence.

    \b
    windtunnel adapter lint -- python3 adapter.py

    Exit codes: 0 no mistake, 1 mistakes, 2 usage, 4 it does not start.
    """
    if not words:
        raise UsageError("no command: write -- CMD..., as in `windtunnel adapter lint -- python3 adapter.py`")
    named = tuple(named_system(name).name for name in dict.fromkeys(names))
    found: list[Finding] = []
    for finding in findings_of(stdio_start(command_target(words, "stdio")), named, timeout_scale, unsafe=unsafe):
        found.append(finding)
        if not as_json:
            click.echo(f"{finding.verdict.value:<8} {finding.exchange}: {in_one_line(finding.says)}")
    mistakes = sum(finding.verdict is Verdict.MISTAKE for finding in found)
    notes = sum(finding.verdict is Verdict.NOTE for finding in found)
    exchanges = len({finding.exchange for finding in found})
    if as_json:
        rows = [finding._asdict() for finding in found]
        told = {"command": list(words), "exchanges": rows, "mistakes": mistakes, "notes": notes}
        click.echo(msgspec.json.format(msgspec.json.encode(told), indent=2).decode())
    else:
        click.echo(f"{plural(exchanges, 'exchange')}: {plural(mistakes, 'mistake')}, {plural(notes, 'note')}")
    return 1 if mistakes else 0


def _facts(lang: str, systems: tuple[registry.System, ...], place: Path) -> dict[str, Any]:
    """What was written, what is left of each system, and the commands that come next."""
    left = skeleton.left(systems)
    language = skeleton.LANGUAGES[lang]
    shown = shlex.quote(printable(str(place)))
    named = " ".join(f"--system {system.name}" for system in systems)
    return {
        "folder": str(place),
        "lang": lang,
        "files": [language.file, skeleton.TARGET, skeleton.LEFT],
        "systems": {
            system.name: {
                "operations": list(skeleton.operations(system)),
                "clauses": len(system.catalogue.judged_in(system.served_profile)),
                "left": list(left[system.name]),
            }
            for system in systems
        },
        "next": [
            f"windtunnel certify {shown}/{skeleton.TARGET} {named} --level L1 --cases 0",
            f"cd {shown} && windtunnel adapter lint -- {shlex.join(language.command)}",
            f"windtunnel explain {next(iter(left[systems[0].name]))}",
        ],
    }


def _told(facts: dict[str, Any]) -> list[str]:
    """The same for people."""
    return [
        f"wrote {printable(facts['folder'])}/: {', '.join(facts['files'])}",
        *(
            f"{name}: {len(its['operations'])} operations, {len(its['left'])} of {its['clauses']} clauses left"
            for name, its in facts["systems"].items()
        ),
        f"Write an operation in {facts['files'][0]}, then delete in {skeleton.LEFT} the clauses that it establishes.",
        *(f"  {command}" for command in facts["next"]),
    ]
