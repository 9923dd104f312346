"""The events in the ContextLog: DR-LOG-01 and DR-LOG-02."""

import pytest
from handmade_diagnosis import (
    FAIL,
    GONE,
    PASS,
    Story,
    a_context,
    a_diagnosis,
    a_failure,
    an_event,
    changed,
    fault,
    moment,
)

HOME = "{home}/.context_log.jsonl"


def logged(*events, **more):
    """A failure after which these events were found."""
    return Story().failure(events=events, **more).success()


def event(**changes):
    return an_event(a_diagnosis(), **changes)


def test_each_reflection_has_its_event():
    story = Story().failure("c1").failure("c2", error=a_failure("Other"), context=a_context(3)).success()
    assert (PASS, PASS) == (story.verdict("DR-LOG-01"), story.verdict("DR-LOG-02"))


@pytest.mark.parametrize(
    "changes",
    [
        {"id": ""},
        {"id": GONE},
        {"ts": "now"},
        {"ts": moment(-7200)},
        {"actor": "agent"},
        {"act": "reflection"},
        {"conv_id": "c_2"},
        {"trace_id": GONE},
        {"iter": 3},
        {"iter": "2"},
        {"name": "whys"},
        {"status": None},
        {"elapsed_ms": -1},
        {"elapsed_ms": "12"},
        {"metadata": []},
        {"metadata__alternatives_count": GONE},
        {"result_preview": ""},
    ],
    ids=str,
)
def test_an_event_without_a_field_breaks_log_01(changes):
    changes = {name: GONE if value is GONE else value for name, value in changes.items()}
    assert FAIL == logged(event(**changes)).verdict("DR-LOG-01")


@pytest.mark.parametrize("events", [(), (event(), event(id="another")), (b"no JSON\n",), ([],), ({"act": 3},)])
def test_another_number_of_events_breaks_log_01(events):
    assert FAIL == Story().failure(events=events).success().verdict("DR-LOG-01")


def test_an_event_without_a_reflection_breaks_log_01():
    assert FAIL == Story().success("a", events=[event()]).success("b").verdict("DR-LOG-01")


def test_events_of_others_are_none_of_ours():
    assert PASS == logged(event(), {"act": "tool_call"}, b"\n", b"noise\n").verdict("DR-LOG-01")


def test_an_id_that_comes_again_breaks_log_01():
    story = Story().failure("c1", events=[event()]).failure("c2", events=[event()]).success()
    assert FAIL == story.verdict("DR-LOG-01")


@pytest.mark.parametrize(
    ("events", "readings"), [([event()], ("fast_too",)), ((), ("full_only",)), ([event(), event(id="b")], ())]
)
def test_a_fast_path_writes_an_event_or_none(events, readings):
    story = Story().failure(reflection="fast", events=events).success()
    assert readings == story.readings("DR-LOG-01")


def test_the_conversation_is_that_of_the_configuration():
    story = Story(conv_id="c_9", trace_id="t_9").failure(events=[event(conv_id="c_9", trace_id="t_9")]).success()
    assert PASS == story.verdict("DR-LOG-01")
    assert FAIL == Story(conv_id="c_9").failure().success().verdict("DR-LOG-01")


@pytest.mark.parametrize(
    "changes",
    [
        {"failed_tool": "run_bash"},
        {"error_type": "timeout"},
        {"root_cause": "timeout"},
        {"recovery_strategy": "manual_http_download"},
        {"confidence": 0.5},
        {"confidence": None},
        {"alternatives_count": 2},
    ],
    ids=str,
)
def test_metadata_that_disagree_break_log_02(changes):
    found = logged(event(**{f"metadata__{name}": value for name, value in changes.items()}))
    assert {"DR-LOG-02"} == found.failed()


def test_metadata_that_are_none_break_both():
    assert {"DR-LOG-01", "DR-LOG-02"} == logged(event(metadata=[])).failed()


@pytest.mark.parametrize(
    ("confidence", "readings"),
    [(0.9, ("strategy",)), (0.95, ("root_cause",)), (0.901, ("strategy",))],
)
def test_the_confidence_is_that_of_the_strategy_or_of_the_cause(confidence, readings):
    assert readings == logged(event(metadata__confidence=confidence)).readings("DR-LOG-02")


def test_the_root_cause_may_be_told_by_its_description():
    found = event(metadata__root_cause=a_diagnosis()["rootCause"]["description"])
    assert PASS == logged(found).verdict("DR-LOG-02")


def test_of_a_plan_that_there_is_none_of_no_strategy_is_compared():
    made = a_diagnosis(recoveryPlan=None, errorClassification__canRecover=False)
    found = changed(event(), metadata__recovery_strategy="ask_user")
    assert PASS == logged(found, diagnosis=made).verdict("DR-LOG-02")


def test_a_diagnosis_that_is_not_complete_cannot_be_agreed_with():
    assert None is logged(event(), diagnosis=a_diagnosis(whyChain=None)).finding("DR-LOG-02")


def test_a_tool_of_another_shape_is_not_compared():
    assert PASS == logged(event(), tool=7).verdict("DR-LOG-02")


def test_a_fault_may_take_the_event_and_nothing_is_said():
    full = fault("filesystem.full", "{home}")
    story = Story().failure(events=(), faults=[full]).success(faults=[full])
    assert None is story.finding("DR-LOG-01")


def test_an_event_that_is_there_under_a_fault_is_judged():
    full = fault("filesystem.full", "{home}")
    story = Story().failure(events=[event(actor="me")], faults=[full]).success(faults=[full])
    assert FAIL == story.verdict("DR-LOG-01")


def test_a_log_that_was_damaged_meanwhile_is_not_judged():
    story = Story().failure(events=()).success(faults=[fault("jsonl.torn_tail", HOME)])
    assert None is story.finding("DR-LOG-01")


def test_several_at_once_have_an_event_each():
    story = Story()
    asked = {"call": "a", "tool": "shell", "args": {}, "success": False, "error": a_failure(), "context": a_context()}
    one, two = a_diagnosis(1), a_diagnosis(2)
    story.begin("observe", asked, 1)
    story.begin("observe", {**asked, "call": "b"}, 2)
    story.end("observe", {"reflection": "full", "diagnosis": one}, 1, events=[an_event(one, number=1)])
    story.end("observe", {"reflection": "full", "diagnosis": two}, 2, events=[an_event(two, number=2)])
    story.success()
    assert (PASS, PASS) == (story.verdict("DR-LOG-01"), story.verdict("DR-LOG-02"))


def test_a_killed_operation_wrote_its_event_or_not():
    killed = fault("process.killed")
    for events in ((), [event()], [event(), event(id="b")]):
        story = Story().failure(answer=None, faults=[killed], events=events).success()
        assert FAIL != story.verdict("DR-LOG-01")


FULL = [fault("filesystem.full", "{home}")]


def test_an_event_that_a_fault_took_may_come_late():
    story = Story().failure("c1", events=(), faults=FULL).success("s", faults=FULL)
    story.success("t", events=[event()]).success("u")
    assert (PASS, PASS) == (story.verdict("DR-LOG-01"), story.verdict("DR-LOG-02"))
    story = Story().failure("c1", events=(), faults=FULL).success("s", faults=FULL)
    late = an_event(a_diagnosis(2, at=2.0), 2.0, number=2)
    story.failure("c2", error=a_failure("x"), events=[event(), late]).success("u")
    assert (PASS, PASS) == (story.verdict("DR-LOG-01"), story.verdict("DR-LOG-02"))


def test_an_event_too_many_is_no_late_one():
    story = Story().failure("c1", events=(), faults=FULL).success("s", faults=FULL)
    story.success("t", events=[event(), event(id="b")]).success("u")
    assert FAIL == story.verdict("DR-LOG-01")
    story = Story().failure("c1", events=(), faults=FULL).success("s", faults=FULL).success("t")
    story.failure("c3", error=a_failure("y"), events=()).success("u")
    assert FAIL == story.verdict("DR-LOG-01")


def test_what_is_owed_in_one_world_is_not_in_the_next():
    story = Story().failure("c1", events=(), faults=FULL).success("s", faults=FULL)
    story.reset()
    story.success("t", events=[event()]).success("u")
    assert FAIL == story.verdict("DR-LOG-01")
