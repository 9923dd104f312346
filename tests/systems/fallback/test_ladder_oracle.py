"""The oracle of fallbacks, told histories by hand: it passes what the document permits, and nothing else.

Source: document 000, Multi-Tiered Fallback System; readings of LK-FB-03 and LK-FB-04.
"""

import pytest
from stateless_sessions import Told, failing, passing

MODELS = ("opus", "sonnet", "haiku", "escalate")
WORKFLOWS = ("complex", "simpler", "minimal", "escalate")
CLAUSES = {"model": "LK-FB-01", "workflow": "LK-FB-02"}


def told():
    return Told("fallback")


def stepped(ladder, current, following):
    return told().ok("next", {"ladder": ladder, "current": current}, {"next": following})


def called(facts, *triggers, escalate=None, history=None):
    result = {"escalate": bool(triggers) if escalate is None else escalate, "triggers": list(triggers)}
    return (history or told()).ok("escalation", facts, result)


# -- ladders


@pytest.mark.parametrize(("ladder", "rungs"), [("model", MODELS), ("workflow", WORKFLOWS)])
def test_each_rung_is_followed_by_the_one_below_and_by_no_other(ladder, rungs):
    below = (*rungs[1:], rungs[-1])
    for rung, right in zip(rungs, below, strict=True):
        for following in (*rungs, "gpt-4", None, ""):
            verdict = stepped(ladder, rung, following).verdict(CLAUSES[ladder])
            assert ("PASS" if following == right else "FAIL") == verdict, (rung, following)


def test_one_ladder_says_nothing_of_the_other():
    assert {"LK-FB-01"} == passing(stepped("model", "opus", "sonnet").findings())
    assert {"LK-FB-02"} == failing(stepped("workflow", "complex", "minimal").findings())


@pytest.mark.parametrize("stranger", ["gpt-4", "", "complex", "human"])
def test_what_is_on_no_rung_is_refused_or_escalated(stranger):
    args = {"ladder": "model", "current": stranger}
    assert () == stepped("model", stranger, "escalate").findings()
    assert () == told().fail("next", args).findings()
    assert {"LK-FB-01"} == failing(stepped("model", stranger, "opus").findings())
    assert {"LK-FB-01"} == failing(told().info("next", args).findings())


def test_a_rung_written_otherwise_may_be_known():
    assert () == stepped("model", " Opus", "sonnet").findings()
    assert {"LK-FB-01"} == failing(stepped("model", " Opus", "haiku").findings())


@pytest.mark.parametrize("rung", MODELS)
def test_a_rung_has_to_be_answered(rung):
    args = {"ladder": "model", "current": rung}
    assert {"LK-FB-01"} == failing(told().fail("next", args).findings())
    assert {"LK-FB-01"} == failing(told().info("next", args).findings())


# -- escalation


@pytest.mark.parametrize(
    ("decision", "confidence", "low"),
    [
        *((decision, 0.3999999, True) for decision in ("general", "critical")),
        *((decision, 0.4, False) for decision in ("general", "critical")),
        *((decision, 0.4000001, False) for decision in ("general", "critical")),
        ("recovery_strategy", 0.2999999, True),
        ("recovery_strategy", 0.3, False),
        ("recovery_strategy", 0.3000001, False),
        ("recovery_strategy", 0.35, False),
        ("general", 0.35, True),
        ("general", 0, True),
        ("general", 1, False),
        ("general", None, False),
    ],
)
def test_the_limit_of_confidence_by_its_context(decision, confidence, low):
    facts = {"confidence": confidence, "decision": decision}
    right = called(facts, "low_confidence") if low else called(facts)
    wrong = called(facts) if low else called(facts, "low_confidence")
    assert set() == failing(right.findings())
    assert ("PASS" if low else None) == right.verdict("LK-FB-03")
    assert {"LK-FB-03"} == failing(wrong.findings())


@pytest.mark.parametrize("confidence", [-1.0, 1.5, 1e308, 0.4 - 1e-16, 0.4 + 1e-12])
def test_what_is_no_confidence_or_too_near_to_the_limit_is_left_open(confidence):
    for triggers in ((), ("low_confidence",)):
        assert set() == failing(called({"confidence": confidence}, *triggers).findings())
    assert set() == failing(told().fail("escalation", {"confidence": confidence}).findings())


@pytest.mark.parametrize(("count", "many"), [(0, False), (2, False), (3, True), (4, True), (10**9, True)])
def test_the_limit_of_failures(count, many):
    facts = {"consecutive_failures": count}
    assert set() == failing(called(facts, *(("consecutive_failures",) if many else ())).findings())
    assert {"LK-FB-04"} == failing(called(facts, *(() if many else ("consecutive_failures",))).findings())


def test_a_number_below_zero_is_left_open():
    for triggers in ((), ("consecutive_failures",)):
        assert set() == failing(called({"consecutive_failures": -1}, *triggers).findings())


@pytest.mark.parametrize(
    ("facts", "triggers"),
    [
        ({"security_critical": True}, ("security_critical",)),
        ({"security_critical": False}, ()),
        ({"irreversible": True}, ("irreversible",)),
        ({"irreversible": True, "rollback": None}, ("irreversible",)),
        ({"irreversible": True, "rollback": False}, ("irreversible",)),
        ({"irreversible": True, "rollback": True}, ()),
        ({"irreversible": False, "rollback": False}, ()),
        ({"security_critical": True, "irreversible": True}, ("security_critical", "irreversible")),
    ],
)
def test_dangers_call_a_human(facts, triggers):
    assert set() == failing(called(facts, *triggers).findings())
    for wrong in ((), ("security_critical",), ("irreversible",)):
        if wrong != triggers:
            assert {"LK-FB-05"} == failing(called(facts, *wrong).findings()), wrong


def test_several_triggers_are_each_named_and_each_judged_by_its_own_clause():
    facts = {"confidence": 0.1, "consecutive_failures": 3, "security_critical": True}
    assert {"LK-FB-03", "LK-FB-04", "LK-FB-05"} == passing(
        called(facts, "low_confidence", "consecutive_failures", "security_critical").findings()
    )
    assert {"LK-FB-04"} == failing(called(facts, "low_confidence", "security_critical").findings())
    assert {"LK-FB-05"} == failing(
        called(facts, "low_confidence", "consecutive_failures", "security_critical", "security_critical").findings()
    )


def test_naming_a_trigger_and_calling_nobody_breaks_its_clause():
    assert {"LK-FB-04"} == failing(
        called({"consecutive_failures": 3}, "consecutive_failures", escalate=False).findings()
    )


@pytest.mark.parametrize(
    ("facts", "clauses"),
    [
        ({"confidence": 0.9}, {"LK-FB-03"}),
        ({"consecutive_failures": 1}, {"LK-FB-04"}),
        ({"rollback": True}, {"LK-FB-05"}),
        ({}, {"LK-FB-03", "LK-FB-04", "LK-FB-05"}),
    ],
)
def test_a_human_who_is_called_for_nothing_breaks_what_was_asked_about(facts, clauses):
    assert clauses == failing(called(facts, escalate=True).findings())
    assert clauses == failing(called(facts, "a word of its own").findings())
    assert clauses == failing(told().ok("escalation", facts, {}).findings())
    assert clauses == failing(told().info("escalation", facts).findings())
    assert () == called(facts).findings()


def test_triggers_that_are_no_list_are_none():
    history = told().ok(
        "escalation", {"consecutive_failures": 3}, {"escalate": True, "triggers": "consecutive_failures"}
    )
    assert {"LK-FB-04"} == failing(history.findings())


def test_who_does_not_answer_breaks_the_clauses_of_the_triggers():
    facts = {"confidence": 0.1, "consecutive_failures": 3}
    assert {"LK-FB-03", "LK-FB-04"} == failing(told().fail("escalation", facts).findings())


def test_facts_that_are_none_bind_nobody():
    history = told().fail("escalation", {"confidence": "NaN"}).info("escalation", {"consecutive_failures": 2.5})
    assert () == history.findings()


# -- what is asked for, and faults


def test_what_a_scenario_is_meant_for_and_does_not_show_is_inconclusive():
    assert ["INCONCLUSIVE"] == [each.verdict for each in told().findings("LK-FB-01")]


def test_an_answer_may_be_lost_with_the_process_that_was_killed():
    history = told().under("process.killed").info("escalation", {"consecutive_failures": 3})
    assert () == history.findings()


def test_what_may_end_an_operation_is_permitted():
    history = stepped("model", "opus", "sonnet")
    assert ({"next": "sonnet"},) == history.permitted({"next": "sonnet"}, {"next": "haiku"})
