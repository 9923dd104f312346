"""``windtunnel simulate``: many agents for many days under one virtual clock, every event checked."""

import contextlib
import shlex
import signal
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click
import msgspec

from harness import __version__
from harness.certify import reach
from harness.certify.reach import Reach
from harness.errors import MachineError, UsageError
from harness.report.failures import DEFAULT_REPORT
from harness.report.files import EVENTS, RESULT, laid_out, prepare
from harness.report.text import printable
from harness.runtime.order import ORDER
from harness.simulation.profiles import PROFILES
from harness.simulation.result import EXIT_CODES, BrokenRule, Outcome, Result
from harness.simulation.session import HOME
from harness.simulation.simulation import Plan, Simulation
from harness.simulation.stand_in import StdioStandIn
from harness.simulation.systems import IN_A_SESSION, REFERENCE, Assembly
from harness.simulation.telling import event_line, heading, lines, replay_command
from harness.simulation.virtual_time import TICKS_PER_S
from harness.systems import registry
from harness.targets.session import Session
from harness.targets.slots import Slots
from harness.targets.target_file import closest, load

STDIO = "stdio:"


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
    help="In place of that system: `reference`, a target file, or stdio:CMD; repeatable.",
)
@click.option(
    "--until", type=click.IntRange(min=1), metavar="NUMBER", help="Stop at that event, and show what led to it."
)
@click.option("--unsafe", is_flag=True, help="Go on where this machine cannot contain a target.")
@click.option(
    "--report",
    type=click.Path(path_type=Path, file_okay=False),
    default=DEFAULT_REPORT,
    show_default=True,
    help="Where result.json goes.",
)
@click.option("--json", "as_json", is_flag=True, help="The result as JSON, and nothing else.")
def command(
    days: int,
    agents: int,
    seed: int,
    profile: str,
    targets: tuple[str, ...],
    until: int | None,
    unsafe: bool,
    report: Path,
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
    reaches = _reached(targets)
    if until is None:  # a replay keeps the result it is from
        prepare(report)
        (report / EVENTS).unlink()  # where others write theirs; of a simulation there would be too many
    plan = Plan(days, agents, seed, profile)
    interrupted = threading.Event()
    with contextlib.ExitStack() as held:
        sessions = {name: held.enter_context(found.open(Slots(1))) for name, (_, found) in reaches.items()}
        _require_contained(sessions, reaches, unsafe=unsafe)
        held.enter_context(_interrupting(interrupted))
        stand_ins = {
            name: StdioStandIn(registry.get(name), session, reaches[name][0]) for name, session in sessions.items()
        }
        assembly = Assembly(HOME, stand_ins, seed)
        simulation = Simulation(plan, assembly)
        if until is None and not as_json:
            _say(heading(plan, assembly.names()))
        whole = simulation.run(until=until or 0, interrupted=interrupted.is_set)
    if until is not None:
        return _shown(simulation, until)
    result = _result(simulation, assembly, targets, whole=whole)
    text = laid_out(msgspec.to_builtins(result))
    _write(text, report)
    if as_json:
        click.echo(text)
    else:
        _say(lines(result))
    return EXIT_CODES[result.outcome]


def _write(text: str, report: Path) -> None:
    written = report / f"{RESULT}.new"
    try:
        written.write_text(text + "\n", encoding="utf-8")
        written.replace(report / RESULT)
    finally:
        written.unlink(missing_ok=True)


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
    if where.startswith(STDIO):
        try:
            words = tuple(shlex.split(where.removeprefix(STDIO)))
        except ValueError as error:
            raise UsageError(f"the command in {where!r} cannot be split into words: {error}") from error
        if not words:
            raise UsageError(f"there is no command after {STDIO!r}; write {system.name}={STDIO}CMD")
        return reach.from_spec(reach.command_target(words, "stdio"), system, timeout_scale=1.0)
    spec = load(Path(where))
    if spec.file.carrier == "hook":
        raise UsageError(f"{where} is reached as a hook; a simulation can ask over stdio or in_process only")
    return reach.from_spec(spec, system, timeout_scale=1.0)


def _require_contained(
    sessions: Mapping[str, Session], reaches: Mapping[str, tuple[str, Reach]], *, unsafe: bool
) -> None:
    for name, session in sessions.items():
        if reaches[name][0] != REFERENCE and not unsafe and not session.contained():
            raise MachineError(
                f"this machine refuses namespaces: what stands for {name} could change the real files; "
                "add --unsafe to go on all the same"
            )


def _result(simulation: Simulation, assembly: Assembly, targets: tuple[str, ...], *, whole: bool) -> Result:
    broken = tuple(
        BrokenRule(
            rule=rule,
            says=text.says,
            rests_on=text.rests_on,
            times=simulation.broken[rule],
            first=simulation.first[rule].event,
            before=simulation.first[rule].before,
            replay=replay_command(simulation.plan, targets, simulation.first[rule].event.number),
        )
        for rule, text in ORDER.items()
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
    _say([*map(event_line, simulation.led_to), *(f"{rule} is broken here: {ORDER[rule].says}" for rule in rules)])
    return 1 if rules else 0


def _say(texts: Iterable[str]) -> None:
    for text in texts:
        click.echo(printable(text).rstrip())


@contextmanager
def _interrupting(interrupted: threading.Event) -> Iterator[None]:
    """Ctrl-C and its kin end the simulation in order, with what was seen kept."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        if interrupted.is_set():
            raise KeyboardInterrupt  # it waits for a target; who asks twice does not
        interrupted.set()

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
