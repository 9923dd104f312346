"""What counts as covered. Source: issue 3, 5."""

from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import Operation, Repeat, Scenario, Step, World
from harness.explore.coverage import Feature, features, refused, struck_by

NAN = Fault("jsonl.nan", "{home}/x")
PASSED = (Finding("C-1", CheckVerdict.PASS, witnesses=1),)
CLOCK = "2026-03-01T12:00:00Z"


def history(*operations, faults=(), end_faults=(), inputs=None, after=None, process=0, kind=EntryType.OK):
    entries = []
    for name, value in operations:
        n = len(entries)
        begin = Entry(n, process, EntryType.INVOKE, name, {}, CLOCK, faults, {}, inputs or {})
        entries += [begin, Entry(n + 1, process, kind, name, value, CLOCK, end_faults, after or {})]
    return History(tuple(entries))


def states(run, unsteady=lambda name: False):
    return {(each.fault, each.operation, each.state) for each in features(run, PASSED, unsteady)}


def test_only_what_passed_with_a_witness_counts_as_a_clause():
    findings = (*PASSED, Finding("C-2", CheckVerdict.PASS), Finding("C-3", CheckVerdict.INCONCLUSIVE, witnesses=1))
    assert {"C-1"} == {each.clause for each in features(history(("check", {})), findings, lambda name: False)}
    assert {"-"} == {each.clause for each in features(history(("check", {})), (), lambda name: False)}


def test_only_a_proven_fault_counts():
    for injection, expected in (
        (Injection(NAN, True, "changed"), "jsonl.nan"),
        (Injection(NAN, True), "calm"),
        (Injection(NAN, False, "no"), "calm"),
    ):
        assert {expected} == {
            each.fault for each in features(history(("check", {}), faults=(injection,)), PASSED, lambda name: False)
        }


def test_a_fault_that_is_proven_at_the_end_counts_too():
    run = history(("check", {}), faults=(Injection(NAN, True),), end_faults=(Injection(NAN, True, "SIGKILL"),))
    assert {"jsonl.nan"} == {each.fault for each in features(run, PASSED, lambda name: False)}


def test_a_state_is_inputs_prior_operations_writes_and_the_answer():
    run = history(
        ("check", {"decision": "approve"}), ("reset", {}), ("check", {"decision": "block"}), ("check", {}), ("check", {}), ("check", {}),
        inputs={"a": InputFact("file", 1), "b": InputFact("file", 0), "c": InputFact("file", 2**21), "d": InputFact("missing")},
        after={"{home}/x": FileFact("file", 1, "ab")},
    )  # fmt: skip
    given = "a file; b empty; c large; d missing"
    assert {("calm", "check", f"{given}; after 0; wrote file; {answer}") for answer in ("approve", "block")} | {
        ("calm", "check", f"{given}; after {n}; wrote file; ok") for n in (1, 2)
    } == states(run)


def test_many_writes_are_many_and_no_answer_is_no_answer():
    after = {f"{{home}}/{n}": FileFact("file", 1, str(n)) for n in range(3)}
    assert {("calm", "check", "after 0; wrote many; info")} == states(
        history(("check", {}), after=after, kind=EntryType.INFO)
    )
    lost = History(history(("check", {})).entries[:1])
    assert {("calm", "check", "after 0; wrote nothing; no answer")} == states(lost)


def test_of_what_may_end_differently_the_state_does_not_count():
    assert {("calm", "check", "-")} == states(history(("check", {}), process=1))
    run = history(("check", {}), faults=(Injection(NAN, True, "changed"),))
    assert {("jsonl.nan", "check", "-")} == states(run, lambda name: name == "jsonl.nan")


def test_a_fault_is_refused_when_nothing_proved_it_with_the_reason():
    inner = Step(fault=Fault("jsonl.bom", "{home}/x"))
    steps = (Step(fault=NAN), Step(repeat=Repeat(1, {}, (inner,))), Step(op=Operation("check")))
    scenario = Scenario(1, "x", "x", "stop_gate", "gate", (), World(CLOCK), steps)
    assert ("jsonl.nan", "jsonl.bom") == struck_by(scenario)
    run = history(("check", {}), faults=(Injection(NAN, False, "this machine refuses"),))
    assert {"jsonl.nan": "this machine refuses", "jsonl.bom": "nothing proved that it stood"} == refused(scenario, run)
    assert Feature("a", "b", "c", "d").state == "d"
