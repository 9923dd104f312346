"""What stood against a scenario while it was played: which faults were proven, and what was seen under them.

A fault *struck* an operation when the harness had proven it while the operation ran. What was seen under a fault is
what is not seen any more when the operations it struck are taken out of the history and the rest is judged again. So a
clause that only the calm part of a scenario shows is not counted as met under its fault. What a fault at a file call
leaves behind, or operations that were let go in a chosen order, is shown by the operations after it: they count too.
For a line of the ledger so do those after a kill, and after any operations that began together; for what a level needs
they do not.
"""

from collections import Counter
from collections.abc import Collection, Mapping

import msgspec

from harness.core.fault import Injection
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import Completed, EntryType, History
from harness.core.scenario import Scenario
from harness.faults import syscall
from harness.systems import registry

TOGETHER = "schedule.together"  # no injection: operations that a scenario begins at once
KILLED = "process.killed"  # it strikes one operation, which has no answer
UNPROVEN = "it was put in place, and nothing the harness met there showed it"


class FamilyTrials(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """So many operations under faults of one family had to let the session go on to its end; so many did not."""

    trials: int
    failed: int


class Trials(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The operations under a proven fault to which only one answer is right: to fail open. ``failed`` did not.

    One operation counts once, and in every family of the faults that struck it.
    """

    trials: int = 0
    failed: int = 0
    families: Mapping[str, FamilyTrials] = msgspec.field(default_factory=dict)

    def __add__(self, other: "Trials") -> "Trials":
        names = sorted({*self.families, *other.families})
        none = FamilyTrials(0, 0)
        return Trials(
            self.trials + other.trials,
            self.failed + other.failed,
            {
                name: FamilyTrials(
                    self.families.get(name, none).trials + other.families.get(name, none).trials,
                    self.families.get(name, none).failed + other.families.get(name, none).failed,
                )
                for name in names
            },
        )


class UnderFault(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One fault of a scenario: how often it was proven, and which clauses were met, or failed, under it."""

    fired: int
    witnesses: Mapping[str, int] = msgspec.field(default_factory=dict)
    failed: tuple[str, ...] = ()


class Weather(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Everything that stood against one scenario.

    ``faults`` by name; ``unproven`` maps faults that were meant to strike to why nothing is concluded from them;
    ``struck`` are the clauses met under an injected fault or beside another operation. What a scenario scripts into
    its own operations (a checker that raises) is a fault too, but strikes calm controls as well: it is not in there.
    """

    faults: Mapping[str, UnderFault] = msgspec.field(default_factory=dict)
    unproven: Mapping[str, str] = msgspec.field(default_factory=dict)
    struck: tuple[str, ...] = ()
    trials: Trials = Trials()


CALM = Weather()
NO_TRIALS = Trials()


def weather(system: registry.System, scenario: Scenario, history: History, findings: tuple[Finding, ...]) -> Weather:
    """What stood against ``scenario``, played with that history and judged so."""
    met = _Met(system, history)
    if not met.names:
        return Weather(unproven=met.unproven)
    left = met.after({KILLED, TOGETHER})
    by_name = {
        name: frozenset(n for n, names in met.by_operation.items() if name in names or name in left.get(n, ()))
        for name in sorted(met.names)
    }
    ordered = any(step.schedule is not None and step.schedule.order is not None for step in scenario.steps)
    after = met.after({TOGETHER} if ordered else set())
    struck = frozenset(n for n, names in met.injected.items() if names or n in after)
    # faults that struck the same operations were met by the same clauses: what is left is judged once
    seen = {hit: _seen_under(system, scenario, history, findings, hit) for hit in {struck, *by_name.values()}}
    faults = {name: UnderFault(met.fired[name], *seen[hit]) for name, hit in by_name.items()}
    witnesses, _ = seen[struck]
    return Weather(faults, met.unproven, tuple(witnesses), _trials(system, scenario, history, met))


def trials(system: registry.System, scenario: Scenario, history: History) -> Trials:
    """The trials of one case of fresh search."""
    return _trials(system, scenario, history, _Met(system, history))


class _Met:
    """The faults of a history: by operation (its invoke's number), and how often each was proven."""

    def __init__(self, system: registry.System, history: History) -> None:
        self.injected: dict[int, set[str]] = {}
        self.by_operation: dict[int, set[str]] = {}
        self.fired: Counter[str] = Counter()
        self.unproven: dict[str, str] = {}
        self._begun = [(each.begin.n, each.begin.op == "reset") for each in history.operations()]
        standing: Counter[str] = Counter()
        for operation in history.operations():
            if operation.begin.op == "reset":
                standing = Counter()
                continue
            scripted = set(system.scripted_faults(operation.begin)) if operation.end is not None else set()
            self._injections(operation, standing)
            self.by_operation[operation.begin.n] = self.injected[operation.begin.n] | set(scripted)
            self.fired.update(scripted)
        self._together(history)
        self.names = {name for names in self.by_operation.values() for name in names}
        self.unproven = {name: why for name, why in self.unproven.items() if name not in self.names}

    def after(self, also: Collection[str]) -> dict[int, set[str]]:
        """The operations after those that were struck at a file call, or by one of the faults ``also``; by whose."""
        found: dict[int, set[str]] = {}
        lasting: set[str] = set()
        for n, is_reset in self._begun:
            if is_reset:
                lasting = set()
            elif lasting:
                found[n] = set(lasting)
            lasting |= {
                name for name in self.injected.get(n, ()) if name.partition(".")[0] == syscall.FAMILY or name in also
            }
        return found

    def _injections(self, operation: Completed, standing: Counter[str]) -> None:
        before = Counter(_name(injection) for injection in operation.begin.faults if _proven(injection))
        after = operation.end.faults if operation.end is not None else ()
        # what strikes one operation only is proven at its end
        ended = Counter(_name(injection) for injection in after if _proven(injection)) - before
        for name, count in before.items():
            self.fired[name] += max(count - standing[name], 0)
            standing[name] = max(count, standing[name])
        self.fired.update(ended)
        self.injected[operation.begin.n] = {name for name in (*before, *ended) if name}
        for injection in operation.begin.faults:
            if not _proven(injection) and _name(injection):
                why = UNPROVEN if injection.armed else injection.proof
                self.unproven.setdefault(injection.fault.name, why or UNPROVEN)
        for counted in (self.fired, standing):
            del counted[""]

    def _together(self, history: History) -> None:
        group: list[int] = []
        for entry in (*history.entries, None):
            if entry is not None and entry.type is EntryType.INVOKE:
                group.append(entry.n)
                continue
            if len(group) > 1:
                self.fired[TOGETHER] += 1
                for n in group:
                    self.injected[n].add(TOGETHER)
                    self.by_operation[n].add(TOGETHER)
            group = []


def _proven(injection: Injection) -> bool:
    return injection.armed and injection.proof != ""


def _name(injection: Injection) -> str:
    """The fault's name; none for the control that shows the file with the damage taken out again."""
    return "" if injection.fault.params.get("deleted") else injection.fault.name


def _seen_under(
    system: registry.System,
    scenario: Scenario,
    history: History,
    findings: tuple[Finding, ...],
    struck: frozenset[int],
) -> tuple[Mapping[str, int], tuple[str, ...]]:
    """The clauses that only the operations struck show: how often each was met, and which failed."""
    if not struck:
        return {}, ()
    rest = {found.clause: found for found in system.judge(scenario, _without(history, struck), system.catalogue)}
    witnesses: dict[str, int] = {}
    failed: list[str] = []
    for finding in findings:
        calm = rest.get(finding.clause)
        more = finding.witnesses - (calm.witnesses if calm is not None else 0)
        if more > 0:
            witnesses[finding.clause] = more
        if finding.verdict is CheckVerdict.FAIL and (calm is None or calm.verdict is not CheckVerdict.FAIL):
            failed.append(finding.clause)
    return witnesses, tuple(failed)


def _without(history: History, struck: frozenset[int]) -> History:
    gone = set(struck)
    for operation in history.operations():
        if operation.begin.n in struck and operation.end is not None:
            gone.add(operation.end.n)
    return History(tuple(entry for entry in history.entries if entry.n not in gone))


def _trials(system: registry.System, scenario: Scenario, history: History, met: _Met) -> Trials:
    total = failed = 0
    families: dict[str, list[int]] = {}
    for trial in system.trials(scenario, history):
        names = met.by_operation.get(trial.operation, set())
        total += bool(names)
        failed += bool(names) and trial.failed
        for family in sorted({name.partition(".")[0] for name in names}):
            counted = families.setdefault(family, [0, 0])
            counted[0] += 1
            counted[1] += trial.failed
    return Trials(total, failed, {name: FamilyTrials(*counted) for name, counted in sorted(families.items())})
