"""``windtunnel certify`` without a target: the hooks that this project's hosts are told about, one after another."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from harness import messages
from harness.certify.discovery import Discovered, Guess, discover, stated, target_text, tried
from harness.cli.named_system import named_system
from harness.core.discovered import FoundHook
from harness.core.verdict import EXIT_CODES, Outcome
from harness.errors import UsageError, WindtunnelError
from harness.ports.home import real_home
from harness.report.text import as_line, printable
from harness.systems import registry

TARGET = "target.yaml"
# which of several ends is told: an interrupt, our defect, then what is certain before what is not
_WORST = (130, 3, 1, 2, 4, 5, 0)
_OUTCOMES: Mapping[int, str] = {code: outcome.value for outcome, code in EXIT_CODES.items()} | {2: "usage"}


def run(context: click.Context) -> int:
    """Certifies every hook found, with the options of ``context``, the one of certify; the worst exit code.

    With the option write_target nothing is run: the hooks are written there as target files.
    """
    write_target: Path | None = context.params["write_target"]
    if any(context.params[name] for name in ("words", "hook", "stdio", "python")):
        raise UsageError("--write-target is for what discovery finds; leave out the target")
    named = context.params["names"]
    if len(named) != 1:
        raise UsageError("hooks that are found are certified against one system; give --system once, or name a target")
    system = named_system(named[0])
    project = Path.cwd()
    if write_target is not None and context.params["host_name"] is not None:
        raise UsageError("--write-target runs nothing, and --host runs a hook; give one of them")
    found = discover(system, project, real_home(), os.environ)
    _introduce(found)
    if write_target is not None:
        return _write_targets(found, project, system, write_target)
    ends: list[tuple[FoundHook, int, Path]] = []
    for hook in found.hooks:
        directory: Path = context.params["directory"]
        if len(found.hooks) > 1:
            directory /= hook.name
        click.echo(f"\n{_title(hook)}")
        code = _certified(context, system, hook, project, directory)
        ends.append((hook, code, directory))
        if code == EXIT_CODES[Outcome.INTERRUPTED]:
            break
    if len(found.hooks) > 1:
        _summary(ends, len(found.hooks))
    return min((code for _, code, _ in ends), key=lambda code: _WORST.index(code) if code in _WORST else 1)


def _certified(context: click.Context, system: registry.System, hook: FoundHook, project: Path, directory: Path) -> int:
    params: dict[str, Any] = dict(context.params)
    try:
        guess = tried(hook, project, system, timeout_scale=params["timeout_scale"], unsafe=params["unsafe"])
        for sentence in guess.said:
            click.echo(f"  guessed: {as_line(sentence)}")
        target = _write(guess, directory / TARGET)
        click.echo(f"  written out: {target}")
        params |= {"words": (str(target),), "directory": directory, "write_target": None}
        return int(context.invoke(context.command, **params))
    except WindtunnelError as error:
        click.echo(as_line(f"windtunnel: {hook.name}: {messages.with_code(str(error), type(error))}"), err=True)
        return error.exit_code


def _introduce(found: Discovered) -> None:
    count = len(found.hooks)
    click.echo(f"{count} hook{'s' if count > 1 else ''} found")
    for hook in found.hooks:
        click.echo(as_line(f"  {hook.name}: {_short(hook.text)}  ({hook.where}, {hook.host})"))
    for sentence in found.said:
        click.echo(f"  note: {as_line(sentence)}")


def _title(hook: FoundHook) -> str:
    return f"{hook.name}: {_short(hook.text)}"


def _short(text: str) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= 100 else f"{line[:97]}..."


def _summary(ends: list[tuple[FoundHook, int, Path]], planned: int) -> None:
    click.echo("\nall hooks")
    for hook, code, directory in ends:
        click.echo(f"  {hook.name}: {_OUTCOMES.get(code, 'broke')} (exit code {code}), report in {directory}")
    if len(ends) < planned:
        click.echo(f"  {planned - len(ends)} not begun")


def _write_targets(found: Discovered, project: Path, system: registry.System, place: Path) -> int:
    several = len(found.hooks) > 1 or place.is_dir()
    if several and place.exists() and not place.is_dir():
        raise UsageError(f"{len(found.hooks)} hooks need a directory, and {place} is a file; name another place")
    for hook in found.hooks:
        path = place / f"{hook.name}.yaml" if several else place
        if path.exists():
            raise UsageError(f"{path} is there already; name another place, or remove it first")
        guess = stated(hook, project, system)
        for sentence in guess.said:
            click.echo(f"  guessed: {as_line(sentence)}")
        click.echo(f"{_write(guess, path)} written; `windtunnel certify {path}` runs it")
    return 0


def _write(guess: Guess, path: Path) -> Path:
    """Writes the target file and, beside it, the transcripts of its samples."""
    names = {name: f"{path.stem}.{name}.jsonl" for name in guess.spec.samples}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for name, data in guess.spec.samples.items():
            (path.parent / names[name]).write_bytes(data)
        path.write_text(target_text(guess, path.parent, names), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; choose another place") from error
    return path
