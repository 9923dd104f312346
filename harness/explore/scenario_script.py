"""A failing scenario of a hook as one file of plain Python that shows it without this harness."""

import errno
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from harness.core.fault import Fault
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import History
from harness.core.scenario import FileSpec, Operation, Scenario, Schedule, Step
from harness.explore import plain, playing
from harness.explore.program.scripts import in_order, scenario_script_of
from harness.explore.races import Race, RaceStep
from harness.explore.scenario_moments import Moment, moments, refuse
from harness.faults import clock as clocks
from harness.faults.catalogue import checked, inject
from harness.faults.syscalls import SIGNATURES, Kind
from harness.sandbox import Surroundings
from harness.systems import registry
from harness.targets import player
from harness.targets.direct import DirectRoom
from harness.targets.hook import HookSession
from harness.targets.session import Session

_OF_HOST: Final = ("PATH", "PYTHONPATH")  # what they name lies where it lies
_ROOT: Final = re.compile(r"^\{(home|project|tmp|outside)\}")
_OUT_OF_SPACE: Final = ("ENOSPC", "EDQUOT")
_TIME_ZONE: Final = "clock.time_zone"


def scenario_script(
    scenario: Scenario, session: Session, system: registry.System, history: History, findings: Sequence[Finding]
) -> str:
    """The text of a script that makes the last world and calls, and tells whether they end as they did in ``history``.

    ``findings`` say what failed in that run. UsageError, in one sentence, for what needs the harness: a kept process, a
    mount, a signal at a moment, calls at once in no stated order.
    """
    if not isinstance(session, HookSession):
        refuse("this implementation is kept running and asked over a protocol")
    found = moments(scenario, history, session.sandbox)
    if any(moment.clock is not None for moment in found) and session.is_static():
        refuse("its clock is moved, which a static program is told by a supervisor only")
    if found and found[-1].strike is not None and _kills(found[-1].strike):
        refuse("what is wrong lies in what the last call left when it was killed")
    orders = _orders(scenario, session, system, found)
    session.reset(scenario)
    content, order, strikes = _content(scenario, session, system, found, orders)
    ended = [done.end.value if done.end is not None else {} for done in history.operations()]
    runs = [run for step in content["steps"] for run in step["runs"]]
    for run, value in zip(runs, ended[len(ended) - len(runs) :], strict=True):
        run["ended"] = _ended(value)
    failed = [finding for finding in findings if finding.verdict is CheckVerdict.FAIL]
    about = {
        "id": scenario.id,
        "title": scenario.title,
        "clauses": ", ".join(finding.clause for finding in failed),
        "observed": "; ".join(dict.fromkeys(finding.observed for finding in failed)),
        "folder": session.sandbox.plan.project or "",
    }
    return scenario_script_of({**about, **content}, strikes, order)


def _orders(
    scenario: Scenario, session: HookSession, system: registry.System, found: Sequence[Moment]
) -> dict[int, tuple[RaceStep, ...]]:
    """By the place of its step, the file calls of each order that the scenario names, as one more run makes them."""
    if not any(moment.ordered for moment in found):
        return {}
    made: list[Race] = []

    def kept(session: Session, schedule: Schedule) -> Race:
        made.append(playing.ordered(session, schedule))
        return made[-1]

    player.play(scenario, session, system.inputs_of, kept)
    if any(race.trouble for race in made):
        refuse(f"the order of the file calls was not made again ({made[-1].trouble})")
    ordered = [
        n for n, step in enumerate(scenario.steps) if step.schedule is not None and step.schedule.order is not None
    ]
    return {place: race.order for place, race in zip(ordered, made, strict=True)}


def _content(
    scenario: Scenario,
    session: HookSession,
    system: registry.System,
    found: Sequence[Moment],
    orders: Mapping[int, tuple[RaceStep, ...]],
) -> tuple[dict[str, Any], tuple[RaceStep, ...], frozenset[str]]:
    """What the script plays, the file calls that it puts in order, and those that it strikes."""
    files: Mapping[str, FileSpec] = {}
    steps = []
    for moment in found:
        now = _files(scenario, moment.damage, session, system)
        steps.append(
            {
                "files": {path: msgspec.to_builtins(spec) for path, spec in now.items() if files.get(path) != spec},
                "clock": None if moment.clock is None else msgspec.to_builtins(moment.clock),
                "strike": _strike(moment.strike, session),
                "order": in_order(orders[moment.step], _inside) if moment.ordered else None,
                "runs": [_run(call, moment.around, session) for call in moment.calls],
            }
        )
        files = now
    strikes = [moment.strike for moment in found if moment.strike is not None]
    content: dict[str, Any] = {
        "steps": steps,
        "stable": [],
        "patterns": [path for strike in strikes for path in _paths(strike, session) if "*" in path],
    }
    if orders:
        content["below"] = [_inside(session.hide(path)) for path in session.ordered_below()]
        content["who"] = [f"call {n + 1} of them" for n in range(max(len(moment.calls) for moment in found))]
    if any(moment.clock is not None for moment in found):
        content["libraries"] = [f"{place}/{name}" for place in clocks.LIBRARY_PLACES for name in clocks.LIBRARY_NAMES]
    order = tuple(step for steps_of_one in orders.values() for step in steps_of_one)
    return content, order, frozenset(str(checked(strike, session.sandbox).params["call"]) for strike in strikes)


def _files(
    scenario: Scenario, faults: Sequence[Fault], session: Session, system: registry.System
) -> Mapping[str, FileSpec]:
    """What stands in the world under the faults that are files; ``session`` has just made it, for the samples' sake."""
    files = {}
    for path, spec in scenario.world.files.items():
        if spec.sample is not None:
            data = session.input(path).data
            if data is None:
                refuse(f"the file {path} is too large for a script")
            spec = msgspec.structs.replace(spec, sample=None, pad_bytes=None, base64=data)  # noqa: PLW2901 - filled in
        files[path] = spec
    world = msgspec.structs.replace(scenario.world, files=files)
    steps = (*(Step(fault=fault) for fault in faults), Step(op=Operation("stop")))
    rendered = plain.rendered(msgspec.structs.replace(scenario, world=world, steps=steps), system)
    if rendered is None:
        refuse(f"{' or '.join(fault.name for fault in faults)} is more than a file")
    return rendered.world.files


class _Around(DirectRoom):
    """A room that only remembers what a fault puts around a process."""

    def surround(self, change: Surroundings) -> None:
        """See Room.surround."""
        self.surroundings = self.surroundings.with_change(change)


def _surroundings(faults: Sequence[Fault]) -> Surroundings:
    room = _Around()
    try:
        for fault in faults:
            if fault.name == _TIME_ZONE:
                room.surround(Surroundings(environment={"TZ": str(checked(fault, room).params["name"])}))
            else:
                inject(fault, room, 0)
        shown = room.surroundings
    finally:
        room.close()
    only = Surroundings(environment=shown.environment, bare_environment=shown.bare_environment)
    if shown != only or (faults and shown == Surroundings()):
        refuse(f"more than the variables of the process changes under {' and '.join(fault.name for fault in faults)}")
    return shown


def _run(call: Operation, around: Sequence[Fault], session: HookSession) -> dict[str, Any]:
    shown = _surroundings(around)
    run = session.bare_run(call)
    if run.keep_stdin_open or run.close_stdout or run.close_stderr or run.stdin is None:
        refuse("a stream of the process is not as usual")
    env = {} if shown.bare_environment else {**run.env, **shown.environment}
    return {
        "argv": [_of_folder(word, session) for word in run.argv],
        "env": {
            name: _of_folder(text, session) if name in _OF_HOST else session.hide(text)
            for name, text in env.items()
            if text is not None
        },
        "cwd": _of_folder(run.cwd, session),
        "stdin": session.hide(run.stdin.decode("utf-8", "surrogateescape")),
        "timeout_s": run.timeout_s,
    }


def _ended(value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "timed_out": value.get("timed_out", False),
        "exit_code": value.get("exit_code"),
        "stdout": value.get("stdout_excerpt", ""),
    }


def _of_folder(text: str, session: HookSession) -> str:
    """A word that the person wrote, who knows no world: only the target's own folder is elsewhere in a script."""
    folder = session.sandbox.plan.project
    return text.replace(folder, "{project}") if folder else text


def _inside(path: str) -> str:
    """A path of a scenario, as one from the folder that holds all places of a script's world."""
    return _ROOT.sub(r"\1", path)


def _paths(fault: Fault, session: HookSession) -> list[str]:
    params = checked(fault, session.sandbox).params
    return [_inside(path) for path in (fault.path or "", str(params.get("to") or "")) if path]


def _kills(fault: Fault) -> bool:
    return fault.name in ("syscall.killed", "syscall.torn")


def _strike(fault: Fault | None, session: HookSession) -> dict[str, Any] | None:
    if fault is None:
        return None
    kind, params = fault.name.partition(".")[2], checked(fault, session.sandbox).params
    if kind == "delayed" or (kind == "killed" and params["signal"] != "SIGKILL"):
        refuse(f"{fault.name} of that kind hangs on time")
    name = str(params.get("errno", ""))
    return {
        "paths": _paths(fault, session),
        "nth": params["nth"],
        "errno": getattr(errno, name) if name else 0,
        "short": name in _OUT_OF_SPACE and SIGNATURES[str(params["call"])].kind is Kind.WRITE,
        "torn": params.get("bytes", 0),
        "kill": _kills(fault),
    }
