"""The words in which the scenarios of the profile stop_hook are written."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.fault import Fault, Scalar
from harness.core.scenario import FORMAT, FileSpec, Operation, Repeat, Scenario, ScenarioLevel, Step, World
from harness.systems.stop_gate.contract import STOP_HOOK, SYSTEM, Decision, StopArguments

CLOCK = "2026-03-01T12:00:00Z"
FOLDER = "{home}/.claude/projects/demo"
FINISHED_PATH = StopArguments().transcript_path
UNFINISHED_PATH = f"{FOLDER}/unfinished.jsonl"
PLACES = ("{home}", "{tmp}", "{project}")  # every place a hook may write
AT_MOST = 26  # PS-LOOP-04: 25 identical stops may be blocked, the next one not; a target may say fewer

FINISHED = StopArguments(deserves=Decision.APPROVE)
UNFINISHED = StopArguments(session_id="session-2", transcript_path=UNFINISHED_PATH, deserves=Decision.BLOCK)
RESET = Step(op=Operation("reset"))
OPEN = ("SH-01", "SH-02", "SH-05", "PS-FO-01")  # what every fault that a hook survives witnesses
ENDS = ({"decision": Decision.APPROVE.value},)  # the results allowed to a last stop: the session ends
HOLDS = ({"decision": Decision.BLOCK.value},)
EITHER = (*ENDS, *HOLDS)


def operation(arguments: StopArguments, **changes: Any) -> Operation:
    """The stop with these arguments, some of them changed."""
    # through JSON, so that a scenario equals the one read back from its file: lists, no tuples
    return Operation("stop", msgspec.json.decode(msgspec.json.encode(msgspec.structs.replace(arguments, **changes))))


def stop(arguments: StopArguments, **changes: Any) -> Step:
    """A step that stops with these arguments, some of them changed."""
    return Step(op=operation(arguments, **changes))


def control(arguments: StopArguments, **changes: Any) -> Step:
    """A stop that shows what the hook does of itself."""
    return stop(arguments, role="control", **changes)


def fault(name: str, path: str, **params: Scalar) -> Step:
    """A step that puts a fault in place."""
    return Step(fault=Fault(name, path, params))


def storage(name: str) -> tuple[Step, ...]:
    """That fault at every place a hook may write."""
    return tuple(fault(name, place) for place in PLACES)


def again(arguments: StopArguments, *between: Step, **changes: Any) -> Step:
    """The same stop as after a block, until it is approved; ``between`` happens before each."""
    repeated = stop(arguments, role="repeat", stop_hook_active=True, **changes)
    return Step(repeat=Repeat(AT_MOST, {"decision": Decision.APPROVE.value}, (*between, repeated)))


CALM = (control(UNFINISHED), control(FINISHED), RESET)


def scenario(
    name: str,
    title: str,
    clauses: tuple[str, ...],
    steps: tuple[Step, ...],
    *,
    files: Mapping[str, FileSpec] | None = None,
    group: str | None = None,
    allowed: tuple[Mapping[str, Any], ...] | None = None,
    level: ScenarioLevel = "L1",
    own_sessions: bool = False,
) -> Scenario:
    """A scenario whose world holds the two sessions of the hook's owner, and ``files``.

    With ``own_sessions`` these are among the files already. ``allowed`` is left out where the last stop says it: one
    that deserves to end, or is repeated until it does.
    """
    samples = {FINISHED_PATH: FileSpec(sample="approve"), UNFINISHED_PATH: FileSpec(sample="block")}
    if own_sessions:
        samples = {}
    return Scenario(
        format=FORMAT,
        id=name,
        title=title,
        system=SYSTEM,
        profile=STOP_HOOK,
        level=level,
        clauses=clauses,
        world=World(CLOCK, {**samples, **(files or {})}),
        steps=steps,
        group=group,
        allowed=_allowed(name, steps[-1]) if allowed is None else allowed,
    )


def _allowed(name: str, last: Step) -> tuple[Mapping[str, Any], ...]:
    operations = last.schedule.together if last.schedule is not None else (last.op,)
    ends = last.repeat is not None or all(
        each is not None and each.args.get("deserves") == Decision.APPROVE.value for each in operations
    )
    if not ends:
        raise ValueError(f"{name}: its last step does not say what is allowed")
    return ENDS
