"""Worlds in which several faults stand at once, one at each place: what pairs of faults are covered with."""

from collections.abc import Mapping, Sequence

import msgspec

from harness.core.fault import Fault
from harness.core.scenario import FORMAT, Scenario, Step, World
from harness.systems.families import CALLS
from harness.systems.stop_gate.contract import GATE, RUNTIME_DIRECTORY, STOP_HOOK, SYSTEM
from harness.systems.stop_gate.workload import fault_places as places
from harness.systems.stop_gate.workload import gate_steps as gate
from harness.systems.stop_gate.workload import stop_steps as hook
from harness.systems.stop_gate.workload.candidates import SAMPLES
from harness.systems.stop_gate.workload.stop_tours import DECLARED, TRANSCRIPTS, Cast

STORAGE = "{runtime}"
# faults at a file call strike where an implementation makes it; these calls every one makes, or is free to
AT_CALLS: Mapping[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault("syscall.errno", TRANSCRIPTS, {"call": "openat", "errno": "EIO"}),
        Fault("syscall.killed", TRANSCRIPTS, {"call": "openat"}),
        Fault("syscall.delayed", TRANSCRIPTS, {"call": "openat", "delay_ms": 20}),
        Fault("syscall.torn", f"{RUNTIME_DIRECTORY}/*", {"call": "write", "bytes": 1}),
    )
}
_OF_STORAGE = (STORAGE, "{semaphore}", "{everywhere}")


def slots(profile: str, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The faults by what they strike; of one slot only one can stand at a time. Those without any place are left out.

    Of damage that takes lines away nobody can say what a hook has to make of it: it is left out for hooks.
    """
    found: dict[str, list[str]] = {}
    for name in names:
        if name in AT_CALLS:
            found.setdefault(CALLS, []).append(name)
        elif places.of(profile, name) and not (profile == STOP_HOOK and name in places.LOST):
            found.setdefault(_slot(profile, name), []).append(name)
    return {slot: tuple(of_slot) for slot, of_slot in found.items()}


def _slot(profile: str, name: str) -> str:
    """What the first place of that fault is: a path, all that is written, or without either its family."""
    place = places.of(profile, name)[0]
    path = place.strike.place if place.strike is not None else next(
        (step.fault.path for step in place.steps if step.fault is not None), None
    )  # fmt: skip
    if path is None:
        return name.partition(".")[0]
    return STORAGE if path.startswith((*_OF_STORAGE, RUNTIME_DIRECTORY)) else path


def combined(profile: str, names: Sequence[str]) -> Scenario:
    """Both sides in calm weather, then under all of these faults at once; it has no id, title or clauses yet."""
    found = [places.of(profile, name)[0] for name in names if name not in AT_CALLS]
    struck = [AT_CALLS[name] for name in names if name in AT_CALLS]
    files = {path: spec for place in found for path, spec in place.files.items()}
    if profile == GATE:
        steps = (
            *gate.CONTROL,
            gate.RESET,
            *(step for place in found for step in place.steps),
            *_at_calls(struck, gate.TRANSCRIPT),
            gate.check(gate.FAILED, session_id=gate.SESSION),
            gate.check(gate.FINE, session_id="session-2"),
        )
        calm = {path: gate.text(*gate.HEALTHY) for path in (gate.CALM_TRANSCRIPT, gate.TRANSCRIPT)}
        return _scenario(GATE, World(gate.CLOCK, {**calm, **files}), steps)
    strikes = tuple(place.strike for place in found if place.strike is not None)
    declared = any(strike.place in places.DECLARED for strike in strikes)
    cast = DECLARED if declared else Cast.of("-".join(names))
    steps = (
        *cast.calm,
        *cast.put(strikes),
        *_at_calls(struck, cast.unfinished.transcript_path),
        hook.stop(cast.unfinished),
        hook.stop(cast.finished),
    )
    return _scenario(STOP_HOOK, World(hook.CLOCK, {**(cast.files or SAMPLES), **files}), steps, hook.ENDS)


def _at_calls(faults: Sequence[Fault], transcript: str) -> tuple[Step, ...]:
    """They come last, since each strikes the next operation only."""
    placed = (msgspec.structs.replace(each, path=(each.path or "").replace(TRANSCRIPTS, transcript)) for each in faults)
    return tuple(Step(fault=fault) for fault in placed)


def _scenario(
    profile: str, world: World, steps: Sequence[Step], allowed: tuple[Mapping[str, object], ...] = ()
) -> Scenario:
    return Scenario(
        format=FORMAT,
        id="combined",
        title="",
        system=SYSTEM,
        profile=profile,
        clauses=(),
        world=world,
        steps=tuple(steps),
        level="L2",
        allowed=allowed,
    )
