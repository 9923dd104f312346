"""Mutants of the harness itself: each breaks one thing of how verdicts are made, and a canary has to notice.

``python -m harness.qualify.harness_mutants NAME`` plays the canaries in a harness that is broken so, in a process of
its own, until one complains; NAME ``none`` breaks nothing, and all of them have to be silent.
"""

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pkgutil import resolve_name
from typing import Any, NamedTuple
from unittest.mock import patch

import msgspec

from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict, Finding
from harness.core.scenario import Scenario
from harness.core.verdict import ClauseResult, ClauseVerdict, LevelResult
from harness.qualify.canaries import CANARIES

NONE = "none"
PATIENCE_S = 900.0  # all canaries one after the other, on a machine that does much else


class HarnessMutant(NamedTuple):
    """A defect of the harness: what is put in the place of what, by dotted names, and the canary asked first."""

    name: str
    description: str
    canary: str
    changes: Mapping[str, Callable[[Any], Any]]
    """For each dotted name what makes its replacement from what stands there."""


class Heard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether a mutant of the harness was ``caught``: the ``canary`` that complained, and what it ``says``.

    A canary that raises instead has noticed nothing; ``broke`` is what it raised.
    """

    name: str
    caught: bool
    canary: str = ""
    says: str = ""
    broke: str = ""


def _changed_findings(change: Callable[[Finding], Finding]) -> Callable[[Any], Any]:
    def around(judge: Any) -> Any:
        return lambda *asked: tuple(change(finding) for finding in judge(*asked))

    return around


def _as_pass(verdict: CheckVerdict) -> Callable[[Finding], Finding]:
    def change(finding: Finding) -> Finding:
        if finding.verdict is not verdict:
            return finding
        return msgspec.structs.replace(finding, verdict=CheckVerdict.PASS, readings=None, witnesses=1)

    return change


def _injected(*, armed: bool) -> Callable[[Any], Any]:
    def replaced(fault: Fault, room: Any, seed: int) -> Injection:
        del room, seed
        return Injection(fault, armed=armed, proof="in place")

    return lambda inject: replaced


def _nothing(real: Any) -> Any:
    del real
    return lambda *asked, **named: None


def _without_kinds(*kinds: str) -> Callable[[Any], Any]:
    def around(enumerated: Any) -> Any:
        def fewer(*asked: Any) -> Any:
            found = enumerated(*asked)
            kept = tuple(each for each in found.variants if each.fault.name.partition(".")[2] not in kinds)
            return msgspec.structs.replace(found, variants=kept)

        return fewer

    return around


def _best(roll_up: Any) -> Any:
    def best(clause: Any, profiles: Any, judged: Iterable[Any]) -> ClauseResult:
        found: ClauseResult = roll_up(clause, profiles, judged)
        if found.verdict is ClauseVerdict.DEVIATES:
            return ClauseResult(ClauseVerdict.CONFORMS, witnesses=found.witnesses)
        return found

    return best


def _doubtless(without_failure: Any) -> Any:
    def sure(clause: Any, seen: Any, witnesses: int) -> Any:
        certain = [pair for pair in seen if pair[1].verdict is CheckVerdict.PASS]
        return without_failure(clause, certain or seen, witnesses)

    return sure


def _undeclared(roll_up: Any) -> Any:
    return lambda catalogue, profiles, judged, declared: roll_up(catalogue, profiles, judged, {})


def _half(in_scope: Any) -> Any:
    return lambda scenario, level: in_scope(scenario, level) and len(scenario.id) % 2 == 0


def _short(shortened: Any) -> Any:
    def loses(scenario: Scenario, fails: Any) -> Scenario:
        found: Scenario = shortened(scenario, fails)
        return msgspec.structs.replace(found, steps=found.steps[:-1])

    return loses


def _first_parts(sha256_of: Any) -> Any:
    return lambda parts: sha256_of(parts[:4])


def _the_reference(served_python: Any) -> Any:
    return lambda system, mutant, **named: served_python(system, None, **named)


def _all_fail(failed: Any) -> Any:
    def every(self: Any, scenario: Any, history: Any) -> tuple[str, ...]:
        found = failed(self, scenario, history)
        return tuple(clause.id for clause in self._system.catalogue) if found else ()

    return every


_JUDGE = "harness.systems.registry.System.judge"
_INJECT = "harness.targets.sandboxed.inject"

MUTANTS: Mapping[str, HarnessMutant] = {
    each.name: each
    for each in (
        HarnessMutant("oracle-never-fails", "an oracle finds no failure", "mutant-deviates",
                      {_JUDGE: _changed_findings(_as_pass(CheckVerdict.FAIL))}),
        HarnessMutant("oracle-finds-nothing", "an oracle has no findings", "reference-conforms",
                      {_JUDGE: lambda judge: lambda *asked: ()}),
        HarnessMutant("witness-always-counts", "what was not entered counts as entered", "degenerates-pass-nothing",
                      {_JUDGE: _changed_findings(_as_pass(CheckVerdict.INCONCLUSIVE))}),
        HarnessMutant("fault-never-fires", "a fault is said to stand, and nothing is put in place", "faults-kill",
                      {_INJECT: _injected(armed=True)}),
        HarnessMutant("fault-is-refused", "every fault is refused, and that is told", "reference-conforms",
                      {_INJECT: _injected(armed=False)}),
        HarnessMutant("clock-stands-still", "no step of the clock is made", "time-passes",
                      {"harness.targets.stdio.StdioSession.move_clock": _nothing}),
        HarnessMutant("calls-are-not-struck", "no file call is made to fail", "struck-calls-kill",
                      {"harness.explore.sweep.enumerated": _without_kinds("errno")}),
        HarnessMutant("nobody-is-killed", "no process is killed in the middle of what it does", "torn-writes-kill",
                      {"harness.explore.sweep.enumerated": _without_kinds("killed", "torn")}),
        HarnessMutant("one-order-only", "of all orders of two processes the first is made", "orders-kill",
                      {"harness.explore.sweep.SCHEDULES": lambda most: 1}),
        HarnessMutant("shrinker-loses-the-failure", "what is made smaller does not fail any more", "search-finds",
                      {"harness.explore.stateful.shortened": _short}),
        HarnessMutant("search-observes-nothing", "search does not look at what it found", "search-finds",
                      {"harness.explore.driver.JudgingDriver._judge": _nothing}),
        HarnessMutant("best-verdict-counts", "a clause that failed somewhere conforms", "verdicts-take-the-worst",
                      {"harness.core.verdict.roll_up_clause": _best}),
        HarnessMutant("doubt-conforms", "what is inconclusive somewhere is left out", "verdicts-take-the-worst",
                      {"harness.core.verdict._without_failure": _doubtless}),
        HarnessMutant("declared-is-forgiven", "what is declared missing is not looked at", "verdicts-take-the-worst",
                      {"harness.core.verdict._clauses": _undeclared}),
        HarnessMutant("nothing-binds", "no clause binds anybody", "reference-conforms",
                      {"harness.core.verdict._applicable": lambda real: lambda clause, profiles: ()}),
        HarnessMutant("level-comes-free", "L1 is reached by everybody", "mutant-deviates",
                      {"harness.core.verdict._level": lambda real: lambda *asked: LevelResult(reached=True)}),
        HarnessMutant("exit-code-is-0", "every run ends with exit code 0", "mutant-deviates",
                      {"harness.certify.closing.EXIT_CODES": lambda codes: dict.fromkeys(codes, 0)}),
        HarnessMutant("plan-is-cut", "half of the scenarios are not played", "reference-conforms",
                      {"harness.certify.plan.in_scope": _half}),
        HarnessMutant("reference-is-called", "the reference is called, whatever is to be tested", "mutant-deviates",
                      {"harness.qualify.canaries.served_python": _the_reference,
                       "harness.qualify.subjects.served_python": _the_reference}),
        HarnessMutant("digest-without-verdicts", "a digest does not cover what was found", "digests-tell-apart",
                      {"harness.certify.closing.sha256_of": _first_parts}),
        HarnessMutant("any-failure-kills", "a mutant is killed by whatever fails", "others-do-not-kill",
                      {"harness.qualify.plays.Plays.failed": _all_fail}),
    )
}  # fmt: skip
"""By name."""


def heard(name: str) -> Heard:
    """Plays the canaries in a harness broken by that mutant, the one that should notice first, until one complains."""
    mutant = MUTANTS.get(name)
    first = mutant.canary if mutant is not None else ""
    broke = ""
    with ExitStack() as stack:
        for path, change in (mutant.changes if mutant is not None else {}).items():
            stack.enter_context(patch(path, change(resolve_name(path))))
        for canary in sorted(CANARIES, key=lambda each: each != first):
            try:
                says = CANARIES[canary]()
            except Exception as error:  # noqa: BLE001 - what breaks has not noticed anything
                broke = broke or f"{canary}: {type(error).__name__}: {error}"
                continue
            if says:
                return Heard(name, caught=True, canary=canary, says=says, broke=broke)
    return Heard(name, caught=False, broke=broke)


def run(names: Sequence[str], jobs: int) -> Iterator[Heard]:
    """What was heard of each of these, each in a process of its own, in their order."""

    def one(name: str) -> Heard:
        words = [sys.executable, "-m", "harness.qualify.harness_mutants", name]
        try:
            done = subprocess.run(words, capture_output=True, timeout=PATIENCE_S, check=False)
        except subprocess.TimeoutExpired:
            return Heard(name, caught=False, broke=f"no canary came to an end within {PATIENCE_S:.0f} s")
        try:
            return msgspec.json.decode(done.stdout, type=Heard)
        except msgspec.DecodeError:
            return Heard(name, caught=False, broke=done.stderr.decode(errors="replace")[-500:])

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(one, names)


def main(words: list[str]) -> None:
    """Writes what was heard to standard output, as JSON."""
    sys.stdout.buffer.write(msgspec.json.encode(heard(words[0])) + b"\n")


if __name__ == "__main__":
    main(sys.argv[1:])
