"""When a reflection runs, and the loop around it: DR-TRG-01 to DR-TRG-04."""

import pytest
from handmade_diagnosis import (
    ASKING,
    FAIL,
    PASS,
    SECOND,
    Story,
    a_context,
    a_diagnosis,
    a_plan,
    fault,
)

from harness.core.fault import Fault
from harness.core.history import EntryType

SAME = {"command": "git clone x"}
BEFORE = {"tool": "shell", "args": SAME, "result": "Command failed", "success": False}


@pytest.mark.parametrize(
    "answer",
    [
        {"reflection": "none"},
        {"reflection": "none", "diagnosis": a_diagnosis()},
        {"reflection": "full"},
        {"reflection": "some", "diagnosis": a_diagnosis()},
        {"diagnosis": a_diagnosis()},
        {"call": "c1", "tool": "shell"},
        None,
    ],
    ids=["none", "none-with", "full-without", "unknown-word", "no-word", "echo", "no-answer"],
)
def test_a_failure_without_a_whole_reflection_breaks_trg_01(answer):
    assert FAIL == Story().failure(answer=answer).verdict("DR-TRG-01")


@pytest.mark.parametrize("answer", [{"reflection": "fast"}, {"reflection": "full"}, {}])
def test_a_success_that_is_reflected_on_breaks_trg_01(answer):
    assert FAIL == Story().success(answer=answer).verdict("DR-TRG-01")


def test_a_failure_is_diagnosed_and_a_success_is_not():
    finding = Story().failure().success().finding("DR-TRG-01")
    assert (PASS, 2, ("fast_path_counts",)) == (finding.verdict, finding.witnesses, finding.readings)
    assert PASS == Story().failure(reflection="fast").verdict("DR-TRG-01")


def test_a_failure_that_is_refused_breaks_trg_01_and_one_that_a_fault_silenced_does_not():
    assert FAIL == Story().failure(answer={"error": "no"}, ended=EntryType.FAIL).verdict("DR-TRG-01")
    assert None is Story().failure(answer=None, faults=[fault("process.killed")]).finding("DR-TRG-01")


@pytest.mark.parametrize("flag", ["0", "off", "", "1 "])
def test_where_the_reflection_may_be_off_trg_01_says_nothing(flag):
    story = Story(flags={"AUTONOMOUS_DIAGNOSTIC_REFLECTION_ENABLED": flag}).failure().prompt()
    assert (None, None) == (story.finding("DR-TRG-01"), story.finding("DR-TRG-02"))


def test_a_failure_of_another_shape_is_no_matter_of_trg_01():
    assert None is Story().failure(error="Command failed", answer=None).finding("DR-TRG-01")


def test_the_next_reflection_finds_the_diagnosis():
    assert ("synchronous",) == Story().failure().prompt().readings("DR-TRG-02")
    late = Story().failure(diagnosis=None).prompt(text="Root cause: no git")
    assert FAIL == late.verdict("DR-TRG-02")
    assert FAIL == Story().failure().prompt(text=" ").verdict("DR-TRG-02")
    assert FAIL == Story().failure().prompt(answer=None).verdict("DR-TRG-02")


def test_the_loop_stores_shows_and_goes_on():
    story = Story().failure().prompt().outcome(success=False, more={"next_plan": SECOND})
    story.outcome(success=False, strategy="manual_http_download", more={"next_plan": ASKING, "asks_user": True})
    finding = story.prompt(text="").finding("DR-TRG-03")
    assert (PASS, 4) == (finding.verdict, finding.witnesses)


@pytest.mark.parametrize(
    "story",
    [
        Story().failure(session=()).success(),
        Story().failure().prompt(text="Another thing"),
        Story().failure().prompt(text=""),
        Story().failure().prompt(answer=None),
        Story().failure().outcome(strategy="manual_http_download"),
        Story().failure().outcome(answer=None),
        Story().failure().outcome(success=False, more={"next_plan": SECOND}).outcome(strategy="request_user_setup"),
        Story().failure().outcome(answer={"strategy": None}),
    ],
    ids=["not-stored", "other-prompt", "no-prompt", "silent-prompt", "other-plan", "silent", "not-the-next", "unknown"],
)
def test_a_loop_that_is_broken_breaks_trg_03(story):
    assert FAIL == story.verdict("DR-TRG-03")


def test_a_line_that_a_fault_may_have_taken_is_not_missed():
    full = fault("filesystem.full", "{home}")
    story = Story().failure(session=(), faults=[full]).success(faults=[full])
    assert None is story.finding("DR-TRG-03")


def test_a_plan_that_there_is_none_of_cannot_be_gone_on_with():
    made = a_diagnosis(recoveryPlan=None)
    assert None is Story().failure(diagnosis=made, session=()).outcome(answer={"strategy": None}).finding(
        "DR-TRG-03"
    ) or (FAIL == Story().failure(diagnosis=made, session=()).outcome(answer={"strategy": None}).verdict("DR-TRG-03"))
    assert None is Story().failure(diagnosis=None).outcome(answer={"strategy": None}).finding("DR-TRG-03")


def repeating(*steps):
    """The plan after the same call failed again."""
    return a_diagnosis(2, recoveryPlan=a_plan(steps=[*steps]))


OTHER = {"action": "a", "tool": "run_bash", "args": {"command": "curl"}, "expectedOutcome": "b"}
AGAIN = {"action": "a", "tool": "shell", "args": SAME, "expectedOutcome": "b"}


@pytest.mark.parametrize(
    ("steps", "readings"),
    [([OTHER], ("no_step", "not_first")), ([OTHER, AGAIN], ("not_first",)), ([], ("no_step", "not_first"))],
)
def test_another_call_is_proposed_when_one_fails_again(steps, readings):
    story = Story().failure("c1").failure("c2", diagnosis=repeating(*steps))
    assert (PASS, readings) == (story.verdict("DR-TRG-04"), story.readings("DR-TRG-04"))


def test_the_same_call_first_breaks_trg_04():
    assert FAIL == Story().failure("c1").failure("c2", diagnosis=repeating(AGAIN, OTHER)).verdict("DR-TRG-04")
    told = a_context(previousActions=[BEFORE])
    assert FAIL == Story().failure(context=told, diagnosis=repeating(AGAIN)).verdict("DR-TRG-04")


@pytest.mark.parametrize(
    "story",
    [
        Story().failure(diagnosis=repeating(AGAIN)),
        Story().failure(diagnosis=repeating(AGAIN), context=a_context(previousActions=[{**BEFORE, "success": True}])),
        Story().failure("c1", args={"command": "ls"}).failure("c2", diagnosis=repeating(AGAIN)),
        Story().failure("c1", process=1).failure("c2", diagnosis=repeating(AGAIN)),
        Story().failure("c1").failure("c2", error=7, diagnosis=repeating(AGAIN)),
        Story().failure("c1").failure("c2", diagnosis=a_diagnosis(2, recoveryPlan=None)),
    ],
    ids=["first", "worked-before", "other-args", "other-process", "hostile", "no-plan"],
)
def test_a_call_that_did_not_fail_before_is_no_matter_of_trg_04(story):
    assert None is story.finding("DR-TRG-04")


def test_a_strategy_that_failed_is_not_proposed_again():
    again = Story().failure().outcome(success=False, more={"next_plan": a_plan()})
    assert FAIL == again.verdict("DR-TRG-04")
    assert PASS == Story().failure().outcome(success=False, more={"next_plan": SECOND}).verdict("DR-TRG-04")
    asking = Story().failure().outcome(success=False, more={"next_plan": ASKING})
    assert None is asking.finding("DR-TRG-04")
    asked = Story().failure().outcome(success=False, more={"next_plan": a_plan(), "asks_user": True})
    assert None is asked.finding("DR-TRG-04")


def test_a_prompt_after_an_outcome_may_tell_of_another_plan():
    story = Story().failure().outcome(success=False, more={"next_plan": SECOND}).prompt(text="manual_http_download")
    assert PASS == story.verdict("DR-TRG-03")
    assert None is story.finding("DR-PRM-01")


def test_who_is_asked_of_a_call_in_another_life_does_not_know_it():
    story = Story().failure().prompt(text="", faults=[fault("process.restarted")])
    assert None is story.finding("DR-TRG-02")
    story = Story().failure().prompt(text="", process=1)
    assert None is story.finding("DR-PRM-01")


def test_a_prompt_of_a_call_that_was_never_told_says_nothing():
    assert {} == {name: each for name, each in Story().prompt("c9", text="").findings().items() if each.verdict is FAIL}


def test_who_was_robbed_of_the_memory_may_know_of_no_failure():
    answer = {"strategy": None, "log": [{"level": "warning", "code": "call_unknown", "message": "no such call"}]}
    for name in ("filesystem.full_device", "filesystem.missing"):
        taken = Fault(name, "{home}/.session_memory.jsonl")
        story = Story().failure().outcome(success=False, answer=answer, faults=(taken,), session=(), episodic=())
        assert FAIL is not story.verdict("DR-TRG-03")
    beside = Fault("filesystem.full_device", "{home}/elsewhere")
    story = Story().failure().outcome(success=False, answer=answer, faults=(beside,), session=(), episodic=())
    assert FAIL is story.verdict("DR-TRG-03")
