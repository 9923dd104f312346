"""What stood against a scenario, and what was seen under it. Source: FAULTS.md, "a fault that never fired looks green"."""

from types import SimpleNamespace

import msgspec
import pytest

from harness.certify.weather import CALM, TOGETHER, UNPROVEN, FamilyTrials, Trials, trials, weather
from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict, Finding, Trial
from harness.core.history import Entry, EntryType, History
from harness.core.scenario import Operation, Scenario, Schedule, Step, World

NOW = "2026-03-01T12:00:00Z"
SCENARIO = Scenario(1, "s", "t", "toy", "gate", ("A",), World(NOW), (Step(op=Operation("check")),))
BOM = Injection(Fault("jsonl.bom", "{home}/t"), armed=True, proof="changed")
FULL = Injection(Fault("filesystem.full", "{home}"), armed=True, proof="ENOSPC")
DELETED = Injection(Fault("jsonl.bom", "{home}/t", {"deleted": True}), armed=True, proof="changed")
REFUSED = Injection(Fault("filesystem.busy", "{home}"), armed=False, proof="mounts are refused")
UNSHOWN = Injection(Fault("clock.back"), armed=True)


def history(*operations):
    """Each operation is its faults, or "reset", or a tuple of several begun at once; every one ends in ok."""
    entries = []

    def add(kind, process, op, faults=()):
        entries.append(Entry(len(entries), process, kind, op, {}, NOW, tuple(faults)))

    for operation in operations:
        beside = operation if isinstance(operation, tuple) else (operation,)
        name = "reset" if operation == "reset" else "check"
        for process, faults in enumerate(beside):
            add(EntryType.INVOKE, process, name, () if faults == "reset" else faults)
        for process in range(len(beside)):
            add(EntryType.OK, process, name)
    return History(tuple(entries))


class Toy:
    """Clause A is met by every check; B only when a second check is there; C fails when any fault stands."""

    catalogue = None

    def __init__(self, *, scripted=(), failing=()):
        self._scripted = scripted
        self._failing = failing

    def judge(self, scenario, played, catalogue):
        checks = [entry for entry in played.entries if entry.type is EntryType.INVOKE and entry.op == "check"]
        found = [Finding("A", CheckVerdict.PASS, witnesses=len(checks))] if checks else []
        if len(checks) > 1:
            found.append(Finding("B", CheckVerdict.PASS, witnesses=1))
        if any(entry.faults for entry in checks):
            found.append(Finding("C", CheckVerdict.FAIL, witnesses=1))
        return tuple(found)

    def scripted_faults(self, invoke):
        return self._scripted if invoke.n in (0, 2) else ()

    def trials(self, scenario, played):
        starts = [entry.n for entry in played.entries if entry.type is EntryType.INVOKE and entry.op == "check"]
        return tuple(Trial(n, failed=n in self._failing) for n in starts)


def seen(played, **toy):
    system = Toy(**toy)
    return weather(system, SCENARIO, played, system.judge(SCENARIO, played, None))


def test_calm_weather_is_calm():
    assert CALM == seen(history([], []))


def test_what_is_seen_under_a_fault_is_what_the_rest_of_the_history_does_not_show():
    found = seen(history([], "reset", [BOM], [BOM]))
    assert {"jsonl.bom"} == set(found.faults)
    under = found.faults["jsonl.bom"]
    assert (1, {"A": 2, "B": 1, "C": 1}, ("C",)) == (under.fired, under.witnesses, under.failed)
    assert ("A", "B", "C") == found.struck


def test_what_failed_in_calm_weather_too_did_not_fail_under_the_fault():
    played = history([UNSHOWN], [BOM])
    assert () == seen(played).faults["jsonl.bom"].failed
    assert {"clock.back": UNPROVEN} == seen(played).unproven


def test_an_injection_counts_once_however_long_it_stands_and_again_after_a_reset():
    assert 2 == seen(history([BOM], [BOM], "reset", [BOM])).faults["jsonl.bom"].fired
    assert 2 == seen(history([BOM], [BOM, BOM])).faults["jsonl.bom"].fired


def test_the_control_with_the_damage_deleted_is_no_fault():
    assert CALM == seen(history([DELETED]))


def test_what_was_not_put_in_place_is_told_with_its_reason():
    found = seen(history([REFUSED, FULL]))
    assert {"filesystem.busy": "mounts are refused"} == found.unproven
    assert {"filesystem.full"} == set(found.faults)
    assert {"filesystem.busy": "mounts are refused"} == seen(history([REFUSED])).unproven


def test_a_fault_that_was_proven_once_is_not_unproven():
    late = msgspec.structs.replace(UNSHOWN, proof="60 s back")
    assert {} == seen(history([UNSHOWN], [late])).unproven


def test_a_fault_of_one_operation_is_proven_at_its_end():
    killed = Injection(Fault("process.killed"), armed=True)
    begun = Entry(0, 0, EntryType.INVOKE, "check", {}, NOW, (killed,))
    ended = Entry(1, 0, EntryType.INFO, "check", {}, NOW, (msgspec.structs.replace(killed, proof="SIGKILL"),))
    found = seen(History((begun, ended)))
    assert 1 == found.faults["process.killed"].fired


def test_operations_that_begin_together_are_under_a_schedule():
    found = seen(history([], ([], [], [])))
    assert {TOGETHER: 1} == {name: under.fired for name, under in found.faults.items()}
    assert 3 == found.faults[TOGETHER].witnesses["A"]


ERRNO = Injection(Fault("syscall.errno", "{home}/t"), armed=True)


def struck_at_a_call(*operations):
    """The same, but an operation with ERRNO is proven to have met it at its end."""
    met = msgspec.structs.replace(ERRNO, proof="EIO")
    entries = []
    for entry in history(*operations).entries:
        before = entries[-1] if entries else None
        ends = before is not None and before.type is EntryType.INVOKE and ERRNO in before.faults
        entries.append(msgspec.structs.replace(entry, faults=(met,)) if ends else entry)
    return History(tuple(entries))


def test_what_a_fault_at_a_call_leaves_behind_counts_with_it_until_a_reset():
    found = seen(struck_at_a_call([], [ERRNO], [], [], "reset", []))
    assert {"syscall.errno": 1} == {name: under.fired for name, under in found.faults.items()}
    assert {"A": 3, "C": 1} == found.faults["syscall.errno"].witnesses
    assert ("A", "C") == found.struck


def test_what_a_kill_leaves_behind_counts_for_the_ledger_and_not_for_a_level():
    killed = msgspec.structs.replace(ERRNO, fault=Fault("process.killed"), proof="SIGKILL")
    found = seen(history([], [killed], [], []))
    assert 3 == found.faults["process.killed"].witnesses["A"]
    once = seen(history([], [killed], "reset", []))
    assert 1 == once.faults["process.killed"].witnesses["A"]


def test_another_fault_leaves_nothing_behind():
    paused = msgspec.structs.replace(ERRNO, fault=Fault("process.paused"), proof="stopped")
    assert 1 == seen(history([], [paused], [], [])).faults["process.paused"].witnesses["A"]


def test_what_comes_after_operations_that_began_together_counts_with_them():
    played = history([], ([], []), [])
    both = (Operation("check"), Operation("check"))
    for order in ((0, 1), None):
        chosen = msgspec.structs.replace(SCENARIO, steps=(Step(schedule=Schedule(both, order)),))
        system = Toy()
        found = weather(system, chosen, played, system.judge(chosen, played, None))
        assert 3 == found.faults[TOGETHER].witnesses["A"]


def test_what_an_operation_scripts_is_a_fault_and_strikes_no_clause_for_a_level():
    found = seen(history([], [], []), scripted=("collaborator.hangs",))
    assert 2 == found.faults["collaborator.hangs"].fired
    assert () == found.struck


def test_trials_are_operations_under_a_proven_fault_once_each_and_in_every_family():
    found = seen(history([], [BOM], [BOM, FULL]), failing=(0, 4)).trials
    assert Trials(2, 1, {"filesystem": FamilyTrials(1, 1), "jsonl": FamilyTrials(2, 1)}) == found
    assert found == trials(Toy(failing=(0, 4)), SCENARIO, history([], [BOM], [BOM, FULL]))


def test_trials_add_up():
    one = Trials(2, 1, {"jsonl": FamilyTrials(2, 1)})
    two = Trials(3, 0, {"jsonl": FamilyTrials(1, 0), "clock": FamilyTrials(2, 0)})
    assert Trials(5, 1, {"clock": FamilyTrials(2, 0), "jsonl": FamilyTrials(3, 1)}) == one + two
    assert two == two + Trials()


@pytest.mark.parametrize("lost", [0, 2])
def test_an_operation_that_never_ended_has_scripted_nothing(lost):
    played = history([], [])
    whole = [entry for entry in played.entries if entry.n != lost + 1]
    found = seen(History(tuple(whole)), scripted=("collaborator.hangs",))
    assert 1 == found.faults["collaborator.hangs"].fired


def test_a_system_of_its_own_needs_no_words_about_faults():
    bare = SimpleNamespace(judge=Toy().judge, catalogue=None, scripted_faults=lambda invoke: (), trials=lambda s, h: ())
    assert Trials() == weather(bare, SCENARIO, history([BOM]), ()).trials
