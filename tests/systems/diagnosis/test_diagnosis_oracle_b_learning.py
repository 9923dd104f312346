"""What is learned from outcomes, and when it is used: followed over restarts, and left alone where nobody can know."""

import pytest
from handmade_diagnosis import (
    FAIL,
    PASS,
    Story,
    a_context,
    a_diagnosis,
    a_failure,
    a_session_record,
    an_episode,
    changed,
    fault,
)

from harness.core.history import EntryType, InputFact
from harness.systems.diagnosis.oracle.learning import learned
from harness.systems.diagnosis.oracle.view import View

CURL, MANUAL = "curl_download_and_extract", "manual_http_download"
OTHER = {"error": a_failure("connect ECONNREFUSED", code=1, stderr="")}
FROM_FIRST = ("from_first_success", "from_first_success_by_type")
FROM_LATER = ("from_later", "from_later_by_type")
SESSION_PATH = "{home}/.session_memory.jsonl"


def recovered(times=1, story=None, **more):
    """A failure whose recovery worked, so many times."""
    story = Story() if story is None else story
    for _ in range(times):
        story.failure(f"c{len(story.made) + 1}", **more).outcome(f"c{len(story.made)}")
    return story


def again(story, reflection="full", **more):
    """The same failure once more; another type where ``kind`` says so."""
    number = len(story.made) + 1
    changes = {"errorClassification__type": more.pop("kind")} if "kind" in more else {}
    changes |= {"recoveryPlan__strategy": more.pop("strategy")} if "strategy" in more else {}
    return story.failure(f"c{number}", diagnosis=a_diagnosis(number, **changes), reflection=reflection, **more)


def test_from_three_successes_on_what_was_learned_is_used():
    assert PASS is again(recovered(3), "fast").verdict("DR-LRN-02")
    assert FAIL is again(recovered(3), "full").verdict("DR-LRN-02")
    assert FAIL is again(recovered(3), "fast", answer=None, ended=EntryType.INFO).verdict("DR-LRN-02")


def test_before_it_is_used_by_reading():
    assert FROM_FIRST == again(recovered(1), "fast").readings("DR-LRN-02")
    assert FROM_LATER == again(recovered(1), "full").readings("DR-LRN-02")
    assert FAIL is again(again(recovered(1), "fast"), "full").verdict("DR-LRN-02")
    assert FAIL is again(recovered(1), "none").verdict("DR-LRN-02")


def test_nothing_is_used_that_was_not_learned():
    # whoever never learns passes the control: alone it is no witness
    assert Story().failure("c1").verdict("DR-LRN-02") is None
    assert FAIL is again(Story(), "fast").verdict("DR-LRN-02")
    assert FAIL is again(Story(), "fast", answer=None, ended=EntryType.INFO).verdict("DR-LRN-02")
    failed_only = Story().failure("c1").outcome("c1", False)
    assert FAIL is again(failed_only, "fast").verdict("DR-LRN-02")
    assert again(recovered(1), "full", kind="network_error", **OTHER).verdict("DR-LRN-02") is None
    assert FAIL is again(recovered(3), "fast", kind="network_error", **OTHER).verdict("DR-LRN-02")


def test_a_fast_path_asks_no_model_and_plans_what_worked():
    assert FAIL is again(recovered(3), "fast", strategy=MANUAL).verdict("DR-LRN-02")
    assert FAIL is again(recovered(3), "fast", model=[{"prompt": "?"}]).verdict("DR-LRN-02")


def test_what_another_tool_taught_is_used_by_type_only():
    assert ("from_later_by_type",) == again(recovered(3), "fast", tool="run_bash").readings("DR-LRN-02")
    assert FROM_LATER == again(recovered(3), "full", tool="run_bash").readings("DR-LRN-02")
    assert FAIL is again(recovered(3), "fast", tool="run_bash", strategy=MANUAL).verdict("DR-LRN-02")
    early = again(again(recovered(1), "fast"), "fast", tool="run_bash")
    assert ("from_first_success_by_type",) == early.readings("DR-LRN-02")


@pytest.mark.parametrize("reflection", ["fast", "full"])
def test_failures_among_the_successes_leave_it_open(reflection):
    mixed = recovered(1).failure("c2").outcome("c2", False)
    assert PASS is again(mixed, reflection).verdict("DR-LRN-02")


def test_a_strategy_without_tools_and_several_strategies_leave_it_open():
    def asked():
        return Story().failure("c1").outcome("c1", strategy="request_user_setup")

    both = again(asked(), "fast", strategy="request_user_setup").readings("DR-LRN-02")
    assert {*FROM_FIRST, *FROM_LATER} == set(both)
    assert again(asked(), "full", strategy=CURL).verdict("DR-LRN-02") is None
    several = recovered(2).failure("c3").outcome("c3", strategy=MANUAL)
    assert FROM_LATER == again(several, "full").readings("DR-LRN-02")


@pytest.mark.parametrize("context", [7, a_context(availableTools=["search"])])
def test_what_was_learned_needs_its_tools(context):
    story = recovered(1)
    before = again(story, "fast").readings("DR-LRN-02")
    after = again(story, "full", context=context).readings("DR-LRN-02")
    assert FROM_FIRST == before == after


@pytest.mark.parametrize("name", ["AUTONOMOUS_FAST_RECOVERY_ENABLED", "AUTONOMOUS_DIAGNOSTIC_REFLECTION_ENABLED"])
def test_nothing_is_said_where_a_flag_is_off(name):
    assert again(recovered(3, Story(flags={name: "0"}))).verdict("DR-LRN-02") is None


def test_a_failure_that_is_not_answered_has_neither_path():
    for times in (0, 1):
        lost = recovered(times).failure("lost", answer=None, ended=EntryType.INFO)
        assert FAIL is lost.verdict("DR-LRN-02")


def test_nothing_is_said_after_trouble():
    spoiled = recovered(3).success("s", faults=[fault("jsonl.torn_tail", SESSION_PATH)])
    assert again(spoiled).readings("DR-LRN-02") == again(recovered(2)).readings("DR-LRN-02")


def test_nothing_is_said_of_a_hostile_failure():
    hostile = Story().failure("c1", error={"message": 7}).outcome("c1")
    again(hostile, "fast", error={"message": 7})
    assert hostile.verdict("DR-LRN-02") is None
    assert hostile.verdict("DR-LRN-01") is None


def counted(story):
    view = View(story.scenario, story.history)
    return learned(view, view.failed[-1])


def test_outcomes_of_the_very_same_failure_are_counted():
    assert (0, 0) == counted(Story().failure("c1"))
    story = recovered(2).failure("c3").outcome("c3", False, MANUAL)
    assert (2, 1) == counted(again(story))
    assert (0, 0) == counted(again(recovered(2), kind="network_error", **OTHER))
    assert (0, 0) == counted(again(recovered(2), error=a_failure("another command")))


def test_they_are_counted_over_restarts_and_within_a_world():
    restarted = recovered(2)
    slow = [fault("process.slow_start")]
    restarted.failure("c3", faults=slow).outcome("c3", faults=slow)
    assert (3, 0) == counted(again(restarted))
    story = recovered(2)
    story.reset()
    story.files = dict.fromkeys(story.files, b"")
    assert (0, 0) == counted(again(story))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda story: story.outcome("c1", answer=None, ended=EntryType.INFO),
        lambda story: story.outcome("unheard of"),
        lambda story: story.outcome("c1", strategy=None),
        lambda story: story.success("s", faults=[fault("filesystem.read_only", SESSION_PATH)]),
        lambda story: story.success("s", faults=[fault("jsonl.torn_tail", SESSION_PATH)]),
        lambda story: story.success("s", faults=[fault("syscall.power", SESSION_PATH)]),
        lambda story: story.failure("p", process=1).outcome("p", process=1),
    ],
)
def test_nobody_knows_what_is_known_after_trouble(spoil):
    assert counted(again(spoil(recovered(3)))) is None


def test_what_another_process_tells_meanwhile_is_not_counted():
    story = recovered(1)
    story.begin("outcome", {"call": "c1", "success": True, "iterations": 1})
    args = {"call": "c9", "tool": "shell", "args": {}, "success": False, "error": a_failure()}
    story.begin("observe", args, process=1)
    story.end("observe", {"reflection": "full", "diagnosis": a_diagnosis(9)}, process=1)
    story.end("outcome", {"strategy": CURL})
    assert counted(story) is None


@pytest.mark.parametrize(
    ("known", "memory"),
    [
        (True, b'{"type": "foreign"}\n'),
        (False, b'{"learned_pattern": {}}\n'),
        (False, InputFact("file", 10_000_000)),
    ],
)
def test_a_memory_that_was_given_may_hold_anything(known, memory):
    story = Story()
    story.files["episodic_memory"] = memory
    assert known is (counted(story.failure("c1")) is not None)


# the confidence


def told(*outcomes, values=None, rates=None, recoveries=None, story=None):
    """The same failure again and again with these outcomes, and the confidences that were stored after each."""
    story = Story() if story is None else story
    for place, success in enumerate(outcomes):
        name = f"c{len(story.made) + 1}"
        story.failure(name)
        made = story.made[name]
        pattern = (
            None if values is None or values[place] is None else {"when": "x", "then": "y", "confidence": values[place]}
        )
        episode = an_episode(strategy=CURL if success else None)
        episode["reusable_pattern"]["success_rate"] = (
            sum(outcomes[: place + 1]) / (place + 1) if rates is None else rates[place]
        )
        if success:
            episode["successful_recovery"]["confidence"] = GOOD if recoveries is None else recoveries[place]
        if recoveries is None:
            episode.pop("successful_recovery", None)
        story.outcome(name, success, session=[a_session_record(made, (), pattern)], episodic=[episode])
    return story.success("end")


GOOD = 0.9


@pytest.mark.parametrize(
    ("readings", "outcomes", "values"),
    [
        (("smoothed", "monotone"), (True, True, False), (2 / 3, 3 / 4, 3 / 5)),
        (("smoothed", "monotone"), (True, True, False), (0.67, 0.75, 0.6)),
        (("observed_rate",), (True, True, False), (1.0, 1.0, 2 / 3)),
        (("monotone",), (True, True, False), (0.5, 0.9, 0.1)),
        (("monotone",), (True, True, False), (0.95, 0.95, 0.1)),
        (("monotone",), (False, False, True), (0.1, 0.1, 0.3)),
        (("smoothed", "monotone"), (True, False), (2 / 3, 1 / 2)),
        (("smoothed", "monotone"), (False, True), (None, 1 / 2)),
    ],
)  # fmt: skip
def test_a_confidence_follows_the_outcomes_by_some_rule(readings, outcomes, values):
    found = told(*outcomes, values=values).finding("DR-LRN-01")
    assert PASS is found.verdict
    assert set(readings) <= set(found.readings)
    assert ("observed_rate" in found.readings) is ("observed_rate" in readings or values[0] is None)


@pytest.mark.parametrize(
    ("outcomes", "values"),
    [
        ((True, False), (1.0, 1.0)),
        ((True, False), (0.9, 0.95)),
        ((True, True), (0.7, 0.5)),
        ((True, True), (0.5, 0.5)),
        ((True,), (1.5,)),
        ((True,), (-0.1,)),
        ((True,), ("high",)),
        ((True,), (True,)),
    ],
)
def test_a_confidence_that_follows_nothing_is_wrong(outcomes, values):
    assert FAIL is told(*outcomes, values=values).verdict("DR-LRN-01")


def test_every_confidence_that_is_stored_is_looked_at():
    assert FAIL is told(True, False, rates=(1.0, 1.0)).verdict("DR-LRN-01")
    assert FAIL is told(True, True, recoveries=(0.9, 0.3)).verdict("DR-LRN-01")
    assert ("smoothed", "monotone") == told(True, False, True, recoveries=(2 / 3, 0, 3 / 5)).readings("DR-LRN-01")


def test_a_pattern_that_was_told_is_told_again_after_a_failure():
    assert PASS is told(True, False, values=(2 / 3, 1 / 2)).verdict("DR-LRN-01")
    assert FAIL is told(True, False, values=(2 / 3, None)).verdict("DR-LRN-01")
    assert FAIL is told(True, True, False, values=(2 / 3, 3 / 4, None)).verdict("DR-LRN-01")


def test_a_failure_before_any_success_teaches_nothing():
    def silent(success):
        return Story().failure("c1").outcome("c1", success, session=[], episodic=[]).success("end")

    assert PASS is silent(False).verdict("DR-LRN-01")
    assert FAIL is silent(True).verdict("DR-LRN-01")


def test_what_worked_is_stored_as_a_rule():
    bare = changed(an_episode(strategy=CURL), reusable_pattern={"trigger": "", "action": "x"})
    assert FAIL is Story().failure("c1").outcome("c1", session=[{"a": 1}], episodic=[bare]).success("s").verdict(
        "DR-LRN-01"
    )
    assert PASS is told(True).verdict("DR-LRN-01")
    assert PASS is told(True, values=(0.67,)).verdict("DR-LRN-01")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda story: story.outcome("c1", strategy=None),
        lambda story: story.outcome("c1", faults=[fault("filesystem.read_only", SESSION_PATH)]),
        lambda story: story.outcome("c1", answer=None, ended=EntryType.INFO),
    ],
)
def test_nothing_is_said_of_what_may_be_lost_or_is_of_nothing(spoil):
    story = Story().failure("c1")
    assert spoil(story).success("s").verdict("DR-LRN-01") is None


def test_nothing_is_said_of_what_nobody_saw():
    assert Story().failure("c1").outcome("c1").verdict("DR-LRN-01") is None


def test_a_sequence_ends_where_others_may_be_counted_with_it():
    wrong = {"when": "x", "then": "y", "confidence": 0.1}

    def after(story, name="c2", strategy=CURL, process=0, error=None):
        story.failure(name, process=process, **({} if error is None else {"error": error}))
        record = a_session_record(story.made[name], (), wrong)
        return story.outcome(name, True, strategy, process=process, session=[record]).success("end")

    assert FAIL is after(told(True, values=(0.67,))).verdict("DR-LRN-01")
    assert PASS is after(told(True, values=(0.67,)), strategy=MANUAL).verdict("DR-LRN-01")
    assert PASS is after(told(True, values=(0.67,)), process=1).verdict("DR-LRN-01")
    assert PASS is after(told(True, values=(0.67,)), error=a_failure("another")).verdict("DR-LRN-01")
    twice = told(True, values=(0.67,)).outcome("c1", True, session=[a_session_record(a_diagnosis(), (), wrong)])
    assert PASS is twice.success("end2").verdict("DR-LRN-01")


def test_nothing_is_said_of_outcomes_that_were_told_at_the_same_time():
    story = Story().failure("c1").failure("c2", process=1)
    for process, name in enumerate(("c1", "c2")):
        story.begin("outcome", {"call": name, "success": True, "iterations": 1}, process)
    for process in (0, 1):
        story.end("outcome", {"strategy": CURL}, process)
    assert story.success("end").verdict("DR-LRN-01") is None
