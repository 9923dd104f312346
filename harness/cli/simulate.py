"""``windtunnel simulate``: many agents for many days under one virtual clock, every event checked."""

import contextlib
import shlex
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click
import msgspec
from click.core import ParameterSource

from harness import __version__
from harness.certify import reach
from harness.certify.reach import Reach
from harness.cli.interruption import interrupting
from harness.cli.options import FOLDER, FORK
from harness.cli.shrunk import shrunk_lines
from harness.errors import MachineError, UsageError
from harness.report.failures import DEFAULT_REPORT
from harness.report.files import EVENTS, RESULT, TIMELINE, laid_out, prepare, write_whole
from harness.report.text import as_line
from harness.simulation.exchange import stand_in
from harness.simulation.incidents import Incidents
from harness.simulation.profiles import PROFILES
from harness.simulation.result import EXIT_CODES, BrokenRule, Outcome, Result
from harness.simulation.rules import RULES
from harness.simulation.script import load as load_script
from harness.simulation.session import HOME, PROVIDERS
from harness.simulation.shrinking import TRIES, Case, Make, shrink
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.systems import IN_A_SESSION, REFERENCE, Assembly
from harness.simulation.telling import event_line, heading, lines, replay_command
from harness.simulation.timeline import Timeline
from harness.simulation.trouble import Fork
from harness.simulation.virtual_time import TICKS_PER_S
from harness.systems import registry
from harness.targets.session import Session
from harness.targets.slots import Slots
from harness.targets.target_file import closest, load

PYTHON = "python:"
_COMMANDS = ("stdio", "hook")  # what a command may be reached as


@click.command("simulate")
@click.option("--days", type=click.IntRange(1, 3650), default=7, show_default=True, help="Of virtual time.")
@click.option("--agents", type=click.IntRange(1, 64), default=4, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Chooses all that happens.")
@click.option("--profile", type=click.Choice(tuple(PROFILES)), default="flaky", show_default=True, help="The weather.")
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="SYSTEM=...",
    help="In its place: `reference`, a target file, stdio:CMD, hook:CMD or python:PKG.MOD:FACTORY; repeatable.",
)
@click.option(
    "--until", type=click.IntRange(min=1), metavar="NUMBER", help="Stop at that event, and show what led to it."
)
@click.option("--unsafe", is_flag=True, help="Go on where this machine cannot contain a target.")
@click.option(
    "--report",
    type=FOLDER,
    default=DEFAULT_REPORT,
    show_default=True,
    help="Where result.json goes.",
)
@click.option(
    "--script",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Play a file in which everything that goes wrong is told.",
)
@click.option(
    "--fork",
    "forks",
    type=FORK,
    multiple=True,
    metavar="TICKS:SEED",
    help="Go on from another seed from that time on; repeatable.",
)
@click.option(
    "--tries", type=click.IntRange(0, 10_000), default=TRIES, show_default=True, help="To shrink what is broken."
)
@click.option("--events/--no-events", default=True, show_default=True, help="Write events.jsonl.")
@click.option("--json", "as_json", is_flag=True, help="The result as JSON, and nothing else.")
def command(  # noqa: PLR0913, PLR0917 - one parameter an option, as click wants it
    days: int,
    agents: int,
    seed: int,
    profile: str,
    targets: tuple[str, ...],
    until: int | None,
    unsafe: bool,
    report: Path,
    script: Path | None,
    forks: tuple[Fork, ...],
    tries: int,
    events: bool,
    as_json: bool,
) -> int:
    """Let agents work for days, in seconds, and check the order in which the safety parts fire.

    The providers of their models fail as the seed says: hardly (calm), with rate limits, outages and time-outs (flaky),
    and with full disks, clocks that are set and processes that die (hostile). The same command gives the same digest on
    every machine.

    Local tools fail in the ten types of document 001; what is diagnosed, tried and learned comes out as the success
    metrics of that document, beside its targets. They are told, and change no exit code.

    \b
    windtunnel simulate --days 30 --agents 4 --seed 1 --profile hostile
    windtunnel simulate --target circuit_breaker=breaker/target.yaml
    windtunnel simulate --target "rate_limit=stdio:node backoff.js"

    Exit codes: 0 all rules held, 1 one is broken, 2 usage, 3 windtunnel broke, 4 a target cannot be run,
    130 interrupted.
    """
    if until is not None and as_json:
        raise UsageError("--json is for a whole simulation; leave it out with --until")
    told = None if script is None else _scripted(script)
    plan = Plan(days, agents, seed, profile, forks) if told is None else told.plan
    reaches = _reached(targets)
    if until is None:  # a replay keeps the result it is from
        prepare(report)
    interrupted = threading.Event()
    with contextlib.ExitStack() as held:
        make, assembly = held.enter_context(_opened(reaches, unsafe=unsafe))
        held.enter_context(interrupting(interrupted))
        simulation = make(plan, Incidents(None if told is None else told.incidents))
        if until is not None:
            simulation.run(until=until, interrupted=interrupted.is_set)
            return _shown(simulation, until)
        timeline = _timeline(simulation)
        simulation.written = held.enter_context((report / EVENTS).open("wb")) if events else None
        if not as_json:
            _say(heading(plan, assembly.names()))
        whole = simulation.run(interrupted=interrupted.is_set)
        result = _result(simulation, assembly, targets, script, whole=whole)
        _tell(result, timeline, report, as_json=as_json)
        if tries and told is None:
            shrunk = _shrunk(plan, result.broken, make, tries, interrupted, report, targets)
            _say(() if as_json else shrunk)
    if not events:
        (report / EVENTS).unlink()
    return EXIT_CODES[result.outcome]


def _timeline(simulation: Simulation) -> Timeline:
    """Watches a simulation that has not begun."""
    plan = simulation.plan
    timeline = Timeline(plan.days, plan.agents, tuple(dict.fromkeys(PROVIDERS.values())))
    simulation.watchers.append(lambda session, event: timeline.take(simulation.elapsed, session, event))
    return timeline


def _tell(result: Result, timeline: Timeline, report: Path, *, as_json: bool) -> None:
    """Writes it, and says it."""
    text = laid_out(msgspec.to_builtins(result))
    write_whole(report / TIMELINE, "\n".join(timeline.lines()))
    write_whole(report / RESULT, text)
    if as_json:
        click.echo(text)
    else:
        _say(lines(result))


def _shrunk(
    plan: Plan,
    every: Iterable[BrokenRule],
    make: Make,
    tries: int,
    interrupted: threading.Event,
    report: Path,
    targets: tuple[str, ...],
) -> list[str]:
    """Writes the smallest case of each broken rule; what is said of them."""
    said: list[str] = []
    for broken in every:
        found = shrink(plan, broken.rule, broken.first.number, make, most=tries, interrupted=interrupted.is_set)
        said += shrunk_lines(broken.rule, found, report, targets)
    return said


def _scripted(path: Path) -> Case:
    """A script says all of it, so nothing else may."""
    context = click.get_current_context()
    given = [
        name
        for name in ("days", "agents", "seed", "profile", "forks")
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if given:
        option = "fork" if given[0] == "forks" else given[0]
        raise UsageError(f"--script says what is played; leave out --{option}")
    return load_script(path).case()


@contextmanager
def _opened(reaches: Mapping[str, tuple[str, Reach]], *, unsafe: bool) -> Iterator[tuple[Make, Assembly]]:
    """What makes a simulation with those systems exchanged, each time with processes that begin anew."""
    with contextlib.ExitStack() as held:
        sessions = {name: held.enter_context(found.open(Slots(1))) for name, (_, found) in reaches.items()}
        _require_contained(sessions, reaches, unsafe=unsafe)

        def assembled(seed: int) -> Assembly:
            stand_ins = {
                name: stand_in(registry.get(name), session, reaches[name][0]) for name, session in sessions.items()
            }
            return Assembly(HOME, stand_ins, seed)

        def make(plan: Plan, incidents: Incidents) -> Simulation:
            return Simulation(plan, assembled(plan.seed), incidents=incidents)

        yield make, assembled(0)


def _reached(targets: tuple[str, ...]) -> dict[str, tuple[str, Reach]]:
    """By system: what stands for it, in words, and the way there."""
    found: dict[str, tuple[str, Reach]] = {}
    for target in targets:
        name, equals, where = target.partition("=")
        if not equals or not where:
            raise UsageError(f"--target {target} is not understood; write it as SYSTEM=reference, =FILE or =stdio:CMD")
        if name not in IN_A_SESSION:
            near = closest(name, list(IN_A_SESSION))
            hint = f"did you mean {near}?" if near else f"there are: {', '.join(IN_A_SESSION)}"
            raise UsageError(f"no session has a system {name!r}; {hint}")
        if name in found:
            raise UsageError(f"--target names {name} twice; give it once")
        found[name] = (where, _way(registry.get(name), where))
    return found


def _way(system: registry.System, where: str) -> Reach:
    if where == REFERENCE:
        return reach.reference(system, timeout_scale=1.0)[0]
    if where.startswith(PYTHON):
        return reach.python_factory(where.removeprefix(PYTHON), system, timeout_scale=1.0)
    carrier, colon, command = where.partition(":")
    if colon and carrier in _COMMANDS:
        try:
            words = tuple(shlex.split(command))
        except ValueError as error:
            raise UsageError(f"the command in {where!r} cannot be split into words: {error}") from error
        if not words:
            raise UsageError(f"there is no command after '{carrier}:'; write {system.name}={carrier}:CMD")
        return reach.from_spec(reach.command_target(words, carrier), system, timeout_scale=1.0)
    return reach.from_spec(load(Path(where)), system, timeout_scale=1.0)


def _require_contained(
    sessions: Mapping[str, Session], reaches: Mapping[str, tuple[str, Reach]], *, unsafe: bool
) -> None:
    for name, session in sessions.items():
        if reaches[name][0] != REFERENCE and not unsafe and not session.contained():
            raise MachineError(
                f"this machine refuses namespaces: what stands for {name} could change the real files; "
                "add --unsafe to go on all the same"
            )


def _result(
    simulation: Simulation, assembly: Assembly, targets: tuple[str, ...], script: Path | None, *, whole: bool
) -> Result:
    broken = tuple(
        BrokenRule(
            rule=rule,
            says=text.says,
            rests_on=text.rests_on,
            times=simulation.broken[rule],
            first=simulation.first[rule].event,
            before=simulation.first[rule].before,
            replay=replay_command(simulation.plan, targets, simulation.first[rule].event.number, script),
        )
        for rule, text in RULES.items()
        if rule in simulation.first
    )
    outcome: Outcome = "sound"
    if not whole:
        outcome = "interrupted"
    elif broken:
        outcome = "broken"
    plan = simulation.plan
    return Result(
        windtunnel=__version__,
        outcome=outcome,
        digest=simulation.digest,
        seed=plan.seed,
        days=plan.days,
        agents=plan.agents,
        profile=plan.profile,
        systems=assembly.names(),
        ended_at_s=simulation.clock.ticks / TICKS_PER_S,
        sessions=simulation.sessions,
        events=simulation.events,
        counts=dict(sorted(simulation.counts.items())),
        metrics=tuple(simulation.metrics.told()),
        broken=broken,
    )


def _shown(simulation: Simulation, until: int) -> int:
    """What led to that event; 1 when it breaks a rule."""
    if simulation.events < until:
        raise UsageError(f"there is no event {until}: the simulation has {simulation.events}")
    rules = [rule for rule, first in simulation.first.items() if first.event.number == until]
    _say([*map(event_line, simulation.led_to), *(f"{rule} is broken here: {RULES[rule].says}" for rule in rules)])
    return 1 if rules else 0


def _say(texts: Iterable[str]) -> None:
    for text in texts:
        click.echo(as_line(text).rstrip())
