"""``windtunnel replay``: play scenarios again and see whether they still fail, or where two implementations part."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click

from harness.certify.flaky import confirmed
from harness.certify.plan import runs_for
from harness.certify.reach import NotAskedAsHookError, Reach
from harness.cli.certify import reached
from harness.cli.compare import as_data, show
from harness.cli.options import FOLDER, of_timeouts
from harness.cli.replayed import Played, counted, of_scenario, worst
from harness.cli.scenario_files import Named, named
from harness.cli.variants import variants_of
from harness.core.finding import CheckVerdict
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.errors import NothingRanError, UsageError
from harness.explore.enumerated import explored_steps
from harness.explore.playing import play
from harness.explore.scenario_script import scenario_script
from harness.report.failures import DEFAULT_REPORT
from harness.report.files import laid_out
from harness.report.text import as_line
from harness.systems import registry
from harness.targets.beginnings import OtherSystemsError
from harness.targets.session import Session
from harness.targets.slots import Slots


class _Target(NamedTuple):
    """An implementation that was named, and the ways to it."""

    name: str
    reaches: tuple[Reach, ...]

    def way(self, scenario: Scenario) -> Reach | None:
        """The way on which this scenario is meant to run, if any."""
        return next((reach for reach in self.reaches if runs_for(scenario, reach)), None)


@click.command("replay")
@click.argument("what")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[TARGET | -- CMD...]")
@click.option("--hook", is_flag=True, help="CMD is a Stop hook, one process a call.")
@click.option("--stdio", is_flag=True, help="CMD speaks windtunnel's protocol on its standard streams.")
@click.option("--python", metavar="PKG.MOD:FACTORY", help="Python code, reached in a worker process.")
@of_timeouts
@click.option("--against", metavar="OTHER", help="Compare with `reference`, or what another target file names.")
@click.option("--diff", is_flag=True, help="Show the first step where they part side by side.")
@click.option(
    "--report",
    type=FOLDER,
    default=DEFAULT_REPORT,
    show_default=True,
    help="The run that a short id is from.",
)
@click.option(
    "--script",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="OUT.py",
    help="Of a hook that fails: a plain Python script that shows it without windtunnel.",
)
@click.option("--verbose", "-v", is_flag=True, help="Show every operation and its result.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, one document.")
def command(  # noqa: PLR0913, PLR0917 - one parameter an option, as click wants it
    what: str,
    words: tuple[str, ...],
    hook: bool,
    stdio: bool,
    python: str | None,
    timeout_scale: float,
    against: str | None,
    diff: bool,
    report: Path,
    script: Path | None,
    verbose: bool,
    as_json: bool,
) -> int:
    """Play WHAT against TARGET (default: the reference). Exit 1 when something fails, 0 when everything passes.

    WHAT is a scenario file, a folder of them, or the short id printed with a failure; a short id's default target is
    the one it failed with. A scenario of L3 is played as it is and in every variant.

    \b
    windtunnel replay windtunnel-report/scenarios/hook-transcript-fifo.yaml examples/hooks/hangs_on_fifo/target.yaml
    windtunnel replay scenarios/stop_gate/found
    windtunnel replay my-scenario.yaml my-target.yaml --against reference --diff
    windtunnel replay my-scenario.yaml my-target.yaml --script shows-it.py
    """
    found = named(what, report)
    systems = [registry.get(name) for name in dict.fromkeys(scenario.system for scenario in found.scenarios)]
    given = bool(words or hook or stdio or python)
    target = _target(words or (() if given else _default(found)), hook, stdio, python, systems, timeout_scale)
    if script is not None and (found.is_folder or against is not None or diff):
        raise UsageError("--script shows one scenario against one target; name a scenario file")
    if against is not None or diff:
        other = _target((against or "reference",), False, False, None, systems, timeout_scale)
        return _compared(found, target, other, whole=diff, as_json=as_json)
    if found.is_folder:
        return _all(found, target, verbose=verbose, as_json=as_json)
    (scenario,), (system,) = found.scenarios, systems
    reach = _required(scenario, target)
    with _opened(reach) as session:
        played = _judged(scenario, session)
        if script is not None:
            _write_script(script, played, session, system)
    return _shown(target, played, script, verbose=verbose, as_json=as_json)


def _write_script(out: Path, played: Played, session: Session, system: registry.System) -> None:
    scenario, history, findings, _ = played
    if not any(finding.verdict is CheckVerdict.FAIL for finding in findings):
        raise UsageError(f"{scenario.id} does not fail here, so there is nothing for a script to show")
    out.write_text(scenario_script(scenario, session, system, history, findings), "utf-8")


def _default(found: Named) -> tuple[str, ...]:
    return tuple(shlex.split(found.target)) if found.target else ("reference",)


def _target(
    words: tuple[str, ...],
    hook: bool,
    stdio: bool,
    python: str | None,
    systems: Sequence[registry.System],
    scale: float,
) -> _Target:
    """The ways to it for each system that it can be reached for; UsageError when there is none."""
    if words[:1] in {("--hook",), ("--stdio",)}:  # as a run stored the words of its target
        hook, stdio, words = words[0] == "--hook", words[0] == "--stdio", words[2:]
    elif words[:1] == ("--python",):
        python, words = words[1], ()
    name, ways, refused = "", list[Reach](), list[NotAskedAsHookError]()
    for system in systems:
        try:
            name, _, its = reached(words, hook=hook, stdio=stdio, python=python, systems=(system,), scale=scale)
        except NotAskedAsHookError as error:
            refused.append(error)
        else:
            ways += its
    if not ways:
        raise refused[0]
    return _Target(name, tuple(ways))


def _required(scenario: Scenario, target: _Target) -> Reach:
    reach = target.way(scenario)
    if reach is None:
        raise UsageError(
            f"{scenario.id} is a scenario of profile {scenario.profile}; {target.name} is not reached that way"
        )
    return reach


@contextmanager
def _opened(reach: Reach) -> Iterator[Session]:
    slots = Slots(1)
    with slots.held(), reach.open(slots) as session:
        yield session


def _judged(scenario: Scenario, session: Session) -> Played:
    """One run, judged, and every variant of it; a failure counts when it fails again."""
    system = registry.get(scenario.system)
    history = play(scenario, session, system.inputs_of)
    findings = system.judge(scenario, history, system.catalogue)
    if any(finding.verdict is CheckVerdict.FAIL for finding in findings):
        history = play(scenario, session, system.inputs_of)
        findings = confirmed(findings, system.judge(scenario, history, system.catalogue))
    variants = variants_of(scenario, session, system) if explored_steps(scenario) else None
    return Played(scenario, history, findings, variants)


def _all(found: Named, target: _Target, *, verbose: bool, as_json: bool) -> int:
    """Every scenario of a folder, a line each, and the worst of them as the exit code."""
    fitting = [(scenario, reach) for scenario in found.scenarios if (reach := target.way(scenario)) is not None]
    if not fitting:
        raise NothingRanError(f"none of the {len(found.scenarios)} scenarios runs against {target.name}")
    say = _silent if as_json else click.echo
    every: list[Played] = []
    say(as_line(f"target: {target.name}"))
    unserved: dict[str, OtherSystemsError] = {}
    for reach in target.reaches:
        mine = [scenario for scenario, its in fitting if its is reach]
        if mine:
            try:
                with _opened(reach) as session:
                    for scenario in mine:
                        every.append(_judged(scenario, session))
                        say(every[-1].line())
            except OtherSystemsError as error:
                unserved[reach.system.name] = error
                say(as_line(f"not played    {len(mine)} of {reach.system.name}: {error}"))
    if not every:
        raise next(iter(unserved.values()))
    left = len(found.scenarios) - len(every)
    counts = counted([played.code for played in every])
    said = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    say(said + (f"; {left} not for this target" if left else ""))
    if as_json:
        click.echo(laid_out({**_as_data(target, every, left, verbose=verbose), "not_served": list(unserved)}))
    return worst([played.code for played in every])


def _as_data(target: _Target, every: Sequence[Played], left: int, *, verbose: bool) -> dict[str, Any]:
    """One document for one scenario and for many; ``left`` of a folder are not for this target."""
    codes = [played.code for played in every]
    return {
        "exit_code": worst(codes),
        "target": target.name,
        "counts": {**counted(codes), "not_for_this_target": left},
        "scenarios": [played.as_data(verbose=verbose) for played in every],
    }


def _silent(text: str) -> None:
    """With --json one document is all that is said."""


def _compared(found: Named, target: _Target, other: _Target, *, whole: bool, as_json: bool) -> int:
    """Plays each scenario against both; exit 1 when they part in one of them."""
    fitting = [scenario for scenario in found.scenarios if target.way(scenario) and other.way(scenario)]
    if not fitting and found.is_folder:
        raise NothingRanError(f"none of the {len(found.scenarios)} scenarios runs against both")
    for scenario in found.scenarios if not fitting else ():
        _required(scenario, target)
        _required(scenario, other)
    first, second = (target.name, other.name) if target.name != other.name else (target.name, f"{other.name} (other)")
    rows: list[dict[str, Any]] = []
    unserved: list[OtherSystemsError] = []
    for scenario in fitting:
        histories: list[History] = []
        try:
            for side in (target, other):
                with _opened(_required(scenario, side)) as session:
                    histories.append(play(scenario, session, registry.get(scenario.system).inputs_of))
        except OtherSystemsError as error:
            unserved.append(error)
            continue
        rows.append({**of_scenario(scenario), **as_data(first, second, histories[0], histories[1])})
        if not as_json:
            click.echo(as_line(f"{scenario.id}: {scenario.title}"))
            show(first, second, histories[0], histories[1], whole=whole)
    if not rows and unserved:
        raise unserved[0]
    code = 1 if any(row["parts_at"] is not None for row in rows) else 0
    if as_json:
        left = len(found.scenarios) - len(rows)
        parted = sum(row["parts_at"] is not None for row in rows)
        counts = {"alike": len(rows) - parted, "parted": parted, "not_for_both": left}
        click.echo(laid_out({"exit_code": code, "targets": [first, second], "counts": counts, "scenarios": rows}))
    return code


def _shown(target: _Target, played: Played, script: Path | None, *, verbose: bool, as_json: bool) -> int:
    if as_json:
        told = _as_data(target, [played], 0, verbose=verbose)
        click.echo(laid_out(told if script is None else {**told, "script": str(script)}))
        return played.code
    if script is not None:
        click.echo(f"{script} shows it: python -I {shlex.quote(str(script))}")
    for line in played.lines(target.name, verbose=verbose):
        click.echo(as_line(line))
    return played.code
