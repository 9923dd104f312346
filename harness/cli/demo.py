"""``windtunnel demo``: what the others do, in some seconds: commands of theirs, on examples that come along."""

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import click

from harness.cli.options import FOLDER
from harness.errors import HarnessFault, UsageError
from harness.report.failures import DEFAULT_REPORT

_PACKED = "_examples"
_FOLDER = "windtunnel-demo"
_HOOKS = ("accidental_exit_2", "blocks_on_parse_error", "never_blocks")
_SAMPLES = "samples"
_COUNTER = "counter_python"
INTERRUPTED = 130


class Act(NamedTuple):
    """One command of the demo: what it shows, what is typed, and the exit code that it has to have."""

    title: str
    words: Sequence[str]
    code: int
    folder: str = "."
    """Where, below the folder of the demo."""


def acts() -> tuple[Act, ...]:
    """The commands, in turn; each is run in the folder of the demo."""
    hooks = "hooks/{}/target.yaml"
    check = "python3 counter.py check state read=41 write=7"
    return (
        Act(
            "The reference of one system, certified at the first level",
            ("certify", "reference", "--system", "rate_limit", "--level", "L1", "--cases", "0"),
            0,
        ),
        Act(
            "A Stop hook whose argument parser exits with 2: that blocks a session that sent no object",
            ("replay", "hook-stdin-no-object", hooks.format("accidental_exit_2")),
            1,
        ),
        Act(
            "A Stop hook that blocks when the transcript ends in half a line",
            ("replay", "hook-transcript-torn-tail", hooks.format("blocks_on_parse_error")),
            1,
        ),
        Act(
            "A Stop hook that never blocks: it guards nothing, and a suite without controls would be green",
            ("replay", "hook-transcript-missing", hooks.format("never_blocks")),
            1,
        ),
        Act(
            "A program with a state file, killed at each of its file calls",
            ("explore", "--op", "python3 counter.py count state read", "--check", check, "--only", "crash",
             "--dir", "state", "--limit", "60"),
            1,
            _COUNTER,
        ),
    )  # fmt: skip


@click.command("demo")
@click.option(
    "--out",
    type=FOLDER,
    default=_FOLDER,
    show_default=True,
    help="A folder to make, for the examples and the report.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON, one document.")
def command(out: Path, as_json: bool) -> int:
    """Ten seconds of windtunnel: the reference, three broken hooks, and a program that loses its state.

    \b
    windtunnel demo
    windtunnel demo --out /tmp/demo

    The commands are printed before they are run. Exit codes: 0 each ended as it has to, 3 one did not.
    """
    place = _laid_out(out)
    report = place / DEFAULT_REPORT / "report.md"
    wrong: list[str] = []
    rows: list[dict[str, Any]] = []
    for act in acts():
        words = (*act.words, "--json") if as_json else act.words
        click.echo(f"\n== {act.title}\n$ windtunnel {shlex.join(words)}\n", err=as_json)
        code, said = _run(words, place / act.folder, as_json=as_json)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        if code != act.code:
            wrong.append(f"`windtunnel {act.words[0]}` ended with {code}, not with {act.code}")
        rows.append({"title": act.title, "command": list(words), "folder": act.folder, "exit_code": code,
                     "expected_exit_code": act.code, "result": _document(said)})  # fmt: skip
    if as_json:
        told = {"exit_code": HarnessFault.exit_code if wrong else 0, "folder": str(place), "report": str(report)}
        click.echo(json.dumps({**told, "acts": rows}, indent=2, ensure_ascii=False))
    if wrong:
        raise HarnessFault(
            f"the demo went wrong: {'; '.join(wrong)}; `windtunnel doctor` tells what this machine lacks"
        )
    if not as_json:
        click.echo(
            f"\nThe report of the first command: {report}\nAll of these run again in {place}, where the examples are."
        )
    return 0


def _run(words: Sequence[str], folder: Path, *, as_json: bool) -> tuple[int, bytes]:
    """The exit code of a command, run where it was printed to be run; with ``as_json`` what it said, too."""
    kept = subprocess.PIPE if as_json else None
    ran = subprocess.run([sys.executable, "-m", "harness.cli", *words], cwd=folder, stdout=kept, check=False)
    return ran.returncode, ran.stdout or b""


def _document(said: bytes) -> Any:
    """The document that a command said; None where it ended without one."""
    try:
        return json.loads(said)
    except ValueError:
        return None


def _laid_out(out: Path) -> Path:
    """The folder with the examples; UsageError when there is something of that name already."""
    source = _examples()
    try:
        out.mkdir(parents=True)
    except FileExistsError:
        raise UsageError(f"{out} is there already; name a folder to make with --out, or remove it") from None
    except OSError as error:
        raise UsageError(f"{out} cannot be made: {error.strerror}; name a folder to make with --out") from error
    for name in (*_HOOKS, _SAMPLES):
        shutil.copytree(source / "hooks" / name, out / "hooks" / name)
    shutil.copytree(source / "explore" / _COUNTER, out / _COUNTER)
    return out.resolve()


def _examples() -> Path:
    package = Path(str(resources.files("harness")))
    for folder in (package / _PACKED, package.parent / "examples"):
        if folder.is_dir():
            return folder
    raise HarnessFault("this copy of windtunnel has no examples; install it again from a wheel or a checkout")
