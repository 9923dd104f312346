"""``windtunnel campaign``: many simulations, and what all of them together have shown."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from harness import __version__
from harness.cli.interruption import interrupting
from harness.cli.options import FOLDER
from harness.cli.shrunk import shrunk_lines
from harness.core.rate import none_of
from harness.report.failures import DEFAULT_REPORT
from harness.report.files import CAMPAIGN, laid_out, prepare, write_whole
from harness.report.text import as_line
from harness.simulation import campaign
from harness.simulation.campaign import EXIT_CODES, Campaign, Played, Steering
from harness.simulation.incidents import Incidents
from harness.simulation.profiles import PROFILES
from harness.simulation.rules import RULES
from harness.simulation.session import HOME
from harness.simulation.shrinking import TRIES, shrink
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.sometimes import SOMETIMES
from harness.simulation.systems import Assembly
from harness.simulation.telling import plan_words

SHOWN = 12


@click.command("campaign")
@click.option("--runs", type=click.IntRange(1, 10_000), default=20, show_default=True, help="Simulations to play.")
@click.option("--days", type=click.IntRange(1, 3650), default=7, show_default=True, help="Of virtual time, each.")
@click.option("--agents", type=click.IntRange(1, 64), default=5, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the first run; then on.")
@click.option("--profile", type=click.Choice(tuple(PROFILES)), default="hostile", show_default=True)
@click.option("--steer", is_flag=True, help="Every second run is a fork of one that showed something new.")
@click.option("--partial", is_flag=True, help="What was not seen is told, and fails nothing.")
@click.option("--jobs", type=click.IntRange(1, 64), help="Runs at a time.  [default: processors]")
@click.option("--tries", type=click.IntRange(0, 10_000), default=TRIES, show_default=True, help="To shrink a failure.")
@click.option("--report", type=FOLDER, default=DEFAULT_REPORT, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The result as JSON, and nothing else.")
def command(  # noqa: PLR0913, PLR0917 - one parameter an option, as click wants it
    runs: int,
    days: int,
    agents: int,
    seed: int,
    profile: str,
    steer: bool,
    partial: bool,
    jobs: int | None,
    tries: int,
    report: Path,
    as_json: bool,
) -> int:
    """Play many simulations, and demand that together they have seen what has to be seen.

    Each is what `windtunnel simulate` plays with the next seed. A campaign in which a rule is broken fails; so does one
    that never saw one of the situations of docs/order.md, or in which two of the twelve systems met less than a hundred
    times: rules that hold say little of what was never tried.

    A rule that is broken is shrunk to the fewest incidents that still break it, and written as a script that
    `windtunnel simulate --script` plays.

    \b
    windtunnel campaign --runs 20 --days 7 --agents 5
    windtunnel campaign --runs 200 --days 1 --steer --partial

    Exit codes: 0 all rules held and everything was seen, 1 not so, 2 usage, 3 windtunnel broke, 130 interrupted.
    """
    prepare(report)
    interrupted = threading.Event()

    def say(text: str) -> None:
        if not as_json:
            click.echo(as_line(text).rstrip())

    def heard(played: Played) -> None:
        say(_line(played))

    steering = Steering(Plan(days, agents, seed, profile), runs, steers=steer)
    with interrupting(interrupted):
        played = campaign.run(steering, jobs or os.cpu_count() or 1, heard, interrupted.is_set)
        found = campaign.gathered(
            played, __version__, whole=len(played) == runs, demands=not partial and not interrupted.is_set()
        )
        text = laid_out(msgspec.to_builtins(found))
        write_whole(report / CAMPAIGN, text)
        shrunk = list(_shrunk(played, tries, interrupted, report))
    if as_json:
        click.echo(text)
    else:
        for line in (*_lines(found, runs), *shrunk):
            say(line)
    return EXIT_CODES[found.outcome]


def _line(played: Played) -> str:
    plan = played.plan
    rules = f"  BROKEN {', '.join(played.broken)}" if played.broken else ""
    return f"  {plan_words(plan)}  {played.events:>9,} events  {played.digest[:16]}{rules}"


def _lines(found: Campaign, runs: int) -> Iterator[str]:
    yield ""
    yield (
        f"{len(found.runs)} of {runs} runs, {found.agent_hours:,} virtual agent-hours, "
        f"{found.tool_calls / max(found.agent_hours, 1):.1f} tool calls each, {found.events:,} events"
    )
    seen = sum(1 for count in found.situations.values() if count)
    yield f"{seen} of {len(found.situations)} situations seen"
    for name in [name for name, count in found.situations.items() if not count]:
        yield f"  never  {name}: {SOMETIMES[name].says}"
    rarest = sorted(found.meetings.items(), key=lambda item: item[1])
    yield f"{len(rarest)} pairs of systems, the rarest: " + ", ".join(f"{name} {count:,}" for name, count in rarest[:3])
    for name in found.apart[:SHOWN]:
        yield f"  apart  {name} met {found.meetings[name]:,} times, of {found.least}"
    broken = {rule for each in found.runs for rule in each.broken}
    held = "All" if not broken else f"{len(RULES) - len(broken)} of"
    if not found.runs:
        yield "No run was finished, so nothing was shown"
    else:
        until = "Interrupted; until then " if found.outcome == "interrupted" else ""
        if not broken:
            yield f"Were the seeds drawn at random: {none_of(len(found.runs), 'seeds break a rule')}"
        yield f"{until}{held.lower() if until else held} {len(RULES)} rules held; digest {found.digest}"


def _shrunk(played: tuple[Played, ...], tries: int, interrupted: threading.Event, report: Path) -> Iterator[str]:
    """Of each rule that was broken its smallest case, from the first run that broke it."""
    first: dict[str, Played] = {}
    for each in played:
        for rule in each.broken:
            first.setdefault(rule, each)
    for rule, each in first.items():
        if tries:
            found = shrink(each.plan, rule, each.broken[rule], _made, most=tries, interrupted=interrupted.is_set)
            yield from shrunk_lines(rule, found, report)


def _made(plan: Plan, incidents: Incidents) -> Simulation:
    return Simulation(plan, Assembly(HOME, seed=plan.seed), incidents=incidents)
