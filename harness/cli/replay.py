"""``windtunnel replay``: play scenarios again and see whether they still fail, or where two implementations part."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from harness.certify.flaky import confirmed
from harness.certify.plan import runs_for
from harness.certify.reach import Reach
from harness.cli.certify import reached
from harness.cli.compare import show
from harness.cli.options import of_timeouts
from harness.cli.scenario_files import Named, named
from harness.cli.variants import Variants, variants_of
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.errors import NothingRanError, UsageError
from harness.explore.enumerated import explored_steps
from harness.explore.playing import play
from harness.explore.scenario_script import scenario_script
from harness.report.failures import DEFAULT_REPORT
from harness.systems import registry
from harness.targets.session import Session, each_text
from harness.targets.slots import Slots

WORST = (0, 5, 1)  # the exit codes of a scenario, from good to bad


class _Target(NamedTuple):
    """An implementation that was named, and the ways to it."""

    name: str
    reaches: tuple[Reach, ...]

    def way(self, scenario: Scenario) -> Reach | None:
        """The way on which this scenario is meant to run, if any."""
        return next((reach for reach in self.reaches if runs_for(scenario, reach)), None)


class _Played(NamedTuple):
    """One scenario, played and judged; of one that explores an operation its variants too."""

    history: History
    findings: tuple[Finding, ...]
    variants: Variants | None = None

    def code(self, scenario: Scenario) -> int:
        """1 when something fails, 5 when a clause it names was met nowhere or a variant is in doubt, else 0."""
        failing = self.variants is not None and self.variants.failing
        if failing or any(finding.verdict is CheckVerdict.FAIL for finding in self.findings):
            return 1
        met = {finding.clause for finding in self.findings if finding.verdict is CheckVerdict.PASS} | self.met
        whole = self.variants is None or not (self.variants.refused or self.variants.doubts)
        return 0 if met and met >= set(scenario.clauses) and whole else 5

    @property
    def met(self) -> frozenset[str]:
        """The clauses that passed in a variant."""
        return self.variants.passed if self.variants is not None else frozenset()

    def worth_saying(self) -> tuple[Finding, ...]:
        """All findings but those of clauses that only the variants could meet, and did."""
        return tuple(
            finding
            for finding in self.findings
            if finding.verdict is not CheckVerdict.INCONCLUSIVE or finding.clause not in self.met
        )


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
    type=click.Path(path_type=Path, file_okay=False),
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
    system = registry.get(found.scenarios[0].system)
    given = bool(words or hook or stdio or python)
    target = _target(words or (() if given else _default(found)), hook, stdio, python, system, timeout_scale)
    if script is not None and (found.is_folder or against is not None or diff):
        raise UsageError("--script shows one scenario against one target; name a scenario file")
    if against is not None or diff:
        other = _target((against or "reference",), False, False, None, system, timeout_scale)
        return _compared(found, target, other, whole=diff)
    if found.is_folder:
        return _all(found, target, system)
    (scenario,) = found.scenarios
    reach = _required(scenario, target)
    with _opened(reach) as session:
        played = _judged(scenario, session, system)
        if script is not None:
            _write_script(script, scenario, session, system, played.history, played.findings)
    return _shown(scenario, target.name, played, verbose=verbose)


def _write_script(
    out: Path,
    scenario: Scenario,
    session: Session,
    system: registry.System,
    history: History,
    findings: tuple[Finding, ...],
) -> None:
    if not any(finding.verdict is CheckVerdict.FAIL for finding in findings):
        raise UsageError(f"{scenario.id} does not fail here, so there is nothing for a script to show")
    out.write_text(scenario_script(scenario, session, system, history, findings), "utf-8")
    click.echo(f"{out} shows it: python -I {shlex.quote(str(out))}")


def _default(found: Named) -> tuple[str, ...]:
    return tuple(shlex.split(found.target)) if found.target else ("reference",)


def _target(
    words: tuple[str, ...], hook: bool, stdio: bool, python: str | None, system: registry.System, scale: float
) -> _Target:
    if words[:1] in {("--hook",), ("--stdio",)}:  # as a run stored the words of its target
        hook, stdio, words = words[0] == "--hook", words[0] == "--stdio", words[2:]
    elif words[:1] == ("--python",):
        python, words = words[1], ()
    name, _, reaches = reached(words, hook=hook, stdio=stdio, python=python, systems=(system,), scale=scale)
    return _Target(name, reaches)


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


def _judged(scenario: Scenario, session: Session, system: registry.System) -> _Played:
    """One run, judged, and every variant of it; a failure counts when it fails again."""
    history = play(scenario, session, system.inputs_of)
    findings = system.judge(scenario, history, system.catalogue)
    if any(finding.verdict is CheckVerdict.FAIL for finding in findings):
        history = play(scenario, session, system.inputs_of)
        findings = confirmed(findings, system.judge(scenario, history, system.catalogue))
    variants = variants_of(scenario, session, system) if explored_steps(scenario) else None
    return _Played(history, findings, variants)


def _all(found: Named, target: _Target, system: registry.System) -> int:
    """Every scenario of a folder, a line each, and the worst of them as the exit code."""
    fitting = [(scenario, reach) for scenario in found.scenarios if (reach := target.way(scenario)) is not None]
    if not fitting:
        raise NothingRanError(f"none of the {len(found.scenarios)} scenarios runs against {target.name}")
    codes: list[int] = []
    click.echo(f"target: {target.name}")
    for reach in target.reaches:
        mine = [scenario for scenario, its in fitting if its is reach]
        if mine:
            with _opened(reach) as session:
                codes += [_line(scenario, session, system) for scenario in mine]
    counts = [f"{codes.count(code)} {word}" for code, word in ((0, "passed"), (1, "failed"), (5, "inconclusive"))]
    left = len(found.scenarios) - len(fitting)
    click.echo(", ".join(counts) + (f"; {left} not for this target" if left else ""))
    return max(codes, key=WORST.index)


def _line(scenario: Scenario, session: Session, system: registry.System) -> int:
    played = _judged(scenario, session, system)
    code = played.code(scenario)
    wanted = CheckVerdict.FAIL if code == 1 else CheckVerdict.INCONCLUSIVE
    about = [finding.clause for finding in played.worth_saying() if finding.verdict is wanted] if code else []
    if code == 1 and played.variants is not None:
        about += [finding.clause for _, findings in played.variants.failing for finding in findings]
    named_clauses = ", ".join(dict.fromkeys(about))
    click.echo(f"{ {0: 'PASS', 1: 'FAIL', 5: 'INCONCLUSIVE'}[code]:<13} {scenario.id}  {named_clauses}".rstrip())
    return code


def _compared(found: Named, target: _Target, other: _Target, *, whole: bool) -> int:
    """Plays each scenario against both; exit 1 when they part in one of them."""
    worst = 0
    fitting = [scenario for scenario in found.scenarios if target.way(scenario) and other.way(scenario)]
    if not fitting and found.is_folder:
        raise NothingRanError(f"none of the {len(found.scenarios)} scenarios runs against both")
    for scenario in found.scenarios if not fitting else ():
        _required(scenario, target)
        _required(scenario, other)
    first, second = (target.name, other.name) if target.name != other.name else (target.name, f"{other.name} (other)")
    for scenario in fitting:
        histories: list[History] = []
        for side in (target, other):
            with _opened(_required(scenario, side)) as session:
                histories.append(play(scenario, session, registry.get(scenario.system).inputs_of))
        click.echo(f"{scenario.id}: {scenario.title}")
        worst = max(worst, show(first, second, histories[0], histories[1], whole=whole))
    return worst


def _shown(scenario: Scenario, target: str, played: _Played, *, verbose: bool) -> int:
    click.echo(f"{scenario.id}: {scenario.title}")
    click.echo(f"target: {target}")
    if verbose:
        for done in played.history.operations():
            click.echo(f"  {done.begin.op} {_short(done.begin.value)}")
            end = "no answer" if done.end is None else f"{done.end.type.value} {_short(done.end.value)}"
            click.echo(f"    {end}")
    for finding in played.worth_saying():
        click.echo(f"{finding.verdict.value:<13} {finding.clause}  {finding.reason}")
        if finding.verdict is CheckVerdict.FAIL:
            click.echo(f"  expected: {finding.expected}\n  observed: {finding.observed}")
    for line in played.variants.lines() if played.variants is not None else ():
        click.echo(line)
    return played.code(scenario)


def _short(value: object) -> str:
    return msgspec.json.encode(each_text(value, lambda text: text if len(text) < 160 else text[:160] + "...")).decode()
