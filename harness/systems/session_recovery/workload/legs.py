"""The legs of a tour: what is done so that every clause shows once more, one leg after the other.

They do not depend on each other, but for those that finish a task: which of two was claimed first is open, both are.
Clauses are named without their ``LK-``.
"""

from harness.systems.session_recovery.workload.session_steps import (
    CLOSED,
    COMMIT,
    FIRST,
    INTERFACE,
    OPEN,
    SECOND,
    UNKNOWN,
    Story,
    claimed,
    completed,
)
from harness.systems.tours import Leg


def _turns(story: Story) -> None:
    story.turn()


def _claims(story: Story) -> None:
    story.claim("w1").claim("w2").claim("w3")


def _races(story: Story) -> None:
    story.together(claimed("w1"), claimed("w2")).claim("w3")


def _starts(story: Story) -> None:
    story.start(FIRST).start(UNKNOWN).start(SECOND, INTERFACE)


def _loses(story: Story) -> None:
    story.lose_context()


def _checkpoints(story: Story) -> None:
    story.checkpoint().lose_context().begin("major").lose_context()


def _begins(story: Story) -> None:
    story.begin("minor").begin("spawn").lose_context()


def _spawns(story: Story) -> None:
    story.spawn(2, 0).spawn(3, 3).spawn(3, 0, implementing=False).spawn(1, 0).lose_context()


def _guards(story: Story) -> None:
    story.begin("minor", breaker=CLOSED).begin("minor", breaker=OPEN).begin("major", breaker=OPEN)


def _limited(story: Story) -> None:
    story.limit(OPEN, failing_tries=2).limit(CLOSED, agents=3)


def _fails_tests(story: Story) -> None:
    story.fail_tests(reruns=[False, True])
    story.fail_tests(rollback_needed=True, last_passing_commit=COMMIT, suite=[False, True])


def _finishes(story: Story) -> None:
    story.complete(FIRST).ledger().complete(FIRST).complete(SECOND, "w2").ledger()


def _finishes_at_once(story: Story) -> None:
    story.together(completed(FIRST), completed(SECOND, "w2")).ledger()


TURNS = Leg(_turns, ("GEN-01", "GEN-07"))
CLAIMS = Leg(_claims, ("GEN-02",))
RACES = Leg(_races, ("GEN-02", "SYS-03"))
STARTS = Leg(_starts, ("GEN-06", "GEN-08"))
LOSES = Leg(_loses, ("RC-01", "SYS-02"))
CHECKPOINTS = Leg(_checkpoints, ("RC-01", "SYS-02", "SYS-04"))
BEGINS = Leg(_begins, ("RC-01", "SYS-04"))
SPAWNS = Leg(_spawns, ("SYS-01", "SYS-04"))
GUARDS = Leg(_guards, ("SYS-05",))
LIMITED = Leg(_limited, ("RC-02",))
FAILS_TESTS = Leg(_fails_tests, ("RC-03",))
FINISHES = Leg(_finishes, ("GEN-05",))
FINISHES_AT_ONCE = Leg(_finishes_at_once, ("GEN-05", "SYS-03"))

ACTS = (CHECKPOINTS, BEGINS, SPAWNS, GUARDS, LIMITED, FAILS_TESTS)
WORK = (CLAIMS, STARTS, LOSES, FINISHES)
WHOLE = (TURNS, CLAIMS, STARTS, LOSES, *ACTS, FINISHES)
RACED = (TURNS, RACES, STARTS, *ACTS, FINISHES_AT_ONCE)
