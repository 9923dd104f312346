"""How what is done for a plan is reviewed, in one session and over several. Issue 8, Build 6."""

import pytest
from driven import (
    BAD,
    CHAIN,
    FINE,
    LOW,
    PAIR,
    RED,
    Script,
    decide,
    drive,
    driven,
    phases,
    places,
    plan,
    sound,
)
from fakes import DONE, HUNG, Silent
from queued import Project

from harness.core.plan_events import (
    CodeReviewBegun,
    CodeReviewed,
    PhaseVerified,
)

ONE = (("1", "-", "-"),)
REVIEWERS = ["reviewer-1", "reviewer-2", "reviewer-3"]


def test_what_verification_finds_is_not_reviewed():
    project, outcome = driven(Script(gates={"1": [RED, FINE]}), plan(ONE))
    assert outcome == "completed"
    assert [event.passed for event in project.told(PhaseVerified)] == [False, True]
    assert [event.operation for event in project.told(CodeReviewed)].count("open") == 1
    assert sound(project)


def test_static_analysis_and_three_reviewers_see_what_was_done():
    crew = Script(issues={"": [LOW], "reviewer-2": [LOW]})
    project, outcome = driven(crew, plan(ONE))
    assert outcome == "completed"
    names = [f"plan-1/1/reviewer-{number}-1.1" for number in (1, 2, 3)]
    assert crew.called == [("plan-1/1", "opus"), *((name, "sonnet") for name in names)]
    assert sound(project)


def test_what_a_review_found_is_fixed_and_everything_reviewed_again():
    project, outcome = driven(Script(issues={"reviewer-1": [BAD, ()]}), plan(ONE))
    assert outcome == "completed"
    assert phases(project) == [("1", 1)]
    operations = [event.operation for event in project.told(CodeReviewed)]
    assert operations == ["open", "analysed", *["report"] * 3, "fixed", "analysed", *["report"] * 3]
    assert sound(project)


@pytest.mark.parametrize("reviewer", ["", "reviewer-3"])
def test_a_review_that_blocks_keeps_the_phase_from_being_complete(reviewer):
    project, outcome = driven(Script(issues={reviewer: [BAD]}), plan(CHAIN))
    assert outcome == "halted"
    assert [event.passed for event in project.told(PhaseVerified)] == [False, False]
    assert places(project, "1", "2") == ["in-progress", None]
    assert sound(project)


def test_the_next_run_goes_on_with_a_review_that_was_blocked():
    project = Project(tasks=0)
    drive(project, Script(issues={"reviewer-1": [BAD]}), plan(ONE))
    decide(project)
    assert drive(project, Script(), plan(ONE)) == "completed"
    assert sound(project)


def test_reviewers_who_are_lost_are_called_again_when_their_time_is_over():
    project, crew = Project(tasks=0), Script(issues={"reviewer-2": [None, ()]})
    assert drive(project, crew, plan(ONE)) == "completed"
    assert [name for name, _ in crew.called].count("plan-1/1/reviewer-2-1.1") == 2
    assert sound(project)


def test_a_reviewer_who_never_returns_lets_nothing_pass():
    project, outcome = driven(Script(issues={"reviewer-2": [None]}), plan(ONE))
    assert outcome == "halted"
    assert sound(project)


def test_static_analysis_that_cannot_be_run_blocks():
    project, crew = Project(tasks=0), Script()
    runs = iter([DONE, DONE, HUNG, HUNG, HUNG])
    project.answer = lambda argv: next(runs, DONE)
    assert drive(project, crew, plan(ONE)) == "completed"
    assert [event.operation for event in project.told(CodeReviewed)].count("fixed") == 1
    assert sound(project)


def test_reviewers_who_returned_before_a_session_was_cut_see_what_was_done_since():
    project, crew = Project(tasks=0), Script()
    session, worker = project.begun()
    steps = session.foreman("w", worker, crew).steps(plan(ONE))
    ended = None
    while [event.reviewer for event in project.told(CodeReviewed)][-1:] != ["reviewer-1"]:
        ended = DONE if hasattr(steps.send(ended), "argv") else None
    steps.close()
    project.cut()
    before = len(project.told(CodeReviewed))
    assert drive(project, crew, plan(ONE), cut=True) == "completed"
    since = project.told(CodeReviewed)[before:]
    left, whole = [[each for each in since if each.task == f"plan-1/review/{number}"] for number in (1, 2)]
    assert [each.reviewer for each in left if each.operation == "report" and each.accepted] == REVIEWERS[1:]
    assert [each.reviewer for each in whole if each.operation == "report" and each.accepted] == REVIEWERS
    assert sound(project)


def test_reviewers_who_returned_before_a_retry_see_what_it_did():
    crew = Script(issues={"reviewer-2": [None, None, ()]})
    project, outcome = driven(crew, plan(ONE))
    assert outcome == "completed"
    assert phases(project) == [("1", 1), ("1", 2)]
    assert [name for name, _ in crew.called].count("plan-1/1/reviewer-1-2.1") == 1
    assert sound(project)


def test_a_review_that_blocks_a_phase_is_gone_on_with_by_its_sibling():
    """Nothing is reviewed while a finding is open, and nobody is refused because of another one's."""
    crew = Script(issues={"reviewer-1": [(), BAD, BAD, BAD, BAD, ()]})
    project, outcome = driven(crew, plan(PAIR))
    assert outcome == "completed"
    assert phases(project) == [("1", 1), ("2a", 1), ("2b", 1), ("2a", 2), ("3", 1)]
    assert [(event.phase, event.passed) for event in project.told(PhaseVerified)] == [
        ("1", True),
        ("2a", False),
        ("2b", True),
        ("2a", True),
        ("3", True),
    ]
    assert all(event.begun for event in project.told(CodeReviewBegun))
    assert sound(project)


def test_what_nobody_could_fix_is_not_said_to_be_fixed():
    project, crew = Project(tasks=0), Script(issues={"": [BAD, ()]})
    is_fixing = []
    call = crew.call

    def called(name, model):
        is_fixing[:] = ["/fix-" in name]
        return call(name, model)

    crew.call = called
    project.answer = lambda argv: HUNG if is_fixing == [True] and argv[0] != "sh" else DONE
    assert drive(project, crew, plan(ONE)) == "completed"
    assert phases(project) == [("1", 1), ("1", 2)]
    operations = [event.operation for event in project.told(CodeReviewed)]
    assert operations.count("fixed") == 1, "by the retry"
    assert sound(project)


def test_the_first_review_that_has_not_passed_is_found_among_many():
    project, crew = Project(tasks=0), Script()
    rows = tuple((str(number), str(number - 1) if number else "-", "-") for number in range(12))
    assert [drive(project, crew, plan(rows)) for _ in range(2)] == ["left", "completed"]
    assert [event.task for event in project.told(CodeReviewBegun)] == [
        f"plan-1/review/{number}" for number in range(1, 13)
    ]
    assert len(phases(project)) == 12
    assert sound(project)


def test_what_was_reviewed_and_is_done_once_more_is_reviewed_once_more():
    project = Project(tasks=0)
    sound_systems = project.systems
    project.systems = sound_systems._replace(runner=Silent(sound_systems.runner, "verified"))
    assert drive(project, Script(), plan(ONE)) == "left"
    project.systems = sound_systems
    assert drive(project, Script(), plan(ONE)) == "completed"
    assert [event.task for event in project.told(CodeReviewBegun)] == ["plan-1/review/1", "plan-1/review/2"]
    assert sound(project)
