"""What the engine makes of an implementation's answers. Source: CERTIFICATION.md, "A check", "Determinism", "Certificate"."""

import msgspec
import pytest
from scripted_run import CATALOGUE, Scripted, last, plan, says, scenario

from harness.certify.engine import Engine
from harness.certify.events import HarnessBroke, ImplementationMet, Notice, RunStarted, ScenarioJudged
from harness.certify.flaky import confirmed
from harness.certify.plays import HANGS_BEFORE_GIVING_UP
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import EntryType
from harness.core.verdict import ClauseVerdict, Outcome
from harness.errors import AdapterError, HarnessFault, MachineError, UntestableError
from harness.targets.messages import Implementation, InitializeResult, SystemSupport
from harness.targets.session import Reply

MANY = tuple(scenario(f"s-{n:02}") for n in range(1, 21))


def run(scripted, *arguments, **settings):
    return list(Engine(plan(scripted, *arguments, **settings)).run())


def test_an_implementation_that_holds_every_clause_conforms():
    scripted = Scripted(says())
    events = run(scripted)
    end = last(events)
    assert (Outcome.CONFORMANT, 0, True) == (end.outcome, end.exit_code, end.strict)
    assert isinstance(events[0], RunStarted)
    assert [RunStarted, ScenarioJudged] == [type(event) for event in events[:-1]]
    assert scripted.all_left


def test_a_failed_must_is_not_conformant_and_names_its_scenario():
    end = last(run(Scripted(says(A_02="FAIL"))))
    assert (Outcome.NONCONFORMANT, 1, False) == (end.outcome, end.exit_code, end.strict)
    result = end.systems["stop_gate"].clauses["A-02"]
    assert (ClauseVerdict.DEVIATES, "s-1", "A-02 does not hold") == (result.verdict, result.scenario, result.reason)
    assert (None, "A-02") == (end.systems["stop_gate"].level, end.systems["stop_gate"].stopped_by)


def test_a_failed_should_leaves_the_exit_code_and_takes_strictness():
    end = last(run(Scripted(says(A_03="FAIL"))))
    assert (Outcome.CONFORMANT, 0, False) == (end.outcome, end.exit_code, end.strict)


def test_a_must_that_is_not_witnessed_is_inconclusive():
    end = last(run(Scripted(says(A_01="INCONCLUSIVE"))))
    assert (Outcome.INCONCLUSIVE, 5) == (end.outcome, end.exit_code)


def test_a_run_of_no_scenario_is_inconclusive():
    scripted = Scripted(says())
    end = last(run(scripted, ()))
    assert (Outcome.INCONCLUSIVE, 5, None) == (end.outcome, end.exit_code, end.systems["stop_gate"].level)


def test_a_failure_that_does_not_fail_again_is_flaky_and_never_conforms():
    answers = iter([Reply(EntryType.OK, {"A-01": "FAIL"}), Reply(EntryType.OK, {})])
    end = last(run(Scripted(lambda session, operation: next(answers))))
    result = end.systems["stop_gate"].clauses["A-01"]
    assert ClauseVerdict.NOT_ESTABLISHED is result.verdict
    assert "flaky: it failed once and did not fail again" == result.reason
    assert (Outcome.INCONCLUSIVE, 5) == (end.outcome, end.exit_code)


def test_a_failing_check_is_run_twice_and_no_more():
    asked = []
    run(Scripted(lambda session, operation: asked.append(operation) or Reply(EntryType.OK, {"A-01": "FAIL"})))
    assert 2 == len(asked)


def test_only_the_failure_that_is_not_confirmed_becomes_flaky():
    first = tuple(Finding(id_, CheckVerdict.FAIL, reason="seen") for id_ in ("A-01", "A-02"))
    found = confirmed(first, (Finding("A-02", CheckVerdict.FAIL),))
    assert [CheckVerdict.INCONCLUSIVE, CheckVerdict.FAIL] == [finding.verdict for finding in found]


@pytest.mark.parametrize(
    ("error", "outcome", "exit_code"),
    [
        (UntestableError("it never starts"), Outcome.UNTESTABLE, 4),
        (AdapterError("not_protocol", "a line is no answer"), Outcome.UNTESTABLE, 4),
        (MachineError("tmpfs is refused"), Outcome.UNTESTABLE, 4),
        (HarnessFault("the agent is gone"), Outcome.HARNESS_FAULT, 3),
    ],
)
def test_the_blame_of_an_error_decides_the_outcome(error, outcome, exit_code):
    def answer(session, operation):
        raise error

    scripted = Scripted(answer)
    end = last(run(scripted))
    assert (outcome, exit_code, str(error)) == (end.outcome, end.exit_code, end.message)
    assert scripted.all_left


def test_an_exception_in_our_own_code_is_a_harness_fault_and_is_shown():
    def answer(session, operation):
        raise ZeroDivisionError("ours")

    scripted = Scripted(answer)
    events = run(scripted)
    (broke,) = [event for event in events if isinstance(event, HarnessBroke)]
    assert "s-1" == broke.scenario
    assert "ZeroDivisionError: ours" in broke.error
    assert (Outcome.HARNESS_FAULT, 3, "ZeroDivisionError: ours") == (
        last(events).outcome,
        last(events).exit_code,
        last(events).message,
    )
    assert scripted.all_left


def test_the_rest_of_the_plan_is_run_after_a_harness_fault():
    def answer(session, operation):
        if operation.args["scenario"] == "s-01":
            raise ZeroDivisionError
        return Reply(EntryType.OK, {})

    events = run(Scripted(answer), MANY[:4])
    assert 3 == sum(isinstance(event, ScenarioJudged) for event in events)


def test_a_command_that_cannot_be_contained_is_not_run():
    asked = []
    scripted = Scripted(lambda session, operation: asked.append(operation), contained=False)
    events = run(scripted)
    assert [] == asked
    assert (Outcome.UNTESTABLE, 4) == (last(events).outcome, last(events).exit_code)
    assert "this machine refuses namespaces" in last(events).message
    assert "--unsafe" in last(events).message
    assert isinstance(events[0], RunStarted)
    assert 0 == events[0].planned
    assert scripted.all_left


def test_unsafe_goes_on_and_says_what_is_not_contained():
    events = run(Scripted(says(), contained=False), unsafe=True)
    assert ("Nothing is contained.",) == events[0].uncontained
    assert 0 == last(events).exit_code


def test_the_probe_of_an_implementation_that_does_not_run_ends_the_run():
    scripted = Scripted(says(), probe=scenario("probe"), unusable=lambda values: "it is a stone")
    events = run(scripted)
    assert (Outcome.UNTESTABLE, "scripted cannot be tested: it is a stone") == (
        last(events).outcome,
        last(events).message,
    )
    assert not any(isinstance(event, ScenarioJudged) for event in events)


def test_the_probe_is_no_scenario_of_the_run():
    events = run(Scripted(says(), probe=scenario("probe"), unusable=lambda values: ""))
    assert 1 == events[0].planned == last(events).counts["scenarios"]


def test_an_implementation_that_never_answers_is_given_up():
    silent = Scripted(lambda session, operation: Reply(EntryType.INFO, {"reason": "timed_out"}))
    events = run(silent, MANY, jobs=1)
    (notice,) = [event for event in events if isinstance(event, Notice)]
    assert notice.text.startswith(f"gave up after {HANGS_BEFORE_GIVING_UP} scenarios")
    assert last(events).counts["scenarios"] < len(MANY)
    assert Outcome.INCONCLUSIVE is last(events).outcome


def test_an_implementation_that_has_answered_once_is_never_given_up():
    def answer(session, operation):
        silent = operation.args["scenario"] != "s-01"
        return Reply(EntryType.INFO, {"reason": "timed_out"}) if silent else Reply(EntryType.OK, {})

    events = run(Scripted(answer), MANY, jobs=1)
    assert not any(isinstance(event, Notice) for event in events)
    assert len(MANY) == last(events).counts["scenarios"]


def test_a_budget_that_runs_out_cuts_the_run_and_certifies_nothing():
    ticks = iter(range(1_000))
    scripted = Scripted(says())
    events = list(Engine(plan(scripted, MANY, budget_s=5.0, jobs=1), monotonic=lambda: float(next(ticks))).run())
    end = last(events)
    assert 0 < end.counts["scenarios"] < len(MANY)
    assert (Outcome.INCONCLUSIVE, 5) == (end.outcome, end.exit_code)
    assert end.message.startswith("the budget ran out")
    assert end.certificate.startswith("refused(the budget ran out")


def test_a_budget_that_is_not_used_up_leaves_the_verdict_and_takes_the_certificate():
    end = last(run(Scripted(says()), budget_s=3600.0))
    assert Outcome.CONFORMANT is end.outcome
    assert "a budget was set" in end.certificate


@pytest.mark.parametrize(
    ("settings", "carrier", "reason"),
    [({"only": ("A-01",)}, "stdio", "only A-01 was asked for"), ({}, "in_process", "the carrier was in_process")],
)
def test_what_takes_the_certificate_is_said(settings, carrier, reason):
    end = last(run(Scripted(says(), carrier=carrier), **settings))
    assert Outcome.CONFORMANT is end.outcome
    assert end.certificate.startswith("refused(")
    assert reason in end.certificate


def test_the_number_of_jobs_does_not_change_verdicts_or_digest():
    def answer(session, operation):
        return Reply(EntryType.OK, {"A-02": "FAIL"} if operation.args["scenario"] in ("s-03", "s-17") else {})

    one, four = (last(run(Scripted(answer), MANY, jobs=jobs)) for jobs in (1, 4))
    assert one == four


@pytest.mark.parametrize("change", [{"seed": 1}, {"level": "L2"}, {"cases": 1}])
def test_seed_and_scope_are_part_of_the_digest(change):
    def digest(**settings):
        failing = Scripted(says(A_01="FAIL"))  # a plan that fails is not searched, so no machine is needed
        return last(run(failing, **settings)).digest

    assert digest() == digest()
    assert digest() != digest(**change)


def test_the_scenarios_that_were_chosen_are_part_of_the_digest():
    one, two = (last(run(Scripted(says()), scenarios)) for scenarios in (MANY[:2], MANY[1:3]))
    assert one.digest != two.digest


def test_verdicts_are_part_of_the_digest():
    assert last(run(Scripted(says()))).digest != last(run(Scripted(says(A_01="FAIL")))).digest


def test_counts_tell_operations_and_checks():
    counts = last(run(Scripted(says(A_01="FAIL", A_02="INCONCLUSIVE")), MANY[:3])).counts
    assert (3, 3, 3, 3, 3) == tuple(
        counts[name] for name in ("scenarios", "operations", "checks_passed", "checks_failed", "checks_inconclusive")
    )
    assert 6 == counts["witnesses"]


def test_every_clause_of_the_catalogue_has_a_verdict():
    end = last(run(Scripted(says()), (scenario("s-1", ["A-01"]),)))
    assert [clause.id for clause in CATALOGUE] == list(end.systems["stop_gate"].clauses)
    assert ClauseVerdict.NOT_ESTABLISHED is end.systems["stop_gate"].clauses["A-02"].verdict


def test_the_smallest_failing_scenario_is_the_one_that_is_named():
    big = msgspec.structs.replace(scenario("a-big"), title="long " * 40)
    end = last(run(Scripted(says(A_01="FAIL")), (big, scenario("z-small"))))
    result = end.systems["stop_gate"].clauses["A-01"]
    assert ("z-small", {"a-big", "z-small"}) == (result.scenario, set(result.failures))


@pytest.mark.parametrize(
    ("said", "asked", "outcome"),
    [
        ({}, ("A-01",), Outcome.CONFORMANT),
        ({"A_02": "INCONCLUSIVE"}, ("A-01",), Outcome.CONFORMANT),
        ({"A_01": "INCONCLUSIVE"}, ("A-01",), Outcome.INCONCLUSIVE),
        ({"A_02": "FAIL"}, ("A-01",), Outcome.NONCONFORMANT),
    ],
)
def test_a_run_that_was_asked_for_some_clauses_answers_for_them_and_shows_no_level(said, asked, outcome):
    end = last(run(Scripted(says(**said)), only=asked))
    assert (outcome, None) == (end.outcome, end.systems["stop_gate"].level)


def introduced(**declared):
    support = SystemSupport(not_implemented={name.replace("_", "-"): why for name, why in declared.items()})
    return InitializeResult(1, Implementation("mine", "2.1", "cobol"), {"stop_gate": support})


def test_a_must_that_is_declared_unimplemented_deviates_whatever_was_seen():
    scripted = Scripted(says(), introduces=introduced(A_02="no time"))
    events = run(scripted, MANY[:3])
    assert (1, "declared: no time") == (
        last(events).exit_code,
        last(events).systems["stop_gate"].clauses["A-02"].reason,
    )
    (met,) = [event for event in events if isinstance(event, ImplementationMet)]
    assert ("gate", "mine", "2.1", "cobol") == (met.profile, met.name, met.version, met.language)


def test_a_declared_clause_that_nobody_knows_is_refused():
    end = last(run(Scripted(says(), introduces=introduced(A_20="what?"))))
    assert (4, "it declares A-20 not implemented, which is no clause of stop_gate") == (end.exit_code, end.message)
