"""Runs that go on: after a fix, after an interruption, after somebody edited the state. Level L1."""

from collections.abc import Iterator, Mapping

from harness.core.scenario import Scenario
from harness.systems.phase_runner.contract.words import CONFIG_PATH, FailureType, Status, phase_path
from harness.systems.phase_runner.workload.phase_steps import Story, calm, scenario
from harness.systems.phase_runner.workload.plans import CHAIN, EXAMPLE, ONE, PAIR, Phase, Plan, chain
from harness.systems.phase_runner.workload.state_files import as_json, left_behind, record

LOOKED = ("STA-04", "STA-05")
RESUMED = (*LOOKED, "RES-02")
CUT_OFF = (*RESUMED, "RES-04")
_PENDING, _RUNNING, _COMPLETE, _FAILED, _BLOCKED = Status


def resume_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _after_a_fix()
    yield from _interrupted()
    yield from _cut_off_anywhere()
    yield from _left_behind()
    yield from _by_hand()
    yield from _removed()
    yield from _changed_plans()
    yield from _nothing_to_resume()


def _after_a_fix() -> Iterator[Scenario]:
    clauses = (*RESUMED, "RES-01", "RES-03", "HLT-04")
    story = calm().start(CHAIN).complete("0").fail_twice("1").look(CHAIN).later(86_400).resume(CHAIN).look(CHAIN)
    yield scenario("resume-after-fix", "The story of the document: the tests are fixed, and the run is resumed.",
                   clauses, story.complete("1").look(CHAIN).complete("2").look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).complete("0").fail_twice("1").resume(CHAIN).fail("1").look(CHAIN)
    yield scenario("resume-then-retry", "After a resume a phase has its two attempts again.",
                   (*clauses, "CLS-01", "RTY-01", "RTY-02", "STA-01", "STA-02"),
                   story.complete("1", attempt=2).look(CHAIN).complete("2").look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).complete("0").fail_twice("1").resume(CHAIN).fail_twice("1").look(CHAIN)
    yield scenario("resume-then-halt", "After a resume both attempts fail again; then it is resumed once more.",
                   (*clauses, "RTY-01", "RTY-03", "STA-03"),
                   story.resume(CHAIN).look(CHAIN).complete("1").complete("2").look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).fail_twice("0").restart().resume(CHAIN, 1).look(CHAIN).resume(CHAIN)
    yield scenario("resume-elsewhere", "Another process resumes, then this one.", (*LOOKED, "RES-01"),
                   story.complete_either("0").complete("1").complete("2").look(CHAIN))  # fmt: skip
    story = calm().start(EXAMPLE).complete("0").complete("1").complete("2c").fail("2a").fail("2b")
    story.fail("2a", attempt=2).complete("2b", attempt=2).look(EXAMPLE).restart().resume(EXAMPLE).look(EXAMPLE)
    yield scenario("resume-batch", "Of a batch only the one that failed runs again.", (*LOOKED, "RES-01"),
                   story.complete_either("2a", "2b").complete("3").look(EXAMPLE))  # fmt: skip
    story = calm().start(PAIR).complete("1a").fail("1b").fail("1b", attempt=2).look(PAIR).resume(PAIR).look(PAIR)
    yield scenario("resume-keeps-results", "What is complete has its results before and after a resume.",
                   (*RESUMED, "HLT-04", "PAR-02", "RES-01"), story.complete("1b").complete("2").look(PAIR))  # fmt: skip
    story = calm().start(chain(5)).complete("0")
    for phase_id in ("1", "2", "3", "4"):
        story.fail_twice(phase_id).resume(chain(5)).complete(phase_id)
    yield scenario("resume-each-phase", "Every phase fails twice, is fixed, and the run is resumed.",
                   (*clauses, "RTY-03", "CLS-01"), story.look(chain(5)).resume(chain(5)).look(chain(5)))  # fmt: skip


def _cut(word: str, title: str, plan: Plan, story: Story, *clauses: str) -> Iterator[Scenario]:
    """What follows is the same when the process ended and when somebody starts while it runs."""
    steps = story.steps
    for how, words in (("killed", "The process ended."), ("started-again", "It is started again.")):
        after = Story().take(*steps)
        if how == "killed":
            after.restart()
        after.resume(plan).look(plan).finish(plan).look(plan).resume(plan)
        # that a retry was begun shows before the process ends
        shown = (clause for clause in clauses if how != "killed" or clause != "RTY-02")
        yield scenario(f"cut-{word}-{how}", f"{title} {words}", (*LOOKED, "RES-04", *shown), after.look(plan))


def _interrupted() -> Iterator[Scenario]:
    yield from _cut("first", "The first phase was running.", CHAIN, calm().start(CHAIN))
    yield from _cut("second", "The second phase was running.", CHAIN, calm().start(CHAIN).complete("0"), "RES-02")
    yield from _cut("retry", "A retry was running.", CHAIN, calm().start(CHAIN).fail("0"), "RTY-02")
    yield from _cut("claim", "A claim was being verified.", CHAIN, calm().start(CHAIN).claim("0"))
    yield from _cut("claim-of-retry", "What a retry claims was being verified.", CHAIN,
                    calm().start(CHAIN).fail("0").claim("0", attempt=2))  # fmt: skip
    yield from _cut("both", "Both of a batch were running.", PAIR, calm().start(PAIR))
    yield from _cut("one-of-two", "One of a batch was running, the other was complete.", PAIR,
                    calm().start(PAIR).complete("1a"), "RES-02")  # fmt: skip
    yield from _cut("failed-and-running", "One of a batch was running, the other had failed once.", PAIR,
                    calm().start(PAIR).fail("1a"))  # fmt: skip
    yield from _cut("retried-and-complete", "One of a batch was retried, the other was complete.", PAIR,
                    calm().start(PAIR).fail("1a").complete("1b"), "RES-02", "PAR-02")  # fmt: skip
    yield from _cut("two-retries", "Two of a batch were retried.", PAIR, calm().start(PAIR).fail("1a").fail("1b"))
    lacks = calm().start(PAIR).fail("1a", FailureType.DEPENDENCY_MISSING)
    yield from _cut("halting", "A halt was waiting for one that was running.", PAIR, lacks)
    story = calm().start(CHAIN).complete("0").restart().complete("1").look(CHAIN).resume(CHAIN).look(CHAIN)
    yield scenario("cut-report-first", "The process ended; a report comes before the run is resumed.", RESUMED,
                   story.finish(CHAIN).look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN)
    for phase_id in CHAIN.ids:
        story.restart().resume(CHAIN).complete_either(phase_id)
    yield scenario("cut-each-phase", "The process ends while each phase is running, once.", CUT_OFF,
                   story.look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN)
    for _ in range(4):
        story.restart().resume(CHAIN).look(CHAIN)
    yield scenario("cut-again-and-again", "The process ends four times while the first phase is running.",
                   (*LOOKED, "RES-04"), story.finish(CHAIN).look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).complete("0", process=1).complete("1", process=2).look(CHAIN).resume(CHAIN, 1)
    yield scenario("other-processes", "Every report comes from a process of its own.", LOOKED,
                   story.finish(CHAIN).resume(CHAIN).look(CHAIN))  # fmt: skip


def _cut_off_anywhere() -> Iterator[Scenario]:
    """A whole run with a retry in it, which ends after each of its operations, one after the other."""
    told = Story().start(EXAMPLE).complete("0").complete("1").claim("2b").fail("2a").verify("2b").complete("2c")
    steps = told.complete("2a", attempt=2).complete("3").steps
    for number in range(1, len(steps)):
        story = calm().take(*steps[:number]).restart().start(EXAMPLE).look(EXAMPLE).finish(EXAMPLE)
        clauses = (*LOOKED, "RES-04") if number < 3 else CUT_OFF
        yield scenario(f"cut-after-{number}", f"A run of six phases is cut off after {number} operations.", clauses,
                       story.look(EXAMPLE))  # fmt: skip


_STANDING: tuple[tuple[str, Mapping[str, Status], tuple[str, ...], tuple[str, ...]], ...] = (
    ("pending", {"0": _COMPLETE, "1": _PENDING, "2": _PENDING}, ("0",), RESUMED),
    ("running", {"0": _COMPLETE, "1": _RUNNING, "2": _PENDING}, ("0",), CUT_OFF),
    ("complete", {"0": _COMPLETE, "1": _COMPLETE, "2": _PENDING}, ("0", "1"), RESUMED),
    ("failed", {"0": _COMPLETE, "1": _FAILED, "2": _BLOCKED}, ("0",), (*RESUMED, "RES-03")),
    ("failed-not-blocked", {"0": _COMPLETE, "1": _FAILED, "2": _PENDING}, ("0",), RESUMED),
    ("blocked-by-complete", {"0": _COMPLETE, "1": _COMPLETE, "2": _BLOCKED}, ("0", "1"), RESUMED),
    ("all-complete", {"0": _COMPLETE, "1": _COMPLETE, "2": _COMPLETE}, ("0", "1", "2"), RESUMED),
    ("all-pending", {"0": _PENDING, "1": _PENDING, "2": _PENDING}, (), LOOKED),
    ("first-running", {"0": _RUNNING, "1": _PENDING, "2": _PENDING}, (), (*LOOKED, "RES-04")),
)


def _left_behind() -> Iterator[Scenario]:
    for word, statuses, done, clauses in _STANDING:
        story = calm().look(CHAIN).resume(CHAIN).look(CHAIN).run(CHAIN, done=done).finish(CHAIN).look(CHAIN)
        yield scenario(f"left-{word}", f"An earlier run left its phases so: {', '.join(statuses.values())}.", clauses,
                       story.start(CHAIN).look(CHAIN), files=left_behind(CHAIN, statuses))  # fmt: skip
    statuses = {"0": _COMPLETE, "1": _COMPLETE, "2a": _FAILED, "2b": _COMPLETE, "2c": _COMPLETE, "3": _BLOCKED}
    story = calm().start(EXAMPLE).look(EXAMPLE).complete("2a").look(EXAMPLE).complete("3").look(EXAMPLE)
    yield scenario("left-document", "An earlier run left the phases of the document, one failed and one blocked.",
                   (*RESUMED, "RES-03"), story, files=left_behind(EXAMPLE, statuses))  # fmt: skip
    flat = record(CHAIN, "1", _FAILED, error={
        "type": "test_failure", "message": "still failing", "details": "", "attempt_1_error": "failing",
        "attempt_2_error": "still failing",
    })  # fmt: skip
    statuses = {"0": _COMPLETE, "2": _BLOCKED}
    story = calm().resume(CHAIN).look(CHAIN).fail("1").look(CHAIN).complete("1", attempt=2).complete("2").look(CHAIN)
    yield scenario("left-flat-error", "A record that an earlier run left has its error in another shape.", RESUMED,
                   story, files=left_behind(CHAIN, statuses, _1=flat))  # fmt: skip
    small = {"phase_id": "1", "phase_name": "Setup", "status": "pending", "attempt": 0, "max_attempts": 2}
    yield scenario("left-least", "A record has only what it has to have.", RESUMED,
                   calm().resume(CHAIN).look(CHAIN).run(CHAIN, done=("0",)).look(CHAIN),
                   files=left_behind(CHAIN, {"0": _COMPLETE, "2": _PENDING}, _1=small))  # fmt: skip
    more = record(CHAIN, "0", _COMPLETE, owner={"team": ["a", None]}, plan_updates=["split phase 2"])
    yield scenario("left-more", "A record has fields of its own.", RESUMED,
                   calm().resume(CHAIN).look(CHAIN).run(CHAIN, done=("0",)).look(CHAIN),
                   files=left_behind(CHAIN, {"1": _PENDING, "2": _PENDING}, _0=more))  # fmt: skip


def _by_hand() -> Iterator[Scenario]:
    clauses = (*RESUMED, "PRT-01")
    done = {"0": _COMPLETE, "1": _COMPLETE, "2a": _COMPLETE, "2b": _COMPLETE}
    files = left_behind(EXAMPLE, done, _2c=record(EXAMPLE, "2c", _COMPLETE, status="pending"))
    yield scenario("by-hand-document", "The document's partial recovery: 2C is set to pending, the file of 3 deleted.",
                   clauses,
                   calm().resume(EXAMPLE).look(EXAMPLE).complete("2c").look(EXAMPLE).complete("3").look(EXAMPLE),
                   files=files)  # fmt: skip
    files = left_behind(EXAMPLE, done, _2c=record(EXAMPLE, "2c", _PENDING), _3=record(EXAMPLE, "3", _PENDING))
    yield scenario("by-hand-both-pending", "2C and 3 are set to pending.", clauses,
                   calm().start(EXAMPLE).look(EXAMPLE).complete("2c").complete("3").look(EXAMPLE),
                   files=files)  # fmt: skip
    for word, what, edited in (
        ("kept-attempt", "a failed phase, whose attempts stay", record(CHAIN, "1", _FAILED, status="pending")),
        ("kept-rest", "a complete phase, of which all else stays", record(CHAIN, "1", _COMPLETE, status="pending")),
        ("running", "a phase that was running", record(CHAIN, "1", _RUNNING, status="pending")),
    ):
        story = calm().resume(CHAIN).look(CHAIN).complete_either("1").look(CHAIN).complete("2").look(CHAIN)
        yield scenario(f"by-hand-{word}", f"Somebody sets {what}, to pending.", clauses, story,
                       files=left_behind(CHAIN, {"0": _COMPLETE, "2": _PENDING}, _1=edited))  # fmt: skip
    files = left_behind(CHAIN, {"0": _COMPLETE, "2": _COMPLETE}, _1=record(CHAIN, "1", _COMPLETE, status="pending"))
    story = calm().resume(CHAIN).look(CHAIN).complete("1").look(CHAIN).complete("2").look(CHAIN)
    yield scenario("by-hand-dependant-complete", "A phase is set to pending while one that waits for it is complete.",
                   (*LOOKED, "PRT-01"), story, files=files)  # fmt: skip


def _removed() -> Iterator[Scenario]:
    """The record of a phase is deleted while the run stands still."""
    clauses = (*RESUMED, "PRT-01")
    for word, what, story, phase_id in (
        ("complete", "complete", calm().start(CHAIN).complete("0").complete("1").fail_twice("2"), "1"),
        ("failed", "failed", calm().start(CHAIN).complete("0").fail_twice("1"), "1"),
        ("blocked", "blocked", calm().start(CHAIN).complete("0").fail_twice("1"), "2"),
    ):
        story.look(CHAIN).fault("filesystem.missing", phase_path(phase_id)).resume(CHAIN).look(CHAIN).finish(CHAIN)
        yield scenario(f"removed-{word}", f"The record of a phase that was {what} is deleted.", clauses,
                       story.look(CHAIN))  # fmt: skip
    story = calm().start(PAIR).complete("1a", "1b").complete("2").look(PAIR)
    story.fault("filesystem.missing", phase_path("1b")).fault("filesystem.missing", phase_path("2"))
    yield scenario("removed-of-a-batch", "One of a batch, and what waits for it, lose their records.", clauses,
                   story.restart().resume(PAIR).look(PAIR).complete("1b").complete("2").look(PAIR))  # fmt: skip
    story = calm().start(CHAIN).run(CHAIN).look(CHAIN)
    for phase_id in CHAIN.ids:
        story.fault("filesystem.missing", phase_path(phase_id))
    yield scenario("removed-all", "All records are deleted.", (*LOOKED, "PRT-01"),
                   story.resume(CHAIN).look(CHAIN).run(CHAIN).look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).run(CHAIN).look(CHAIN).fault("filesystem.missing", phase_path("0")).resume(CHAIN)
    yield scenario("removed-first", "The first phase loses its record, while those that wait for it are complete.",
                   (*LOOKED, "PRT-01"), story.look(CHAIN).complete("0").finish(CHAIN).look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).complete("0").fail_twice("1").fault("filesystem.missing", CONFIG_PATH).resume(CHAIN)
    yield scenario("removed-config", "config.json is deleted.", LOOKED,
                   story.look(CHAIN).finish(CHAIN).look(CHAIN))  # fmt: skip


def _changed_plans() -> Iterator[Scenario]:
    """The plan is another one when the run is resumed: nobody says what comes of that, a fresh start does."""
    for word, what, plan in (
        ("more", "has one phase more", chain(4)), ("fewer", "has one phase fewer", chain(2)),
        ("other", "has other phases", PAIR), ("one", "has the first phase alone", ONE),
        ("otherwise", "has its phases wait otherwise",
         Plan(Phase("0", "A"), Phase("1", "B"), Phase("2", "C", ("0", "1")))),
        ("renamed", "has other names", Plan(Phase("0", "X"), Phase("1", "Y", ("0",)), Phase("2", "Z", ("1",)))),
        ("reordered", "has its rows in another order", Plan(*CHAIN.phases[::-1])),
    ):  # fmt: skip
        story = calm().start(CHAIN).complete("0").fail_twice("1").look(CHAIN).resume(plan).look(CHAIN).finish(plan, 2)
        story.look(plan).fresh(plan).look(plan).finish(plan)
        yield scenario(f"changed-{word}", f"Before a resume the plan {what}.", (*LOOKED, "FRS-01", "HLT-04"),
                       story.look(plan))  # fmt: skip
    story = calm().start(CHAIN, commit_mode="auto").complete("0").fail_twice("1").resume(CHAIN, commit_mode="single")
    yield scenario("changed-commit-mode", "A resume has another commit mode.", (*RESUMED, "RES-01"),
                   story.look(CHAIN).complete("1").complete("2").look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).complete("0").fail_twice("1").resume(CHAIN, plan_path="docs/other.md").fail_twice("1")
    yield scenario("changed-path", "A resume has another path for the same plan.", (*RESUMED, "HLT-05", "RES-01"),
                   story.look(CHAIN))  # fmt: skip


def _nothing_to_resume() -> Iterator[Scenario]:
    story = calm().resume(CHAIN).look(CHAIN).finish(CHAIN, 1).fresh(CHAIN).run(CHAIN)
    yield scenario("resume-nothing", "A run is to be resumed, and there is none.", (*LOOKED, "FRS-01"),
                   story.look(CHAIN))  # fmt: skip
    story = calm().look().look(CHAIN).complete("0").start(CHAIN).complete("0").look(CHAIN)
    yield scenario("asked-before-start", "Somebody asks and reports before there is a run.", LOOKED, story)
    story = calm().look(CHAIN).resume(CHAIN).finish(CHAIN, 1).fresh(CHAIN).run(CHAIN)
    yield scenario("resume-empty-directory", "There is a config.json that is an empty object, and nothing else.",
                   (*LOOKED, "FRS-01"), story.look(CHAIN), files={CONFIG_PATH: as_json({})})  # fmt: skip
