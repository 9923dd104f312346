"""When the user is asked, and what becomes of text of a failure in a line that is proposed."""

from handmade_diagnosis import ASKING, FAIL, GONE, PASS, SECOND, Story, a_diagnosis, a_plan
from handmade_proposals import NO_GIT, planned

from harness.core.history import EntryType
from harness.systems.diagnosis.oracle.proposals import commands, proposed, words
from harness.systems.diagnosis.oracle.view import View


def walked(*outcomes, story=None, **more):
    """The first recoveries of one failure, each with what its answer had besides."""
    story = Story(**more) if story is None else story
    story.failure("c1")
    for success, answer in outcomes:
        story.outcome("c1", success, more=answer)
    return story


GO_ON = {"next_plan": SECOND}
ASK = {"next_plan": ASKING, "asks_user": True}


def test_after_two_recoveries_that_failed_the_user_is_asked():
    assert PASS is walked((False, GO_ON), (False, ASK)).verdict("DR-REC-07")
    assert PASS is walked((False, GO_ON), (False, {"asks_user": True})).verdict("DR-REC-07")
    assert FAIL is walked((False, GO_ON), (False, GO_ON)).verdict("DR-REC-07")
    assert FAIL is walked((False, GO_ON), (False, {**GO_ON, "asks_user": True})).verdict("DR-REC-07")
    assert FAIL is walked((False, GO_ON), (False, ASK), (False, GO_ON)).verdict("DR-REC-07")
    story = walked((False, GO_ON))
    assert FAIL is story.outcome("c1", False, answer=None, ended=EntryType.INFO).verdict("DR-REC-07")


def test_before_it_another_recovery_is_proposed():
    assert PASS is walked((False, GO_ON)).verdict("DR-REC-07")
    assert FAIL is walked((False, ASK)).verdict("DR-REC-07")
    assert FAIL is walked((False, {})).verdict("DR-REC-07")
    assert FAIL is walked((False, {"next_plan": a_plan("unheard_of")})).verdict("DR-REC-07")
    assert FAIL is walked((False, {"next_plan": ASKING})).verdict("DR-REC-07")
    story = Story().failure("c1").outcome("c1", False, answer=None, ended=EntryType.INFO)
    assert FAIL is story.verdict("DR-REC-07")


def test_nothing_is_said_where_nothing_is_left_or_something_worked():
    only = Story().failure("c1", diagnosis=a_diagnosis(alternatives__1=GONE))
    assert only.outcome("c1", False).verdict("DR-REC-07") is None
    assert walked((True, {})).verdict("DR-REC-07") is None
    assert PASS is walked((False, GO_ON), (True, {}), (False, GO_ON)).verdict("DR-REC-07")
    none = Story().failure("c1", answer={"reflection": "none"}, diagnosis=None).outcome("c1", False)
    assert none.verdict("DR-REC-07") is None
    assert walked((False, ASK), flags={"AUTONOMOUS_MAX_RECOVERY_ATTEMPTS": "1"}).verdict("DR-REC-07") is None


def all_tried(answer=ASK, flags=None, made=None):
    """One strategy with tools was proposed, and it failed."""
    made = a_diagnosis(alternatives__1=GONE) if made is None else made
    return Story(flags=flags).failure("c1", diagnosis=made).outcome("c1", False, more=answer)


def test_the_user_is_asked_where_nothing_else_is_left():
    four = {"AUTONOMOUS_MAX_RECOVERY_ATTEMPTS": "4"}
    for clause, flags in (("DR-REC-07", None), ("DR-CFG-05", four), ("DR-TRG-04", None)):
        assert PASS is all_tried(flags=flags).verdict(clause)
        hopeless = a_diagnosis(alternatives__0__tools=[], alternatives__1__tools=[])
        assert all_tried(flags=flags, made=hopeless).verdict(clause) is None
        assert all_tried({}, flags=flags).verdict(clause) is None
    for clause, flags in (("DR-REC-07", None), ("DR-CFG-05", four)):
        assert FAIL is all_tried(flags=flags, made=a_diagnosis()).verdict(clause)
    assert all_tried(made=a_diagnosis()).verdict("DR-TRG-04") is None
    again = a_plan("curl_download_and_extract")
    assert FAIL is all_tried({"next_plan": again}).verdict("DR-TRG-04")


def test_failures_may_be_counted_by_tool_or_by_cascade():
    def second(tool="shell", reset=False):
        story = walked((False, GO_ON))
        if reset:
            story.reset()
        story.failure("c2", tool=tool, error={"message": "x"}).outcome("c2", False, more=ASK)
        return story

    assert PASS is second().verdict("DR-REC-07")
    assert PASS is second("run_bash").verdict("DR-REC-07")
    assert FAIL is second(reset=True).verdict("DR-REC-07")


# quoting


def proposing_line(line, error=None, args=None, tool="run_bash"):
    return Story().failure(
        args={"command": "git clone 'https://x.y/$(id)'"} if args is None else args,
        error=NO_GIT if error is None else error,
        diagnosis=a_diagnosis(recoveryPlan=planned("curl_download_and_extract", (tool, {"command": line}))),
    )


def test_text_of_a_failure_is_quoted():
    assert PASS is proposing_line("curl -L 'https://x.y/$(id)'").verdict("DR-REC-08")
    assert FAIL is proposing_line('curl -L "https://x.y/$(id)"').verdict("DR-REC-08")
    assert proposing_line("cat <<E\nE").verdict("DR-REC-08") is None
    assert proposing_line("curl x", tool="search").verdict("DR-REC-08") is None
    assert proposing_line("curl x", {"message": "failed"}, {"command": "ls"}).verdict("DR-REC-08") is None
    assert PASS is proposing_line("curl x", {"message": "failed"}, {"command": "ls x"}).verdict("DR-REC-08")


def test_a_root_of_the_world_is_no_pattern():
    story = proposing_line("cat {home}/a.txt", {"message": "EACCES {home}/a.txt"}, {"path": "{home}/a.txt"})
    assert PASS is not story.verdict("DR-REC-08")
    assert story.verdict("DR-REC-08") is None
    quoted = proposing_line("cat {home}/a", {"message": "EACCES; '{home}/a'"}, {"path": "{home}/a"})
    assert PASS is quoted.verdict("DR-REC-08")


def test_the_failed_line_may_be_checked_or_run_again_as_it_is():
    failed_line = {"command": "echo ) $(id)"}
    for line in ("sh -n -c 'echo ) $(id)'", "timeout 60 bash -c 'echo ) $(id)'", "sh -nc 'echo )'"):
        assert PASS is proposing_line(line, {"message": "syntax error; )"}, failed_line).verdict("DR-REC-08")
    assert FAIL is proposing_line("sh -c 'echo x $(id)'", {"message": "$(id)"}, failed_line).verdict("DR-REC-08")


def test_who_has_no_diagnosis_proposed_nothing():
    story = Story().failure("c1", diagnosis=None)
    view = View(story.scenario, story.history)
    assert [] == list(proposed(view, view.failed[0]))


def test_a_line_that_is_not_known_has_words_and_no_commands():
    assert () == commands("cat <<E")
    assert {"cat", "<<E"} == words("cat <<E")
    assert () == commands("echo 'a")
