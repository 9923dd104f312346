"""Candidates for scenarios nobody wrote down: worlds, operations, one fault and time, put together by chance.

The chance is a ``random.Random``, so the same seed composes the same candidates on every Python version. Whether a
candidate is worth keeping is for the caller to find out by playing it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from random import Random
from typing import Any, TypeVar

from harness.core.scenario import FORMAT, FileSpec, Operation, Scenario, Schedule, Step, World
from harness.systems.stop_gate.contract import (
    GATE,
    STOP_HOOK,
    SYSTEM,
    Consideration,
    Decision,
    Stdin,
    StopArguments,
)
from harness.systems.stop_gate.workload import fault_places as places
from harness.systems.stop_gate.workload import gate_steps as gate
from harness.systems.stop_gate.workload import stop_steps as hook
from harness.systems.stop_gate.workload.machine_gate import INSTANT, MOVES_S
from harness.systems.stop_gate.workload.stop_tours import DECLARED, Cast

T = TypeVar("T")
CALM_SHARE = 6  # one candidate in so many has no fault, where the caller names none
SEVERITIES = (None, "blocker", "blocker", "warning")
SESSIONS = (gate.SESSION, gate.SESSION, gate.SESSION, "session-2", "a.b_c-9", None, "")
TRANSCRIPTS = (
    gate.HEALTHY,
    gate.HEALTHY,
    gate.HEALTHY_NESTED,
    (gate.codex("user", "Please add a retry."), gate.codex("assistant", "It retries three times now.")),
    (gate.ASKED, gate.flat("assistant", gate.PROMPT_TEXT)),
    (gate.ASKED, '{"role": "assistant", "content": "half a', gate.ANSWERED),
    (gate.ASKED, *["nonsense"] * 10, gate.ANSWERED),
    (gate.ASKED, "", "", gate.ANSWERED, gate.flat("wizard", "x")),
    (),
)
CONFIGS: tuple[Any, ...] = (
    None, None, None, {}, {"enabled": True}, {"enabled": False}, {"enabled": 1},
    {"timeout_seconds": 60, "colour": "red"}, {"timeout_seconds": 301},
)  # fmt: skip
SEMAPHORE_AGES = (None, None, None, None, 10, 3599, 3601, -30)
SAMPLES = {hook.FINISHED_PATH: FileSpec(sample="approve"), hook.UNFINISHED_PATH: FileSpec(sample="block")}
# what a host may say otherwise, and whether it is ordinary: an unfinished session is held all the same
HOOK_INPUTS: tuple[tuple[bool, dict[str, Any]], ...] = (
    (True, {}),
    (True, {"event": "SubagentStop"}),
    (True, {"permission_mode": "plan"}),
    (True, {"last_assistant_message": "Done. \u2714"}),
    (False, {"camel_case": True}),
    (False, {"stdin": Stdin.KEPT_OPEN}),
    (False, {"drop": ("permission_mode", "last_assistant_message")}),
    (False, {"drop": ("hook_event_name",)}),
    (False, {"environment": {"TMPDIR": "/nonexistent", "LC_ALL": "xx_XX.none"}}),
    (False, {"replace": {"cwd": 7}}),
    (False, {"session_id": "../../../../outside/x"}),
    (False, {"session_id": "x" * 300}),
    (False, {"session_id": "ünï-cødé"}),
)
FIXED_REASONS = (
    "already_ran", "transcript_missing", "transcript_too_large", "empty_transcript", "power_steering_prompt", "timeout",
    "only_warnings",
)  # fmt: skip
ANY_APPROVAL = gate.reasons("a word of its own")
# what every gate, or hook, witnesses that survives, whichever permitted reading it takes: state it kept may be another
GATE_CLAUSES = (
    "PS-FO-01", "PS-FO-02", "PS-FO-03", "PS-TR-01", "PS-TR-02", "PS-TR-03", "PS-TR-04", "PS-TR-05", "PS-TR-06",
    "PS-TR-07", "PS-TR-08", "PS-TR-09", "PS-CFG-01", "PS-CFG-02", "PS-CFG-03", "PS-CFG-04", "PS-PRM-02", "PS-TST-01",
)  # fmt: skip
HOOK_CLAUSES = ("SH-01", "SH-02", "PS-FO-01")
CALM_HOOK_CLAUSES = ("SH-01", "SH-02")


def candidates(profile: str, rng: Random, faults: Sequence[str], *, calm: bool) -> Iterator[Scenario]:
    """Candidates without end, one of ``faults`` in each, in turn; with ``calm`` now and then none.

    They have no id, no title and no clauses yet; see ``title`` and ``meant``.
    """
    compose: Callable[[Random, str | None], Scenario] = _gate if profile == GATE else _stop_hook
    usable = _shuffled(rng, [name for name in faults if places.of(profile, name)])
    for position, name in enumerate(cycle(usable or [""])):
        if not usable and not calm:
            return
        yield compose(rng, None if not usable or (calm and position % CALM_SHARE == 0) else name)


def controls(profile: str) -> tuple[Scenario, ...]:
    """The two sides in calm weather: who always says yes, or always no, fails one of them."""
    if profile == GATE:
        files = {path: gate.text(*gate.HEALTHY) for path in (gate.CALM_TRANSCRIPT, gate.TRANSCRIPT)}
        return tuple(
            _scenario(GATE, World(gate.CLOCK, files), (*gate.CONTROL, gate.RESET, gate.check(asked)), (may,))
            for asked, may in ((gate.FAILED, gate.BLOCK), (gate.FINE, gate.APPROVE))
        )
    return tuple(
        _scenario(STOP_HOOK, World(hook.CLOCK, SAMPLES), (*hook.CALM, hook.stop(session)), may)
        for session, may in ((hook.UNFINISHED, hook.HOLDS), (hook.FINISHED, hook.ENDS))
    )


def without_place(profile: str, faults: Sequence[str]) -> tuple[str, ...]:
    """Those of ``faults`` that cannot strike anything in this profile."""
    return tuple(name for name in faults if not places.of(profile, name))


def _one(rng: Random, choices: Sequence[T]) -> T:
    return choices[rng.randrange(len(choices))]


def _shuffled(rng: Random, names: list[str]) -> list[str]:
    """In an order of chance, so that a few candidates are no few families."""
    return [names.pop(rng.randrange(len(names))) for _ in range(len(names))]


def _gate(rng: Random, name: str | None) -> Scenario:
    lines = _one(rng, TRANSCRIPTS)
    files = {gate.CALM_TRANSCRIPT: gate.text(*gate.HEALTHY), gate.TRANSCRIPT: gate.text(*lines)}
    value = _one(rng, CONFIGS)
    if value is not None:
        files |= gate.config(value)
    age = _one(rng, SEMAPHORE_AGES)
    if age is not None:
        files |= gate.semaphore(age)
    steps: list[Step] = [*gate.CONTROL, gate.RESET]
    steps += [_check(rng) for _ in range(rng.randrange(2))]
    if name is not None:
        place = _one(rng, places.of(GATE, name))
        files |= place.files
        steps += place.steps
    if rng.randrange(4) == 0:
        # back in time would be a second fault
        steps.append(gate.later(_one(rng, [by_s for by_s in MOVES_S if by_s > 0 or name is None])))
    steps += [_operation(rng, calm=name is None) for _ in range(rng.randrange(3))]
    steps.append(_check(rng))
    return _scenario(GATE, World(gate.CLOCK, files), steps)


def _considerations(rng: Random) -> tuple[Consideration, ...]:
    drawn = tuple(
        gate.consideration(_one(rng, INSTANT), _one(rng, SEVERITIES), name=f"c{number}")
        for number in range(rng.randrange(3))
    )
    # a session that deserves a block, one with a warning and one that does not
    return (*drawn, *_one(rng, ((gate.FAILED,), (gate.FAILED,), (gate.WARNED,), (gate.FINE,))))


def _check(rng: Random) -> Step:
    return gate.check(*_considerations(rng), session_id=_one(rng, SESSIONS))


def _operation(rng: Random, *, calm: bool) -> Step:
    drawn = rng.randrange(10)
    if drawn == 0:
        return gate.METRICS
    if drawn == 1:
        return gate.ask_prompt(*_considerations(rng))
    if drawn == 2 and calm:
        asked = [gate.operation(*_considerations(rng), session_id=gate.SESSION) for _ in range(2)]
        return Step(schedule=Schedule(tuple(asked)))
    return _check(rng)


def _stop_hook(rng: Random, name: str | None) -> Scenario:
    place = _one(rng, places.of(STOP_HOOK, name)) if name is not None else None
    declared = place is not None and place.strike is not None and place.strike.place in places.DECLARED
    cast = DECLARED if declared else Cast.of(f"candidate-{rng.randrange(2**31)}")
    sessions = _one(rng, ((cast.unfinished,), (cast.finished,), (cast.unfinished, cast.finished)))
    struck = sessions[-1]
    steps: list[Step] = [*cast.calm]
    ordinary, lost = False, name in places.LOST
    if place is None or place.strike is None:
        ordinary, change = _one(rng, HOOK_INPUTS)
        steps += [hook.stop(arguments, **change) for arguments in sessions]
    else:
        faults = cast.put((place.strike,))
        if lost:
            # what is lost may have decided: the same without the damaged lines tells whether a block is the fault's
            without = [places.without_damage(step) for step in faults]
            steps += [*without, hook.control(struck, deserves=None), hook.RESET]
        steps += [*faults, *(hook.stop(arguments) for arguments in sessions)]
        ordinary = name == "jsonl.blank_lines"
        if rng.randrange(3) == 0:
            ordinary = False
            steps.append(hook.stop(struck, stop_hook_active=struck.deserves is Decision.BLOCK))
    files = {**(cast.files or SAMPLES), **(place.files if place else {})}
    return _scenario(STOP_HOOK, World(hook.CLOCK, files), steps, _allowed(struck, ordinary=ordinary, lost=lost))


def _allowed(struck: StopArguments, *, ordinary: bool, lost: bool) -> tuple[Mapping[str, Any], ...]:
    """What the last stop may end in: whatever happened, a finished session ends, and one beside a fault may."""
    if struck.deserves is Decision.APPROVE and not lost:
        return hook.ENDS
    return hook.HOLDS if ordinary else hook.EITHER


def _scenario(
    profile: str,
    world: World,
    steps: Sequence[Step],
    allowed: tuple[Mapping[str, Any], ...] = (),
) -> Scenario:
    return Scenario(
        format=FORMAT,
        id="candidate",
        title="",
        system=SYSTEM,
        profile=profile,
        clauses=(),
        world=world,
        steps=tuple(steps),
        level="L2" if any(step.fault for step in steps) else "L1",
        allowed=allowed,
    )


def meant(scenario: Scenario) -> tuple[str, ...]:
    """The clauses that a scenario of these may be meant for; of these it is for those that the reference witnesses."""
    if scenario.profile == GATE:
        return GATE_CLAUSES
    return HOOK_CLAUSES if any(step.fault for step in scenario.steps) else CALM_HOOK_CLAUSES


def allowed(
    scenario: Scenario, permitted: Callable[[Sequence[Mapping[str, Any]]], Any]
) -> tuple[Mapping[str, Any], ...]:
    """What the last operation may end in: what the candidate says, else those alternatives that are ``permitted``."""
    if scenario.allowed:
        return scenario.allowed
    found = tuple(permitted((gate.BLOCK, ANY_APPROVAL, *map(gate.reasons, FIXED_REASONS))))
    if ANY_APPROVAL in found:  # then its reasons are free
        return tuple(each for each in (gate.APPROVE, gate.BLOCK) if each == gate.APPROVE or each in found)
    return found


def unsteady(name: str) -> bool:
    """May two runs under the fault of that name rightly end differently?"""
    return places.unsteady(name)


def title(scenario: Scenario) -> str:
    """What happens in the scenario after its controls, in a line."""
    resets = [number for number, step in enumerate(scenario.steps) if step == gate.RESET]
    words: list[str] = []
    for step in scenario.steps[resets[-1] + 1 if resets else 0 :]:
        if step.op is not None:
            words.append(_described(step.op))
        elif step.fault is not None:
            path = step.fault.path or ""
            place = "a transcript" if path.endswith(".jsonl") else path.rpartition("/")[2]
            words.append(f"{step.fault.name} at {place}" if place else step.fault.name)
        elif step.clock is not None:
            words.append(f"{step.clock.by_s:+g} s")
        elif step.schedule is not None:
            words.append(f"{len(step.schedule.together)} checks at once")
    return "Found: " + "; ".join(dict.fromkeys(words))


def _described(operation: Operation) -> str:
    asked = operation.args.get("considerations") or operation.args.get("failed") or ()
    kinds = ", ".join(dict.fromkeys(str(each["outcome"]) for each in asked))
    if operation.name == "stop":
        return f"a stop that deserves {operation.args.get('deserves') or 'either'}"
    return f"{operation.name} ({kinds})" if kinds else operation.name
