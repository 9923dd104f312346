"""What an attempt came to: a claim, or a failure with its type and what is to be captured of it. Pure."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from harness.systems.phase_runner.contract import GateFailure, GateResult, Missing, ReportArguments, SubagentResult
from harness.systems.phase_runner.contract.words import GATE_FAILURES, RETRYABLE, FailureType, Gate

OTHER: Final = "(none of the twelve)"
"""Stands for a failure that none of the twelve types fits; it is told in any word."""
PASSES: Final = "(passes)"
"""Stands for what may be no failure at all."""
CLAUSES: Final[Mapping[str, str]] = {
    FailureType.TEST_FAILURE: "AB-ERR-01",
    FailureType.LINT_ERROR: "AB-ERR-02",
    FailureType.TYPECHECK_ERROR: "AB-ERR-03",
    FailureType.TIMEOUT: "AB-ERR-04",
    FailureType.VERIFICATION_MISMATCH: "AB-ERR-05",
    FailureType.TASK_INCOMPLETE: "AB-ERR-07",
    FailureType.PARSE_ERROR: "AB-ERR-07",
    FailureType.FORMAT_ERROR: "AB-CLS-01",
    FailureType.DEPENDENCY_MISSING: "AB-NRT-01",
    FailureType.FILE_CONFLICT: "AB-NRT-04",
    OTHER: "AB-CLS-03",
}
"""The clause that says what a failure of that type is."""
_MOST_OBJECTS: Final = 20  # that are looked for in what is said; of more nobody can say what is found
MOST_NAMED: Final = 10  # cases of which each has to be named; of more the number


class Outcome(msgspec.Struct, frozen=True):
    """What an attempt may be taken for: failure types, OTHER, PASSES; mostly one.

    ``result`` is what the sub-agent said, where that is known; ``message`` what it said is wrong. ``texts`` are to be
    captured, each in one of its spellings.
    """

    types: frozenset[str]
    result: SubagentResult | None = None
    message: str = ""
    texts: tuple[tuple[str, ...], ...] = ()
    files: tuple[str, ...] = ()
    missing: Missing | None = None

    @property
    def only(self) -> str | None:
        """What it is; None where it may be taken for several things."""
        return next(iter(self.types)) if len(self.types) == 1 else None

    @property
    def is_silent(self) -> bool:
        """Did the sub-agent say that it failed, and not a word of what did?"""
        said = self.result
        return said is not None and not (said.success or said.message.strip() or said.details.strip() or self.texts)

    @property
    def passes(self) -> bool:
        """Is it certainly no failure?"""
        return self.only == PASSES

    @property
    def may_pass(self) -> bool:
        """May it be no failure?"""
        return PASSES in self.types

    @property
    def fails(self) -> frozenset[str]:
        """The types it may fail with."""
        return self.types - {PASSES}

    @property
    def must_be_retried(self) -> bool:
        """Is it certainly one of the eight?"""
        return bool(self.types) and self.types <= RETRYABLE

    @property
    def may_be_retried(self) -> bool:
        """May it be one of the eight, or one that nobody lists?"""
        return not self.types.isdisjoint(RETRYABLE | {OTHER})


CLASHED: Final = Outcome(frozenset((FailureType.FILE_CONFLICT,)))
"""That of phases which changed one file, whatever they came to before."""


def of_report(args: ReportArguments) -> Outcome:
    """What a report says of its phase."""
    if args.said is None:
        return _timeout(args)
    found = _result(args.said)
    if found is None:
        doubtful = _is_doubtful(args.said)
        types = {FailureType.PARSE_ERROR, *((PASSES, OTHER, *RETRYABLE, FailureType.DEPENDENCY_MISSING) * doubtful)}
        return Outcome(frozenset(types))
    return _claimed(found) if found.success else _failed(found)


def _timeout(args: ReportArguments) -> Outcome:
    elapsed = args.elapsed_s
    texts: list[tuple[str, ...]] = []
    if elapsed is not None and 0 <= elapsed < 1e9:
        seconds = (f"{elapsed:g}", f"{int(elapsed)}", f"{elapsed:.1f}", str(elapsed))
        texts.append(tuple(dict.fromkeys((*seconds, f"{elapsed / 60:g}"))))
    if args.last_activity and args.last_activity.strip():
        texts.append((args.last_activity.strip(),))
    return Outcome(frozenset((FailureType.TIMEOUT,)), texts=tuple(texts))


def _claimed(result: SubagentResult) -> Outcome:
    """Success: fresh gates say whether it is one, but of what is not done nobody needs to ask them."""
    types = {PASSES}
    if result.tasks_completed < result.tasks_total:
        types.add(FailureType.TASK_INCOMPLETE)
    if result.missing is not None:
        types.add(FailureType.DEPENDENCY_MISSING)
    for gate, found in result.gates.items():
        if not is_passed(found):
            types.add(GATE_FAILURES[gate])
        if found.exit_code is None:
            types.add(FailureType.DEPENDENCY_MISSING)
    return Outcome(frozenset(types), result)


def _failed(result: SubagentResult) -> Outcome:
    message, missing = result.message.strip(), result.missing
    if missing is not None:
        return Outcome(frozenset((FailureType.DEPENDENCY_MISSING,)), result, message, missing=missing)
    if result.tasks_completed < result.tasks_total:
        return Outcome(frozenset((FailureType.TASK_INCOMPLETE,)), result, message)
    types: set[str] = set()
    for gate in Gate:
        found = result.gates.get(gate)
        if found is None or is_passed(found):
            continue
        if found.exit_code is not None:
            types.add(GATE_FAILURES[gate])
            is_sure = len(types) == 1
            texts, files = (_texts(gate, found), _files(found)) if is_sure else ((), ())
            return Outcome(frozenset(types), result, message, texts, files)
        types |= {FailureType.DEPENDENCY_MISSING, GATE_FAILURES[gate]}
    return Outcome(frozenset(types | {OTHER}), result, message)


def of_gates(result: SubagentResult | None, gates: Mapping[Gate, GateResult]) -> Outcome:
    """What a fresh verification says of what was claimed."""
    broken = [each for each in gates.values() if not is_passed(each)]
    absent = [each for each in broken if each.exit_code is None]
    is_done = result is None or result.tasks_completed >= result.tasks_total
    types: set[str] = set()
    if broken or not gates:
        types.add(FailureType.VERIFICATION_MISMATCH)
    if absent:
        types.add(FailureType.DEPENDENCY_MISSING)
    if len(broken) == len(absent):
        types.add(PASSES)
    if not is_done:
        types = (types - {PASSES}) | {FailureType.TASK_INCOMPLETE}
    is_sure = types == {FailureType.VERIFICATION_MISMATCH}
    found = [gate for gate in Gate if gate in gates and not is_passed(gates[gate])]
    texts = tuple((gate.value, *_spellings(gates[gate])) for gate in found) if is_sure else ()
    return Outcome(frozenset(types), result, texts=texts)


def is_passed(found: GateResult) -> bool:
    """Did this gate pass?"""
    return found.exit_code == 0 and not found.failures


def _spellings(found: GateResult) -> Iterator[str]:
    """Texts that tell of a gate as well as its name does."""
    yield from (each for each in (found.command.strip(), found.output_summary.strip()) if each)


def _texts(gate: Gate, found: GateResult) -> tuple[tuple[str, ...], ...]:
    """What is to be captured of a gate that failed: how many cases, and of each what the document lists."""
    texts: list[tuple[str, ...]] = [(str(len(found.failures)),)] if found.failures and gate in _CAPTURED else []
    if len(found.failures) <= MOST_NAMED and gate in _CAPTURED:
        texts += [(text,) for case in found.failures for text in _CAPTURED[gate](case) if text.strip()]
    return tuple(dict.fromkeys(texts))


def _of_test(case: GateFailure) -> list[str]:
    return [case.file.strip(), (case.name or "").strip(), case.message.strip()]


def _of_rule(case: GateFailure) -> list[str]:
    return [case.file.strip(), (case.rule or "").strip(), "" if case.line is None else str(case.line)]


def _of_type(case: GateFailure) -> list[str]:
    told = [case.expected, case.actual] if case.expected or case.actual else [case.message]
    return [case.file.strip(), "" if case.line is None else str(case.line), *((each or "").strip() for each in told)]


_CAPTURED: Final = {Gate.TEST: _of_test, Gate.LINT: _of_rule, Gate.TYPECHECK: _of_type}


def _files(found: GateResult) -> tuple[str, ...]:
    files = tuple(dict.fromkeys(case.file.strip() for case in found.failures if case.file.strip()))
    return files if len(files) <= MOST_NAMED else ()


def _result(said: str) -> SubagentResult | None:
    """What is said, where every reader finds that; None otherwise."""
    repeated: list[bool] = []

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        repeated.append(len({name for name, _ in found}) < len(found))
        return dict(found)

    try:
        found = msgspec.json.decode(said, type=SubagentResult)
        json.loads(said, object_pairs_hook=pairs)
    except (ValueError, RecursionError, UnicodeEncodeError):
        return None
    return None if any(repeated) else found


def _is_doubtful(said: str) -> bool:
    """May a lenient reader find a result in what is none?"""
    place = -1
    for _ in range(_MOST_OBJECTS):
        place = said.find("{", place + 1)
        if place < 0:
            return False
        try:
            value = json.JSONDecoder(strict=False).raw_decode(said, place)[0]
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and set(value) >= {"success", "tasks_total", "tasks_completed"}:
            return all(isinstance(value[name], int | float | str) for name in ("tasks_total", "tasks_completed"))
    return True
