"""Level L3: one operation struck at every file call, or several in every order, and what comes after in calm weather.

A task that was claimed stays claimed, a finished one is in the ledger, the last checkpoint is there, and nothing is
claimed twice or lost, wherever an operation was cut off.
"""

from collections.abc import Iterator, Sequence

from harness.core.scenario import ExploreKind, Scenario
from harness.systems.session_recovery.contract import PENDING_PATH
from harness.systems.session_recovery.workload.legs import ACTS, WHOLE
from harness.systems.session_recovery.workload.session_steps import (
    CLOSED,
    FIRST,
    INTERFACE,
    SECOND,
    Story,
    calm,
    checkpointed,
    claimed,
    completed,
    scenario,
)
from harness.systems.tours import told

CALLS: tuple[ExploreKind, ...] = ("errno", "killed", "torn")
STATES: tuple[ExploreKind, ...] = (*CALLS, "power")
ORDERS: tuple[ExploreKind, ...] = ("schedule",)
_CLAIMED = ("GEN-02", "RC-01", "SYS-02")
_RACED = (*_CLAIMED, "SYS-03")


def level3() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    yield from _claims()
    yield from _completions()
    yield from _checkpoints()
    yield from _reads()
    yield from _everything()
    yield from _orders()


def _calls(name: str, title: str, clauses: Sequence[str], story: Story) -> Scenario:
    return scenario(f"l3-{name}", title, clauses, story, level="L3")


def _claims() -> Iterator[Scenario]:
    first = calm().explore(*STATES).claim("w1").lose_context().claim("w2").claim("w3").lose_context()
    yield _calls("claim-first", "The first claim is struck at every call; the others go on.", _CLAIMED, first.ledger())
    second = calm().claim("w1").checkpoint().explore(*STATES).claim("w2").lose_context().claim("w3").lose_context()
    yield _calls("claim-second", "The second claim is struck; the first stays.", (*_CLAIMED, "SYS-04"), second.ledger())
    bad = calm().claim("w1").fault("json_document.truncated", PENDING_PATH).explore(*CALLS).claim("w2").lose_context()
    yield _calls("claim-beside-bad-file", "A claim is struck that comes after pending.json was torn.",
                 ("RC-01", "SYS-02"), bad.claim("w3").lose_context().ledger())  # fmt: skip


def _completions() -> Iterator[Scenario]:
    one = calm().claim("w1").claim("w2").explore(*STATES).complete(FIRST).ledger().lose_context().complete(FIRST)
    yield _calls("complete", "The end of a task is struck; then it is finished again.", ("GEN-05", "RC-01", "SYS-02"),
                 one.complete(SECOND, "w2").ledger().lose_context().claim("w3").ledger())  # fmt: skip
    other = calm().claim("w1").claim("w2").complete(FIRST).explore(*CALLS).complete(SECOND, "w2").ledger()
    yield _calls("complete-second", "The end of a second task is struck; the first stays finished.",
                 ("GEN-05", "RC-01", "SYS-02"),
                 other.complete(SECOND, "w2").ledger().lose_context().ledger())  # fmt: skip
    specified = calm().claim("w1").claim("w2").start(FIRST, INTERFACE).explore(*STATES).start(SECOND, INTERFACE)
    yield _calls("start", "The beginning of work is struck while an interface is specified.", ("GEN-06", "GEN-08"),
                 specified.start(SECOND, INTERFACE).start(FIRST).lose_context().ledger())  # fmt: skip


def _checkpoints() -> Iterator[Scenario]:
    kept = ("RC-01", "SYS-02", "SYS-04")
    first = calm().explore(*STATES).checkpoint().lose_context().checkpoint().lose_context().turn()
    yield _calls("checkpoint-first", "The first checkpoint is struck; another follows.", kept, first.lose_context())
    later = calm().checkpoint().checkpoint().explore(*STATES).checkpoint().lose_context().checkpoint().lose_context()
    yield _calls("checkpoint-third", "The third checkpoint is struck: it is the last one, or the second is.", kept,
                 later.restart().lose_context())  # fmt: skip
    major = calm().checkpoint().explore(*STATES).begin("major", breaker=CLOSED).lose_context().begin("major")
    yield _calls("begin-major", "A major operation is struck as it begins: never without its checkpoint.", kept,
                 major.lose_context().begin("minor").lose_context())  # fmt: skip
    spawn = calm().begin("major").explore(*CALLS).spawn(3, 3).lose_context().spawn(2, 0).spawn(2, 2).lose_context()
    yield _calls("spawn", "A spawn is struck as it begins.", (*kept, "SYS-01"), spawn.restart().lose_context())
    spawn = calm().explore(*CALLS).spawn(2, 0).lose_context().spawn(2, 0).spawn(2, 2).lose_context()
    yield _calls("spawn-not-isolated", "A spawn without worktrees is struck.", (*kept, "SYS-01"), spawn.lose_context())


def _reads() -> Iterator[Scenario]:
    lost = calm().claim().checkpoint().explore("errno", "killed").lose_context().lose_context().checkpoint()
    yield _calls("resume-context-loss", "The recovery from a context loss is struck, and done again.",
                 ("RC-01", "SYS-02", "SYS-04"), lost.lose_context().ledger())  # fmt: skip
    limit = calm().checkpoint().explore("errno", "killed").limit(failing_tries=1).limit().limit(CLOSED)
    yield _calls("resume-rate-limit", "The recovery from a rate limit is struck, and done again.",
                 ("RC-01", "RC-02"), limit.lose_context())  # fmt: skip
    tests = calm().checkpoint().explore("errno", "killed").fail_tests().fail_tests(reruns=[True]).lose_context()
    yield _calls("resume-test-failure", "The recovery from a test failure is struck, and done again.",
                 ("RC-01", "RC-03"), tests.fail_tests())  # fmt: skip
    guarded = calm().checkpoint().explore("errno", "killed").begin("minor", breaker="api/openai").begin(
        "minor", breaker="api/openai"
    )  # fmt: skip
    yield _calls("guarded", "A guarded operation is struck as it asks for its breaker.", ("RC-01", "SYS-05"),
                 guarded.begin("minor", breaker=CLOSED).lose_context())  # fmt: skip
    turn = calm().checkpoint().explore("errno", "killed").turn().turn().claim().turn()
    yield _calls("begin-turn", "The beginning of a turn is struck; the next one begins.", ("GEN-01", "GEN-07", "RC-01"),
                 turn.lose_context())  # fmt: skip
    asked = calm().claim().claim("w2").complete().explore("errno", "killed").ledger().ledger().complete(SECOND, "w2")
    yield _calls("ledger", "The question for the ledger is struck.", ("GEN-05", "RC-01"),
                 asked.ledger().lose_context().ledger())  # fmt: skip


def _everything() -> Iterator[Scenario]:
    """A claim, or a checkpoint, dies at each of its calls, and after that every clause is seen once more."""
    story = calm().explore("killed").claim("w1")
    clauses = told(story, WHOLE[1:])
    yield _calls("everything-after-claim", "A claim is killed at each of its calls; then everything else is asked for.",
                 [clause for clause in clauses if clause not in ("GEN-08", "GEN-06")], story.ledger())  # fmt: skip
    story = calm().explore("killed").checkpoint()
    clauses = told(story, (*ACTS, *WHOLE[:3]))
    yield _calls("everything-after-checkpoint", "A checkpoint is killed; then everything else is asked for.", clauses,
                 story.ledger())  # fmt: skip


def _orders() -> Iterator[Scenario]:
    """Operations at once, each by a process of its own, their calls in every order."""
    two = calm().explore(*ORDERS).together(claimed("w1"), claimed("w2")).claim("w3").lose_context()
    yield _calls("order-claims", "Two processes claim at once, in every order: no task twice, none lost.", _RACED,
                 two.ledger())  # fmt: skip
    last = calm().claim("w0").explore(*ORDERS).together(claimed("w1"), claimed("w2")).lose_context().ledger()
    yield _calls("order-last-claim", "Two processes want the last task, in every order: one has it.", _RACED, last)
    mixed = calm().claim("w1").claim("w2").explore(*ORDERS).together(completed(FIRST), completed(SECOND, "w2")).ledger()
    yield _calls("order-completions", "Two tasks are finished at once, in every order: the ledger has both.",
                 ("GEN-05", "RC-01", "SYS-03"), mixed.lose_context().ledger())  # fmt: skip
    both = calm().checkpoint().explore(*ORDERS).together(checkpointed("one"), checkpointed("other")).lose_context()
    yield _calls("order-checkpoints", "Two processes make checkpoints at once, in every order.",
                 ("RC-01", "SYS-02", "SYS-04"), both.checkpoint().lose_context())  # fmt: skip
