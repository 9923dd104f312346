"""The three Recovery Procedures: each of their branches, and every number around its limits. Level L1."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.session_recovery.contract import (
    CONTINUITY_PATH,
    IN_PROGRESS_PATH,
    ORCHESTRATOR_PATH,
    SHOWN_CHARACTERS,
)
from harness.systems.session_recovery.workload.session_steps import (
    CLOSED,
    COMMIT,
    HALF_OPEN,
    LEFT_S,
    OPEN,
    Story,
    as_json,
    calm,
    path_of,
    queue,
    scenario,
    task,
)

ABSENT = FileSpec(kind="absent")
_BUSY = queue(task("task-100"), task("task-101"), task("task-102"))
WORLDS: tuple[tuple[str, str, Mapping[str, FileSpec]], ...] = (
    ("nothing", "in which nothing is in progress", {}),
    ("three", "with three interrupted tasks", {IN_PROGRESS_PATH: _BUSY}),
    ("list", "whose queue is a bare list", {IN_PROGRESS_PATH: as_json([task("task-100"), task("task-101")])}),
    ("same-twice", "with a task twice", {IN_PROGRESS_PATH: queue(task("task-100"), task("task-100"))}),
    ("odd-entries", "with entries that are no tasks", {IN_PROGRESS_PATH: queue(3, {"title": "x"}, task("task-100"))}),
    ("number-as-id", "with a number for an id", {IN_PROGRESS_PATH: queue(task(100), task("task-101"))}),
    ("also-completed", "with a task that is finished as well",
     {IN_PROGRESS_PATH: _BUSY, path_of("completed"): queue(task("task-101"))}),
    ("also-pending", "with a task that is pending as well",
     {IN_PROGRESS_PATH: _BUSY, path_of("pending"): queue(task("task-101"))}),
    ("no-files", "without any of its files",
     {IN_PROGRESS_PATH: ABSENT, CONTINUITY_PATH: ABSENT, ORCHESTRATOR_PATH: ABSENT}),
    ("many", "with two hundred tasks", {IN_PROGRESS_PATH: queue(*(task(f"t-{n}") for n in range(200)))}),
)  # fmt: skip


def recovery_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _context_losses()
    yield from _cooldowns()
    yield from _numbers()
    yield from _failures()
    yield from _rollbacks()
    yield from _suites()
    yield from _outputs()
    yield from _several()


def _context_losses() -> Iterator[Scenario]:
    for word, what, files in WORLDS:
        yield scenario(
            f"loss-{word}", f"The context is lost in a session {what}.", ("RC-01", "SYS-02", "SYS-04"),
            calm().lose_context().checkpoint().lose_context().restart().lose_context(1), files=files,
        )  # fmt: skip
    story = calm().lose_context().claim().lose_context().claim("w2").lose_context().complete().lose_context()
    yield scenario("loss-each-time", "The context is lost again and again, while tasks come and go.",
                   ("RC-01", "SYS-02"), story.ledger())  # fmt: skip


def _limited(name: str, title: str, story: Story) -> Scenario:
    return scenario(f"limit-{name}", title, ("RC-02", "SYS-02"), story)


def _cooldowns() -> Iterator[Scenario]:
    for word, what, at_s in (
        ("whole-left", "has just begun", -100.0), ("left", "has begun", 0.0),
        ("a-second-left", "has a second left", LEFT_S - 1), ("hardly-left", "is all but over", LEFT_S - 0.001),
        ("over", "ends now", LEFT_S), ("long-over", "is over", LEFT_S + 3600),
        ("clock-back", "was written by a clock that was ahead", -86400.0),
    ):  # fmt: skip
        yield _limited(f"cooldown-{word}", f"A rate limit is hit when the cooldown {what}.",
                       calm().at(at_s).limit(OPEN).limit(OPEN, failing_tries=2))  # fmt: skip
    for word, name in (("closed", CLOSED), ("half-open", HALF_OPEN), ("unknown", "api/nobody")):
        yield _limited(word, f"A rate limit is hit behind a breaker that is {word.replace('-', ' ')}.",
                       calm().limit(name).limit(OPEN).limit(name, failing_tries=3))  # fmt: skip
    story = calm().limit().later(60).limit().later(60).restart().limit().later(60).limit(process=1)
    yield _limited("later", "Rate limits are hit again and again, while the cooldown goes on.", story)


def _numbers() -> Iterator[Scenario]:
    for word, agents in (("few", (1, 2, 3)), ("around-five", (4, 5, 6)), ("many", (8, 100))):
        story = calm()
        for count in agents:
            story.limit(OPEN, agents=count).limit(CLOSED, agents=count)
        yield _limited(f"agents-{word}", f"A rate limit is hit when {_numbered(agents)} agents run.", story)
    for word, tries in (("few", (0, 1, 2, 3)), ("around-the-limit", (4, 5, 6)), ("many", (7, 50))):
        story = calm()
        for failing in tries:
            story.limit(OPEN, failing_tries=failing).limit(CLOSED, failing_tries=failing)
        yield _limited(f"tries-{word}", f"Of the tries after it {_numbered(tries)} are limited again.", story)


def _numbered(numbers: Sequence[int]) -> str:
    return ", then ".join(map(str, numbers))


def _failing(name: str, title: str, *facts: Mapping[str, Any]) -> Scenario:
    story = calm()
    for each in facts:
        story.fail_tests(**each)
    return scenario(f"tests-{name}", title, ("RC-03", "SYS-02"), story)


def _failures() -> Iterator[Scenario]:
    reruns = {
        "real": ("never passes", ([False], [False, False, False], [False])),
        "flaky": ("passes now and then", ([False, False, True], [True, False, False], [False, True])),
        "passing": ("passes each time", ([True], [True, True, True])),
        "one-of-each": ("passes, then another never does", ([True], [False], [True], [False])),
        "not-at-all": ("is not run again, then never passes", ([], [False])),
    }
    for word, (what, runs) in reruns.items():
        yield _failing(f"rerun-{word}", f"A failed test is run again, unchanged, and {what}.",
                       *({"reruns": each} for each in runs))  # fmt: skip


def _rollbacks() -> Iterator[Scenario]:
    for word, needed in (("needed", True), ("not-needed", False)):
        for which, commit in (("with", COMMIT), ("without", None)):
            facts = {"rollback_needed": needed, "last_passing_commit": commit}
            yield _failing(f"rollback-{word}-{which}-commit",
                           f"A rollback is {word.replace('-', ' ')}, {which} a commit that passed.",
                           facts, {**facts, "suite": [False, True]})  # fmt: skip
    yield _failing("rollback-flaky", "A flaky test is no reason to roll back.",
                   {"reruns": [False, True], "last_passing_commit": COMMIT},
                   {"rollback_needed": True, "last_passing_commit": "v1.2"})  # fmt: skip


def _suites() -> Iterator[Scenario]:
    for word, suite in (
        ("passes", [True]), ("fails-once", [False, True]), ("fails-twice", [False, False, True]), ("fails", [False]),
        ("fails-for-long", [False] * 9 + [True]),
    ):  # fmt: skip
        yield _failing(f"suite-{word}", f"After the fix the suite {word.replace('-', ' ')}.",
                       {"suite": suite}, {"suite": suite, "reruns": [True, False]})  # fmt: skip


def _outputs() -> Iterator[Scenario]:
    for word, what, output in (
        ("empty", "nothing", ""), ("unicode", "every script", "\u6f22\u05d0 e\u0301\x1b[31m\r\n\u2028"),
        ("shown", "as many characters as are shown", "o" * SHOWN_CHARACTERS),
        ("wide", "5,000 characters of three bytes each", "\u6f22" * 5_000),
        ("long", "200,000 characters", "E  assert 1\n" * 16_700), ("passes", "that all passed", "42 passed, 0 failed"),
    ):  # fmt: skip
        yield _failing(f"output-{word}", f"The tests say {what}.", {"output": output}, {})


def _several() -> Iterator[Scenario]:
    clauses = ("RC-01", "RC-02", "RC-03", "SYS-02")
    story = calm().limit().fail_tests().lose_context().checkpoint().fail_tests(reruns=[True]).limit(CLOSED)
    yield scenario("procedures", "All three procedures, one after the other.", clauses, story.lose_context())
    story = calm().claim().checkpoint().limit(process=1).fail_tests(process=2).lose_context(1).restart().lose_context()
    restarted = tuple(clause for clause in clauses if clause != "RC-03")  # that one was over before the restart
    yield scenario("procedures-processes", "All three procedures, in several processes.", restarted, story)
