"""A sound history passes every clause it shows, in the readings it takes; constant answers pass none."""

from handmade_diagnosis import ASKING, CATALOGUE, FAIL, PASS, SECOND, Story, a_context, a_failure, a_prompt, a_report

from harness.systems.diagnosis.oracle import permitted
from harness.systems.diagnosis.oracle.rules import RULES


def sound():
    """A failure and its recovery in all their steps, and another failure, and a success."""
    prompts = [{"prompt": told(), "temperature": 0.2, "max_tokens": 1024}]
    story = Story().failure("c1", model=prompts).prompt("c1").report("c1")
    story.outcome("c1", False, more={"next_plan": SECOND})
    attempts = [{"strategy": "curl_download_and_extract", "outcome": "failure", "iterations_to_success": None}]
    story.outcome("c1", True, "manual_http_download", attempts=attempts)
    lines = ("curl_download_and_extract: failed", "manual_http_download: worked")
    story.report("c1", a_report(story.made["c1"], *lines))
    story.failure("c2", error=a_failure("Permission denied"), context=a_context(3)).prompt("c2")
    return story.success("s1").success("s2")


def told():
    """What a model is told of the failure and its context."""
    return """shell git clone x: Command failed, code 127, stderr bash: git: command not found
        tools run_bash write_file shell; files notes.md; directories src; goal Clone the repository"""


def test_a_sound_history_passes_whatever_it_shows():
    findings = sound().findings()
    mine = [each for each in findings.values() if not each.clause.startswith(("DR-CLS", "DR-REC", "DR-LRN"))]
    assert [] == [each for each in mine if each.verdict is not PASS]
    assert {"DR-TRG-01", "DR-IN-01", "DR-OUT-08", "DR-PRM-01", "DR-UI-01", "DR-LOG-02", "DR-MEM-03", "DR-CFG-07"} <= {
        *findings
    }


def test_every_clause_of_the_frame_has_a_rule():
    shown = {clause for clause in RULES.clauses if clause.startswith(("DR-TRG", "DR-IN", "DR-OUT", "DR-LOG", "DR-MEM"))}
    assert 24 == len(shown)


def test_who_diagnoses_a_success_passes_no_clause():
    story = Story().failure("c1")
    story.success("s", answer={"reflection": "full", "diagnosis": story.made["c1"]})
    assert {PASS} != {each.verdict for each in story.findings().values()}
    assert PASS not in {each.verdict for each in story.findings().values()}


def test_who_gives_the_last_diagnosis_again_passes_no_clause():
    story = Story().failure("c1")
    story.failure("c2", error=a_failure("another"), diagnosis=story.made["c1"])
    assert {FAIL} == {each.verdict for each in story.findings().values()}
    assert "the control failed" == story.finding("DR-OUT-03").reason


def test_the_same_failure_twice_may_have_the_same_words():
    story = Story().failure("c1").failure("c2").prompt("c2", a_prompt(Story().failure().made["c1"]))
    assert "DR-OUT-03" not in story.failed()


def test_of_the_endings_of_an_operation_those_are_permitted_that_break_no_must():
    story = Story(("DR-TRG-01",)).success()
    alternatives = [{"reflection": "none"}, {"reflection": "full"}]
    assert ({"reflection": "none"},) == permitted(story.scenario, story.history, CATALOGUE, alternatives)


def test_a_user_who_is_asked_is_asked_by_the_last_of_the_chain():
    story = Story().failure("c1").outcome("c1", False, more={"next_plan": SECOND})
    attempts = [{"strategy": "curl_download_and_extract", "outcome": "failure", "iterations_to_success": None}]
    story.outcome("c1", False, "manual_http_download", attempts=attempts, more={"next_plan": ASKING, "asks_user": True})
    story.success()
    assert set() == story.failed() - {"DR-REC-07"}
    assert PASS == story.verdict("DR-CFG-05")
