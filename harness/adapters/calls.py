"""Calls as they are meant, and the worlds they begin in: the scenarios of L1 have some of every operation."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from harness.certify import corpus
from harness.core.scenario import Operation, Scenario, Step
from harness.core.verdict import L1
from harness.systems import registry
from harness.targets.player import RESET

_LONGEST = 8  # operations: enough for state to show, and short where each starts a program
_ROUNDS = 4
_LONGEST_TEXT = 200  # characters


class Asked(NamedTuple):
    """Operations in a world, one after the other; ``operations`` is never empty, and the last is the one meant."""

    scenario: Scenario
    operations: tuple[Operation, ...]


def of_each_operation(system: registry.System, groups: Sequence[str]) -> dict[str, Asked]:
    """By operation, in the order of the contract: a call of it, after as few others as there can be."""
    found: dict[str, tuple[tuple[int, int, bool, int, str], Asked]] = {}
    for scenario, plain in _plain(system, groups):
        for place, operation in enumerate(plain):
            odd = not (_is_usual(operation.args) and _is_typed(system, operation))
            size = len(msgspec.json.encode(operation.args))  # whoever writes much means something particular
            rank = (place, len(scenario.world.files), odd, size, scenario.id)
            if operation.name not in found or rank < found[operation.name][0]:
                found[operation.name] = rank, Asked(scenario, plain[: place + 1])
    return {name: found[name][1] for name in system.contract.OPERATIONS if name in found}


def telling(system: registry.System, groups: Sequence[str]) -> tuple[Asked, ...]:
    """Several in which much is done: what one leaves behind may show in another."""
    known: list[tuple[tuple[int, int, str], Asked]] = []
    for scenario, plain in _plain(system, groups):
        operations = plain[:_LONGEST]
        kinds = len({operation.name for operation in operations})
        known.append(((-kinds, -len(operations), scenario.id), Asked(scenario, operations)))
    return tuple(asked for _, asked in sorted(known, key=lambda each: each[0])[:_ROUNDS])


def required(system: registry.System, operation: str) -> tuple[str, ...]:
    """The arguments without which that operation cannot be asked for."""
    return tuple(field.encode_name for field in _fields(system, operation) if field.required)


def texts(system: registry.System, operation: str) -> tuple[str, ...]:
    """The arguments of that operation that are any text."""
    return tuple(field.encode_name for field in _fields(system, operation) if field.type in (str, str | None))


def with_member(operation: Operation, **members: Any) -> Operation:
    """The operation with those arguments besides, or instead of its own."""
    return msgspec.structs.replace(operation, args={**operation.args, **members})


def without(operation: Operation, member: str) -> Operation:
    """The operation with that argument left out."""
    args: Mapping[str, Any] = {name: value for name, value in operation.args.items() if name != member}
    return msgspec.structs.replace(operation, args=args)


def _is_typed(system: registry.System, operation: Operation) -> bool:
    try:
        msgspec.convert(msgspec.to_builtins(operation.args), system.contract.OPERATIONS[operation.name][0])
    except msgspec.ValidationError:
        return False
    return True


def _is_usual(value: Any) -> bool:
    """Is that what people write: no null, no text that is empty, long or of odd characters, no number below one?"""
    if isinstance(value, str):
        return 0 < len(value.strip()) <= _LONGEST_TEXT and value.isascii() and value.isprintable()
    if isinstance(value, Mapping):
        return all(map(_is_usual, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_usual, value))
    return isinstance(value, bool) or (isinstance(value, int | float) and value > 0)


def _fields(system: registry.System, operation: str) -> tuple[msgspec.structs.FieldInfo, ...]:
    arguments, _ = system.contract.OPERATIONS[operation]
    return msgspec.structs.fields(arguments)


def _plain(system: registry.System, groups: Sequence[str]) -> Iterator[tuple[Scenario, tuple[Operation, ...]]]:
    """The scenarios of L1 that such an implementation is asked, with operations that follow each other in them.

    The clock stands still in these: what matters is that they can be asked.
    """
    for scenario in corpus.enumerated(system.name):
        if (scenario.profile, scenario.level) != (system.served_profile, L1) or scenario.full_length:
            continue
        if scenario.group not in (None, *groups) or any(spec.sample for spec in scenario.world.files.values()):
            continue
        for plain in _calm(system, scenario.steps):
            yield scenario, plain


def _calm(system: registry.System, steps: Sequence[Step]) -> Iterator[tuple[Operation, ...]]:
    """What a scenario asks of one process in calm weather, from its beginning and from each reset on."""
    plain: list[Operation] = []
    calm = True
    for step in _told(steps):
        if step.op is not None and step.op.name == RESET:
            if plain:
                yield tuple(plain)
            plain, calm = [], True
        calm = calm and (step.op is None or step.op.name in (RESET, *system.contract.OPERATIONS))
        calm = calm and (step.op is not None or step.clock is not None)
        if calm and step.op is not None and step.op.name != RESET:
            plain.append(step.op)
    if plain:
        yield tuple(plain)


def _told(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps, what is repeated told once."""
    for step in steps:
        if step.repeat is None:
            yield step
        else:
            yield from _told(step.repeat.steps)
