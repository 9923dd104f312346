"""The two memories: DR-MEM-01 to DR-MEM-04."""

import json

import pytest
from handmade_diagnosis import (
    FAIL,
    GONE,
    PASS,
    SECOND,
    Story,
    a_diagnosis,
    a_failure,
    a_session_record,
    an_attempt,
    an_episode,
    an_event,
    changed,
    fault,
    written,
)

from harness.core.fault import Injection
from harness.core.history import EntryType, InputFact
from harness.systems.diagnosis.oracle.files import parsed

SESSION = "{home}/.session_memory.jsonl"
FULL = fault("filesystem.full", "{home}")
RECORD = a_session_record(
    a_diagnosis(),
    [an_attempt("curl_download_and_extract", "success", 3)],
    {"when": "a", "then": "b", "confidence": 0.7},
)
CURL = "curl_download_and_extract"


def kept(record, **more):
    """A recovery that worked, after which this record was found."""
    return Story().failure().outcome(session=[record], **more).success()


def test_a_diagnosis_and_its_outcomes_are_kept():
    story = Story().failure().outcome(success=False, more={"next_plan": SECOND})
    story.outcome(strategy="manual_http_download", attempts=[an_attempt(CURL, "failure")]).success()
    verdicts = [story.verdict(f"DR-MEM-0{n}") for n in (1, 2, 3)]
    assert [PASS, PASS, PASS] == verdicts
    assert ("appended",) == story.readings("DR-MEM-01")


FORMS = [
    {"failure_diagnosis__immediate_cause": ""},
    {"failure_diagnosis__root_cause": GONE},
    {"failure_diagnosis__why_chain": ["a"]},
    {"failure_diagnosis__why_chain": {"why1": "a"}},
    {"failure_diagnosis__recovery_attempted": {}},
    {"failure_diagnosis__recovery_attempted__0": "curl"},
    {"failure_diagnosis__recovery_attempted__0__strategy": ""},
    {"failure_diagnosis__recovery_attempted__0__outcome": "maybe"},
    {"failure_diagnosis__recovery_attempted__0__iterations_to_success": None},
    {"failure_diagnosis__recovery_attempted__0__iterations_to_success": "3"},
    {"failure_diagnosis__recovery_attempted__0__iterations_to_success": 4},
    {"failure_diagnosis__recovery_attempted": []},
    {"failure_diagnosis__recovery_attempted__0__strategy": "another"},
    {"failure_diagnosis__recovery_attempted": [an_attempt("x", "failure"), an_attempt(CURL, "success", 3)]},
    {"learned_pattern": GONE},
    {"learned_pattern__when": ""},
    {"learned_pattern__then": 1},
    {"learned_pattern__confidence": 2},
    {"learned_pattern": "curl"},
    {"failure_diagnosis": GONE, "diagnostic_reflections": []},
]


@pytest.mark.parametrize("changes", FORMS, ids=[str(n) for n in range(len(FORMS))])
def test_a_session_record_of_another_form_breaks_mem_01(changes):
    assert FAIL == kept(changed(RECORD, **changes)).verdict("DR-MEM-01")


def test_a_session_record_may_have_other_fields():
    assert PASS == kept({**RECORD, "session": "s", "ts": 1}).verdict("DR-MEM-01")


def test_a_diagnosis_that_is_not_kept_breaks_mem_01():
    assert FAIL == Story().failure(session=()).success().verdict("DR-MEM-01")
    other = a_session_record(a_diagnosis(7))
    assert FAIL == Story().failure(session=[other]).success().verdict("DR-MEM-01")
    assert None is Story().failure(session=[], diagnosis=a_diagnosis(whyChain=None)).success().finding("DR-MEM-01")


def test_paths_of_the_world_are_told_by_their_placeholders():
    made = a_diagnosis(whyChain__why2="nothing in {home}/bin")
    record = a_session_record(a_diagnosis(whyChain__why2="nothing in /tmp/x/home/bin"))
    assert PASS == Story().failure(diagnosis=made, session=[record]).success().verdict("DR-MEM-01")
    wrong = a_session_record(a_diagnosis(whyChain__why2="nothing in bin"))
    assert FAIL == Story().failure(diagnosis=made, session=[wrong]).success().verdict("DR-MEM-01")


def test_a_failed_recovery_needs_no_pattern_and_no_iterations():
    record = a_session_record(a_diagnosis(), [an_attempt(CURL, "failed")])
    story = Story().failure().outcome(success=False, session=[record]).success()
    assert (PASS, PASS) == (story.verdict("DR-MEM-01"), story.verdict("DR-MEM-03"))
    twice = a_session_record(a_diagnosis(), [an_attempt(CURL, "failure"), an_attempt(CURL, "failure")])
    assert FAIL == Story().failure().outcome(success=False, session=[twice]).success().verdict("DR-MEM-01")


def test_an_outcome_of_no_strategy_is_not_looked_for():
    story = Story().failure().outcome(answer={"strategy": None}, session=(), episodic=()).success()
    assert (PASS, None) == (story.verdict("DR-MEM-01"), story.finding("DR-MEM-02"))
    story = Story().failure().outcome(success=False, answer={"strategy": None}, session=(), episodic=()).success()
    assert None is story.finding("DR-MEM-03")


def test_lines_of_others_stay_as_they_are():
    story = Story()
    story.files["session_memory"] = b'{"user": "x"}\nnoise\n'
    assert FAIL != story.failure().success().verdict("DR-MEM-01")
    for left in (b'{"user": "x"}\n', b'noise\n{"user": "y"}\n'):
        story = Story()
        story.files["session_memory"] = b'{"user": "x"}\nnoise\n'
        story.failure(session=())
        story.files["session_memory"] = left + written(a_session_record(story.made["c1"]))
        assert FAIL == story.success().verdict("DR-MEM-01")


def test_a_record_may_be_written_again_with_its_outcome():
    story = Story().failure().outcome(session=())
    story.files["session_memory"] = written({**RECORD, "diagnosis": story.made["c1"]})
    assert ("amended",) == story.success().readings("DR-MEM-01")


def test_who_writes_a_record_again_loses_no_other_one():
    story = Story().failure().failure("c2", error=a_failure("x")).outcome(session=())
    story.files["session_memory"] = written({**RECORD, "diagnosis": story.made["c1"]})
    assert FAIL == story.success().verdict("DR-MEM-01")


def test_records_that_are_gone_after_an_operation_was_cut_off_have_to_be_there_again():
    def cut(found):
        story = Story().failure().failure("c2", ended=EntryType.INFO, session=())
        story.files["session_memory"] = found
        return story.success().verdict("DR-MEM-04")

    assert PASS == cut(written(RECORD))
    assert FAIL == cut(b"")


def test_without_an_outcome_no_record_goes():
    story = Story().failure("c1").failure("c2", error=a_failure("x"), session=())
    story.files["session_memory"] = written(a_session_record(story.made["c2"]))
    assert FAIL == story.success().verdict("DR-MEM-01")


EPISODES = [
    {"error_encountered": GONE},
    {"error_encountered__type": ""},
    {"error_encountered__tool": None},
    {"error_encountered__tool": "docker"},
    {"error_encountered__diagnosis": GONE},
    {"error_encountered__root_cause": 3},
    {"successful_recovery": GONE},
    {"successful_recovery": "curl"},
    {"successful_recovery__strategy": "another"},
    {"successful_recovery__tools": "run_bash"},
    {"successful_recovery__iterations_to_success": 4},
    {"successful_recovery__iterations_to_success": None},
    {"successful_recovery__confidence": 1.2},
    {"reusable_pattern": GONE},
    {"reusable_pattern__trigger": ""},
    {"reusable_pattern__action": None},
    {"reusable_pattern__success_rate": "0.9"},
]


@pytest.mark.parametrize("changes", EPISODES, ids=[str(n) for n in range(len(EPISODES))])
def test_an_episode_of_another_form_breaks_mem_02(changes):
    record = changed(an_episode(strategy=CURL), **changes)
    assert FAIL == Story().failure().outcome(episodic=[record]).success().verdict("DR-MEM-02")


def test_a_success_that_is_no_episode_breaks_mem_02():
    assert FAIL == Story().failure().outcome(episodic=()).success().verdict("DR-MEM-02")
    assert FAIL == Story().failure().outcome(episodic=[{"note": 1}]).success().verdict("DR-MEM-02")


def test_a_failed_recovery_is_no_successful_episode():
    story = Story().failure().outcome(success=False, episodic=[an_episode(strategy=CURL)]).success()
    assert FAIL == story.verdict("DR-MEM-02")
    assert PASS == Story().failure().outcome(success=False, episodic=()).success().verdict("DR-MEM-02")
    null = {**an_episode(), "successful_recovery": None}
    assert PASS == Story().failure().outcome(success=False, episodic=[null]).success().verdict("DR-MEM-02")


def test_a_tool_without_a_name_may_be_called_anything():
    story = Story().failure(tool="").outcome(episodic=[an_episode("", CURL)]).success()
    assert PASS == story.verdict("DR-MEM-02")


def test_a_failed_recovery_that_is_not_kept_breaks_mem_03():
    assert FAIL == Story().failure().outcome(success=False, session=()).success().verdict("DR-MEM-03")
    as_success = a_session_record(a_diagnosis(), [an_attempt(CURL, "success", 3)])
    assert FAIL == Story().failure().outcome(success=False, session=[as_success]).success().verdict("DR-MEM-03")
    odd = a_session_record(a_diagnosis())
    odd["failure_diagnosis"]["recovery_attempted"] = None
    assert FAIL == Story().failure().outcome(success=False, session=[odd]).success().verdict("DR-MEM-03")


def test_under_a_fault_nothing_has_to_be_kept():
    story = Story().failure(session=(), faults=[FULL]).outcome(session=(), episodic=(), faults=[FULL])
    story.success(faults=[FULL])
    assert [] == [name for name in ("DR-MEM-01", "DR-MEM-02", "DR-MEM-03") if story.finding(name) is not None]


WARNED = {"log": [{"level": "warning", "code": "memory_write_failed"}]}


def hard(before, after, **more):
    """A failure that found ``before`` in its session memory and left ``after``."""
    story = Story()
    story.files["session_memory"] = before
    story.failure(session=(), **more)
    story.files["session_memory"] = after(written(a_session_record(story.made["c1"]))) if callable(after) else after
    return story.success(faults=more.get("faults", ()))


TORN = b'{"whole": 1}\n{"to'


@pytest.mark.parametrize(
    ("before", "after", "readings"),
    [
        (TORN, lambda new: TORN + b"\n" + new, ("ended_first",)),
        (TORN, lambda new: b'{"whole": 1}\n' + new, ("cut_off",)),
        (b"noise\n", lambda new: b"noise\n" + new, ("ended_first", "cut_off")),
        (b'{"whole": 1}', lambda new: b'{"whole": 1}\n' + new, ("ended_first", "cut_off")),
        (b"a\r\n", lambda new: b"a\r\n" + new, ("ended_first", "cut_off")),
    ],
)
def test_torn_and_foreign_lines_cost_nothing(before, after, readings):
    story = hard(before, after)
    assert (PASS, readings) == (story.verdict("DR-MEM-04"), story.readings("DR-MEM-04"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TORN, lambda new: TORN + new),
        (TORN, lambda new: b'{"to\n' + new),
        (b'{"a": 1}\n{"b": 2}', lambda new: b'{"a": 1}\n' + new),
        (b"noise\n", lambda new: b"noise\n"),
        (b"noise\n", lambda new: new),
    ],
    ids=["glued", "whole-lost", "unended-lost", "silent", "noise-lost"],
)
def test_a_line_that_is_lost_breaks_mem_04(before, after):
    assert FAIL == hard(before, after).verdict("DR-MEM-04")


def test_a_line_glued_to_a_torn_one_is_no_matter_of_the_other_clauses():
    story = hard(TORN, lambda new: TORN + new)
    assert {"DR-MEM-04"} == story.failed()


def test_a_line_that_a_fault_took_has_to_be_told():
    assert PASS == hard(b"", b"", faults=[FULL], more=WARNED).verdict("DR-MEM-04")
    assert FAIL == hard(b"", b"", faults=[FULL]).verdict("DR-MEM-04")
    assert FAIL == hard(b"", b"", faults=[FULL], more={"log": [{"level": "info", "code": "x"}]}).verdict("DR-MEM-04")
    assert FAIL == hard(b"", b"", faults=[FULL], more={"log": None}).verdict("DR-MEM-04")
    assert PASS == hard(b"", lambda new: new, faults=[FULL]).verdict("DR-MEM-04")


def test_who_does_not_answer_under_a_fault_of_the_memory_breaks_mem_04():
    struck = Injection(fault("syscall.errno", SESSION, errno="EIO"), True, "EIO")
    assert FAIL == Story().failure(answer=None, faults=[struck]).verdict("DR-MEM-04")
    elsewhere = Injection(fault("syscall.errno", "{tmp}/x", errno="EIO"), True, "EIO")
    assert FAIL != Story().failure(answer=None, faults=[elsewhere]).success().verdict("DR-MEM-04")


def test_several_at_once_lose_nothing():
    for lines, verdict in ((2, PASS), (1, FAIL)):
        story = Story().failure("c1")
        first, args = story.entries[-1], story.entries[-2].value
        story.begin("observe", {**args, "call": "a"}, 1)
        story.begin("observe", {**args, "call": "b"}, 2)
        for process in (1, 2):
            made = a_diagnosis(process + 1)
            record = a_session_record(made) | {"diagnosis": made}
            kept, events = [record] * (process <= lines), [an_event(made, 1.0, number=process)]
            story.end("observe", {**first.value, "diagnosis": made}, process, session=kept, events=events)
        assert verdict == story.success().verdict("DR-MEM-04")


def test_a_killed_operation_leaves_what_stood_there():
    killed = fault("process.killed")
    torn = Story().failure("c1").failure("c2", answer=None, session=[b'{"fail'], events=(), faults=[killed]).success()
    assert PASS == torn.verdict("DR-MEM-04")
    lost = Story().failure("c1", session=[{"user": 1}]).failure("c2", answer=None, session=(), faults=[killed])
    lost.files["session_memory"] = b""
    assert FAIL == lost.success().verdict("DR-MEM-04")


def test_power_that_is_lost_takes_what_it_takes():
    power = Injection(fault("syscall.power"), True, "power lost")
    story = Story().failure("c1").failure("c2", answer=None, session=(), faults=[power])
    story.files["session_memory"] = b""
    assert None is story.success().finding("DR-MEM-04")


def test_files_of_which_nothing_is_known_are_not_judged():
    story = Story()
    story.files["session_memory"] = InputFact("file", 300_000)
    story.failure(session=(), answer=None).success()
    assert FAIL != story.verdict("DR-MEM-01")
    story = Story()
    story.files["session_memory"] = None
    assert None is story.failure(session=()).success().finding("DR-MEM-01")


def test_a_file_that_comes_and_goes_by_itself_says_nothing():
    struck = [fault("filesystem.vanishing", SESSION)]
    story = Story()
    story.files["session_memory"] = b"{}\n"
    story.failure(session=(), faults=struck)
    story.files["session_memory"] = b""
    assert [] == [name for name in story.success(faults=struck).failed() if name.startswith("DR-MEM")]


def test_a_success_that_could_not_be_kept_may_come_with_a_later_failure():
    story = Story().failure("c1").failure("c2", error=a_failure("x")).success("s", faults=[FULL])
    story.outcome("c1", episodic=(), faults=[FULL]).success("t", faults=[FULL]).success("u")
    late = [an_episode(strategy=CURL), an_episode()]
    assert FAIL != story.outcome("c2", False, episodic=late).success("v").verdict("DR-MEM-02")


def test_a_process_beside_others_may_have_forgotten_its_call():
    story = Story().failure(process=1).outcome(answer={"strategy": None}, process=1).prompt(text="", process=1)
    assert [] == [each for each in story.success(process=1).failed() if each != "DR-MEM-01"]
    known = Story().failure(process=1).outcome(success=False, process=1, session=()).success(process=1)
    assert FAIL == known.verdict("DR-MEM-03")


def test_half_of_a_surrogate_pair_that_is_escaped_is_json():
    made = a_diagnosis(whyChain__why1="why \ud800 \udfff it failed")
    story = Story().failure(diagnosis=made).success()
    assert b"\\ud800" in story.files["session_memory"]
    assert PASS == story.verdict("DR-MEM-01")
    assert PASS == story.verdict("DR-CFG-07")
    torn = Story().failure(session=[b'{"failure_diagnosis": {"why_chain": ["\\ud800"]\n']).success()
    assert FAIL == torn.verdict("DR-MEM-01")


@pytest.mark.parametrize(
    "line", [b'{"a": NaN, "b": "\\ud800"}', b'{"a": "\\ud800"', b'{"a": "\xff \\ud800"}', b'{"a": NaN}']
)
def test_what_is_no_json_is_none(line):
    assert None is parsed(line)


def test_a_whole_diagnosis_may_be_kept_as_text():
    made = a_diagnosis(whyChain__why1="why \ud800")
    kept = a_session_record(made) | {"full": json.dumps(made)}
    assert PASS == Story().failure(diagnosis=made, session=[kept]).success().verdict("DR-CFG-07")
    other = a_session_record(made) | {"full": "{no json"}
    flags = {"AUTONOMOUS_STORE_FULL_DIAGNOSTICS": "1"}
    assert FAIL == Story(flags=flags).failure(diagnosis=made, session=[other]).success().verdict("DR-CFG-07")


def test_which_of_two_outcomes_at_once_failed_nobody_can_tell_in_a_file():
    story = Story().failure("c1").failure("c2", process=1, error=a_failure("x"))
    for process, name in enumerate(("c1", "c2")):
        story.begin("outcome", {"call": name, "success": False, "iterations": 1}, process)
    for process in (0, 1):
        story.end("outcome", {"strategy": CURL}, process, episodic=[an_episode(strategy=CURL)])
    assert PASS == story.success("end").verdict("DR-MEM-02")
