"""``windtunnel replay``: play one scenario file again and see whether it still fails."""

from pathlib import Path

import click
import msgspec

from harness.certify.engine import confirmed
from harness.certify.plan import runs_for
from harness.cli.certify import reached
from harness.core import scenario as scenario_format
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import History
from harness.core.scenario import Scenario
from harness.errors import UsageError
from harness.ports.files import RealFiles
from harness.systems import registry
from harness.targets.player import play
from harness.targets.session import each_text
from harness.targets.slots import Slots

FILE_LIMIT_BYTES = 64 * 1024 * 1024  # a scenario has some thousand; a FIFO or a device is refused unread


@click.command("replay")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[TARGET | -- CMD...]")
@click.option("--hook", is_flag=True, help="CMD is a Stop hook, one process a call.")
@click.option("--stdio", is_flag=True, help="CMD speaks windtunnel's protocol on its standard streams.")
@click.option("--python", metavar="PKG.MOD:FACTORY", help="Python code, reached in a worker process.")
@click.option("--timeout-scale", type=click.FloatRange(0.1, 100), default=1.0, show_default=True)
@click.option("--verbose", "-v", is_flag=True, help="Show every operation and its result.")
def command(
    file: Path, words: tuple[str, ...], hook: bool, stdio: bool, python: str | None, timeout_scale: float, verbose: bool
) -> int:
    """Play the scenario in FILE against TARGET (default: the reference). Exit 1 when it fails, 0 when it passes.

    \b
    windtunnel replay windtunnel-report/scenarios/hook-transcript-fifo.yaml examples/hooks/hangs_on_fifo/target.yaml
    """
    try:
        text = RealFiles().read(str(file), FILE_LIMIT_BYTES)
    except OSError as error:
        raise UsageError(
            f"cannot read the scenario file {file}: {error.strerror or 'it is no regular file'}"
        ) from error
    scenario = scenario_format.load(text, where=str(file))
    system = registry.get(scenario.system)
    named = words or (() if hook or stdio or python else ("reference",))
    target, _, reaches = reached(named, hook=hook, stdio=stdio, python=python, system=system, scale=timeout_scale)
    fitting = [reach for reach in reaches if runs_for(scenario, reach)]
    if not fitting:
        raise UsageError(f"{scenario.id} is a scenario of profile {scenario.profile}; {target} is not reached that way")
    slots = Slots(1)
    with slots.held(), fitting[0].open(slots) as session:
        history = play(scenario, session, system.inputs_of)
        findings = system.judge(scenario, history, system.catalogue)
        if any(finding.verdict is CheckVerdict.FAIL for finding in findings):
            history = play(scenario, session, system.inputs_of)
            findings = confirmed(findings, system.judge(scenario, history, system.catalogue))
    return _shown(scenario, target, history, findings, verbose=verbose)


def _shown(scenario: Scenario, target: str, history: History, findings: tuple[Finding, ...], *, verbose: bool) -> int:
    click.echo(f"{scenario.id}: {scenario.title}")
    click.echo(f"target: {target}")
    if verbose:
        for done in history.operations():
            click.echo(f"  {done.begin.op} {_short(done.begin.value)}")
            end = "no answer" if done.end is None else f"{done.end.type.value} {_short(done.end.value)}"
            click.echo(f"    {end}")
    for finding in findings:
        click.echo(f"{finding.verdict.value:<13} {finding.clause}  {finding.reason}")
        if finding.verdict is CheckVerdict.FAIL:
            click.echo(f"  expected: {finding.expected}\n  observed: {finding.observed}")
    if any(finding.verdict is CheckVerdict.FAIL for finding in findings):
        return 1
    named = {finding.clause for finding in findings if finding.verdict is CheckVerdict.PASS}
    return 0 if named and named >= set(scenario.clauses) else 5


def _short(value: object) -> str:
    return msgspec.json.encode(each_text(value, lambda text: text if len(text) < 160 else text[:160] + "...")).decode()
