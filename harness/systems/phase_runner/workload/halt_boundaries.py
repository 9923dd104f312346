"""Halts: what triggers one, what it waits for, what its summary says, and who is blocked. Level L1."""

from collections.abc import Iterator
from typing import Any

from harness.core.scenario import Scenario
from harness.systems.phase_runner.contract.words import CommitMode, FailureType
from harness.systems.phase_runner.workload.phase_steps import Story, calm, scenario
from harness.systems.phase_runner.workload.plans import CHAIN, DIAMONDS, EXAMPLE, FORK, ONE, PAIR, Phase, Plan, chain
from harness.systems.phase_runner.workload.results import MISSING, gates

HALTED = ("HLT-03", "HLT-05", "HLT-06", "STA-04")
FAILED = (*HALTED, "CLS-01", "RTY-01", "RTY-03", "STA-03")
LACKED = (*HALTED, "CLS-02", "NRT-01", "RTY-04")
WAITED = ("HLT-01", "HLT-02")
SIDES = ("1a", "1b")
_MISSING, _MISMATCH = FailureType.DEPENDENCY_MISSING, FailureType.VERIFICATION_MISMATCH


def halt_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield _document()
    yield from _missing()
    yield from _waiting()
    yield from _siblings()
    yield from _blocked()
    yield from _commands()
    yield from _after()


def _document() -> Scenario:
    """The summary that the document shows, and its resume."""
    subjects = {"0": "chore(bootstrap): add quality tools", "1": "feat(db): add user schema"}
    story = calm().start(EXAMPLE, plan_path="docs/feature-plan.md", commit_mode="auto")
    for phase_id, subject in subjects.items():
        story.claim(phase_id, commit_subject=subject).verify(phase_id)
    story.fail("2a").claim("2b", commit_subject="feat(ui): add login form")
    story.claim("2c", commit_subject="test(auth): add edge cases").verify("2b", "2c").look(EXAMPLE)
    story.fail("2a", attempt=2).look(EXAMPLE).later(3600).resume(EXAMPLE, commit_mode="auto").look(EXAMPLE)
    clauses = (*FAILED, "ERR-01", "ERR-06", "HLT-04", "PAR-01", "PAR-02", "RES-01", "RES-02", "RES-03", "RTY-07")
    return scenario("halt-document", "The halt of the document: one of a batch fails twice; then it is resumed.",
                    clauses, story.complete("2a").look(EXAMPLE).complete("3").look(EXAMPLE))  # fmt: skip


def _lacks(word: str, title: str, story: Story, *clauses: str) -> Scenario:
    return scenario(f"missing-{word}", title, (*LACKED, *clauses), story)


def _missing() -> Iterator[Scenario]:
    for word, what, missing in (
        ("document", "of types", MISSING),
        ("plain", "without a scope", {"package": "jest", "required_by": "npm test", "install": "npm install -D jest"}),
        ("unicode", "in another script",
         {"package": "\u6f22-utils", "required_by": "Phase \u05d0", "install": 'pip install "\u6f22-utils>=1"'}),
        ("tool", "that is a tool", {"package": "docker", "required_by": "lint", "install": "apt install docker.io"}),
    ):  # fmt: skip
        story = calm().start(CHAIN).complete("0").fail("1", _MISSING, missing=missing).look(CHAIN)
        story.complete("1", attempt=2).complete("2").look(CHAIN).resume(CHAIN).look(CHAIN).run(CHAIN, done=("0",))
        yield _lacks(word, f"A sub-agent lacks a package {what}; later it is there.", story.look(CHAIN),
                     "HLT-04", "RES-01", "RES-02", "RES-03")  # fmt: skip
    story = calm().start(CHAIN).complete("0").fail("1").look(CHAIN).fail("1", _MISSING, 2).look(CHAIN)
    yield scenario("missing-on-retry", "A retry lacks a package.",
                   (*HALTED, "CLS-01", "HLT-04", "NRT-01", "RES-01", "RTY-02"),
                   story.complete("2").resume(CHAIN).look(CHAIN))  # fmt: skip
    story = calm().start(ONE).fail("0", _MISSING).look(ONE).resume(ONE).fail("0", _MISSING).look(ONE).resume(ONE)
    yield _lacks("again", "A package is missing, and after a resume still.", story.complete("0").look(ONE), "RES-01")
    story = calm().start(ONE).fail("0", _MISSING, gates=gates()).look(ONE)
    yield _lacks("beside-gates", "A package is missing although every gate passed.", story.complete("0", attempt=2))


def _waiting() -> Iterator[Scenario]:
    lacks = calm().start(PAIR).fail("1a", _MISSING).look(PAIR)
    yield scenario("waits-for-success", "A halt is triggered while a sibling is running, which succeeds.",
                   (*WAITED, "CLS-02", "NRT-01", "PAR-05", "RTY-04"),
                   lacks.complete("1b").look(PAIR).resume(PAIR).complete_either(*SIDES).complete("2").look(PAIR)
                   )  # fmt: skip
    for word, what, kind in (
        ("failure", "fails", FailureType.TEST_FAILURE), ("no-answer", "gives no answer", FailureType.TIMEOUT),
        ("nonsense", "says what is no result", FailureType.PARSE_ERROR), ("same", "lacks it too", _MISSING),
    ):  # fmt: skip
        story = calm().start(PAIR).fail("1a", _MISSING).look(PAIR).fail("1b", kind).look(PAIR)
        story.complete("1b", attempt=2).look(PAIR).resume(PAIR).complete_either(*SIDES).complete("2")
        yield scenario(f"waits-for-{word}", f"A halt is triggered while a sibling is running, which {what}.",
                       (*WAITED, "CLS-02", "NRT-01", "PAR-05", "RTY-04"), story.look(PAIR))  # fmt: skip
    story = calm().start(PAIR).claim("1b").fail("1a", _MISSING).look(PAIR).verify("1b").look(PAIR).resume(PAIR)
    yield scenario("waits-for-verification-to-halt", "A halt is triggered while a claim is being verified.",
                   ("CLS-02", "NRT-01", "RTY-04"),
                   story.complete_either(*SIDES).complete("2").look(PAIR))  # fmt: skip
    story = calm().start(EXAMPLE).complete("0").complete("1").fail("2b", _MISSING).complete("2c").look(EXAMPLE)
    story.later(600).fail("2a", FailureType.TIMEOUT).look(EXAMPLE).complete("3").resume(EXAMPLE)
    yield scenario("waits-for-two", "A halt waits for two: one succeeds, one never answers.",
                   (*WAITED, "CLS-02", "NRT-01", "PAR-05"),
                   story.complete_either("2a", "2b", "2c").complete("3").look(EXAMPLE))  # fmt: skip


def _siblings() -> Iterator[Scenario]:
    story = calm().start(PAIR).fail("1a").fail("1b", _MISSING).look(PAIR).complete("1a", attempt=2).look(PAIR)
    yield scenario("sibling-failed-before", "One fails, then its sibling lacks a package.",
                   ("CLS-02", "NRT-01", "RTY-04"),
                   story.resume(PAIR).complete_either(*SIDES).complete("2").look(PAIR))  # fmt: skip
    story = calm().start(PAIR).fail("1a").fail("1b").fail("1a", attempt=2).look(PAIR).complete("1b", attempt=2)
    yield scenario("sibling-retry-running", "A retry fails while that of its sibling is running.",
                   (*WAITED, "CLS-01", "PAR-03", "RTY-01", "RTY-03"),
                   story.look(PAIR).resume(PAIR).complete_either(*SIDES).complete("2").look(PAIR))  # fmt: skip
    story = calm().start(PAIR).fail("1a").fail("1b").fail("1a", attempt=2).fail("1b", FailureType.TIMEOUT, 2).look(PAIR)
    yield scenario("sibling-retry-hangs", "A retry fails while that of its sibling is running, which never answers.",
                   (*WAITED, *FAILED, "HLT-04", "PAR-03"),
                   story.complete("2").resume(PAIR).complete(*SIDES).complete("2").look(PAIR))  # fmt: skip


_WIDE_TAIL = Plan(
    Phase("0", "A"), Phase("1", "B", ("0",)), Phase("2", "C", ("1",)), Phase("3", "D", ("1", "2")),
    Phase("4", "E", ("3",)), Phase("5", "F", ("0", "4")),
)  # fmt: skip
_APART = Plan(
    Phase("0", "A"), Phase("1", "B", ("0",)), Phase("2", "C", ("1",)), Phase("10", "Elsewhere", ("2",)),
    Phase("20", "Away", ("10",)),
)  # fmt: skip
_INDEPENDENT = Plan(Phase("0", "A"), Phase("1", "B", ("0",)), Phase("8", "Elsewhere"), Phase("9", "Away", ("8",)))


def _blocked() -> Iterator[Scenario]:
    for word, what, plan, bad, done in (
        ("chain", "in a row of six", chain(6), "1", ("0",)), ("first", "first of a row of six", chain(6), "0", ()),
        ("last", "last of a row of six", chain(6), "5", ("0", "1", "2", "3", "4")),
        ("diamonds", "between two diamonds", DIAMONDS, "2", ("0", "1a", "1b")),
        ("tail", "before others that wait directly and through others", _WIDE_TAIL, "1", ("0",)),
        ("numbers", "whose id begins that of others", _APART, "1", ("0",)),
    ):  # fmt: skip
        clauses = FAILED if word == "last" else (*FAILED, "HLT-04")
        story = calm().start(plan)
        for members in (("0",), ("1a", "1b")) if word == "diamonds" else tuple((each,) for each in done):
            story.complete(*members)
        story.fail_twice(bad).look(plan).resume(plan).look(plan).run(plan, done=done)
        more = ("RES-01", "RES-02", "RES-03") if "HLT-04" in clauses and done else ("RES-01",)
        yield scenario(f"blocked-{word}", f"A phase fails twice, {what}.", (*clauses, *more), story.look(plan))
    story = calm().start(EXAMPLE).complete("0").complete("1").fail("2a").fail("2c").complete("2b")
    story.fail("2a", attempt=2).fail("2c", attempt=2).look(EXAMPLE).resume(EXAMPLE).complete("2a").look(EXAMPLE)
    yield scenario("blocked-by-two", "A phase is blocked by two that failed; one of them is mended first.",
                   (*FAILED, "HLT-04", "PAR-03", "RES-01", "RES-02", "RES-03"),
                   story.complete("2c").complete("3").look(EXAMPLE))  # fmt: skip
    story = calm().start(_INDEPENDENT).complete("0")
    for phase_id in ("8", "9"):
        story.complete(phase_id)
    yield scenario("blocked-not-those-apart", "What does not depend on a phase that failed is not blocked by it.",
                   (*HALTED, "RTY-03", "STA-03"),
                   story.fail_twice("1").fail_twice("8").look(_INDEPENDENT).resume(_INDEPENDENT).finish(
                       _INDEPENDENT).look(_INDEPENDENT))  # fmt: skip
    story = calm().start(FORK).complete("0").fail_twice("1").fail_twice("2").look(FORK).resume(FORK).finish(FORK)
    story.look(FORK).fresh(PAIR).fail("1a").complete("1b").look(PAIR).complete("1a", attempt=2).look(PAIR)
    yield scenario("blocked-fork", "Of two that are ready one fails twice; later of two that run together one, once.",
                   (*FAILED, "HLT-02", "HLT-04", "RES-01", "RES-02", "RTY-07", "STA-05"), story)  # fmt: skip


_PATHS = ("docs/feature-plan.md", "plan.md", "docs/my plan.md", "/abs/plan.md", "docs/\u6f22 'x'.md", "-plan.md")


def _commands() -> Iterator[Scenario]:
    for number, path in enumerate(_PATHS):
        mode = tuple(CommitMode)[number % len(CommitMode)]
        how: dict[str, Any] = {"plan_path": path, "commit_mode": mode.value}
        story = calm().start(CHAIN, **how).complete("0").fail_twice("1").look(CHAIN).resume(CHAIN, **how)
        yield scenario(f"commands-{number}", f"A run halts whose plan is {path} and whose commits are {mode}.",
                       (*FAILED, "HLT-04", "RES-01", "RES-02"),
                       story.complete("1").complete("2").look(CHAIN))  # fmt: skip
    for mode in CommitMode:
        story = calm().start(EXAMPLE, commit_mode=mode.value).run(EXAMPLE).look(EXAMPLE).resume(EXAMPLE)
        yield scenario(f"commits-{mode}", f"A run completes whose commits are {mode}.", ("RES-02", "STA-04", "STA-05"),
                       story.look(EXAMPLE))  # fmt: skip
        story = calm().start(PAIR, commit_mode=mode.value).complete("1a").fail("1b").fail("1b", attempt=2).look(PAIR)
        story.resume(PAIR, commit_mode=mode.value).complete("1b").complete("2").look(PAIR)
        yield scenario(f"commits-{mode}-halted", f"A run halts whose commits are {mode}, and completes later.",
                       (*FAILED, "HLT-04", "PAR-02", "RES-01", "RES-02"), story)  # fmt: skip
    story = calm().start(CHAIN).claim("0", commit_subject="").verify("0").fail_twice("1").look(CHAIN)
    yield scenario("commits-no-subject", "A phase gave its commit no subject; the run halts.", (*FAILED, "HLT-04"),
                   story)  # fmt: skip
    words = 'feat(x): "a" `b` $(c) \u6f22\nand a second line'
    story = calm().start(CHAIN, commit_mode="message-only").claim("0", commit_subject=words).verify("0")
    yield scenario("commits-odd-subject", "The subject of a commit has quotes, marks and two lines.",
                   (*FAILED, "HLT-04"), story.fail_twice("1").look(CHAIN))  # fmt: skip


def _after() -> Iterator[Scenario]:
    story = calm().start(CHAIN).complete("0").fail_twice("1").complete("1", attempt=2).complete("1", attempt=3)
    story.complete("2").fail("0").verify("0").look(CHAIN)
    yield scenario("after-reports", "After a halt everything is reported once more.", (*FAILED, "HLT-04"),
                   story.resume(CHAIN).look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).complete("0").fail_twice("1").restart().look(CHAIN).complete("1").look(CHAIN)
    yield scenario("after-restart", "The process ends after a halt, and nobody resumes.",
                   ("STA-04",), story.resume(CHAIN).complete("1").complete("2").look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).complete("0").fail_twice("1").look(CHAIN).start(CHAIN).look(CHAIN).complete("1")
    yield scenario("after-default", "After a halt a start says nothing of resuming.",
                   (*FAILED, "HLT-04", "RES-01", "RES-02", "RES-03"), story.complete("2").look(CHAIN))  # fmt: skip
    story = calm().start(CHAIN).run(CHAIN).look(CHAIN).complete("2").start(CHAIN).look(CHAIN).resume(CHAIN)
    yield scenario("after-completion", "After the end of a run it is started again.", ("RES-02", "STA-04", "STA-05"),
                   story.look(CHAIN))  # fmt: skip
