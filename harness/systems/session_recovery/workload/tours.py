"""Level L2: every clause once more under each fault, by tours that are put together from legs.

Every tour shows the control in calm weather and begins afresh. The fault strikes before anything else was done, or
after a task was claimed and a checkpoint made; then the legs follow, in whatever weather is left.
"""

from collections.abc import Iterator, Mapping

from harness.core.scenario import Scenario
from harness.systems.session_recovery.workload.fault_rows import rows
from harness.systems.session_recovery.workload.legs import (
    ACTS,
    CHECKPOINTS,
    CLAIMS,
    FAILS_TESTS,
    FINISHES,
    GUARDS,
    LIMITED,
    LOSES,
    RACED,
    RACES,
    SPAWNS,
    STARTS,
    TURNS,
    WHOLE,
    WORK,
)
from harness.systems.session_recovery.workload.session_steps import FIRST, SECOND, Story, calm, scenario
from harness.systems.tours import AFRESH, Leg, Tour, toured


def _at_work(story: Story) -> None:
    story.claim("w1").checkpoint(name="before")


def _struck(story: Story) -> None:
    story.claim("w2").ledger()


def _records(story: Story) -> None:
    story.complete(FIRST).ledger()


def _tries_to_claim(story: Story) -> None:
    """A claim meets the lock of another process, which keeps it."""
    story.claim("w1").ledger()


def _works_alone(story: Story) -> None:
    """Everything that names a task or a worker, once."""
    story.claim("w1").start(FIRST).complete(SECOND).ledger()


AT_WORK, STRUCK = Leg(_at_work, ()), Leg(_struck, ())
RECORDED = Leg(_records, ())
LOCKED_OUT = Leg(_tries_to_claim, ("SYS-03",))  # it fails, or has a lock of its own
NAMED = Leg(_works_alone, ())
_QUEUES = frozenset(clause for leg in (*WORK, TURNS, RACES) for clause in leg.clauses) - {"GEN-01", "RC-01", "SYS-02"}
_STATE = frozenset({"GEN-07", "SYS-02", "SYS-04"})

# the tours of each group of rows, by a word for each where there is more than one
TOURS: Mapping[str, Mapping[str, Tour[Story]]] = {
    "queued": {"": Tour((AT_WORK,), (STRUCK, CLAIMS, LOSES, *ACTS, FINISHES), _QUEUES)},
    "at-work": {"": Tour((AT_WORK,), (STRUCK, TURNS, LOSES, *ACTS, FINISHES), _QUEUES)},
    "queues-gone": {"": Tour((AT_WORK,), (STRUCK, TURNS, LOSES, *ACTS, FINISHES), _QUEUES)},
    "queue-standing": {"": Tour((AT_WORK,), (STRUCK, *WHOLE), _QUEUES)},
    "queue-unsteady": {"": Tour((AT_WORK,), (STRUCK, *WHOLE), _QUEUES)},
    "forgotten": {"": Tour((TURNS,), WHOLE)},
    "phased": {"": Tour((TURNS,), (TURNS, LOSES, *ACTS, CLAIMS, FINISHES))},
    "tripped": {"": Tour((GUARDS,), (GUARDS, LIMITED, CHECKPOINTS, SPAWNS, CLAIMS), frozenset({"SYS-05"}))},
    "saved": {"": Tour((AT_WORK,), (LOSES, *ACTS, LOSES))},
    "unsavable": {"": Tour((AT_WORK,), (LOSES, *ACTS), _STATE)},
    "state-standing": {"": Tour((AT_WORK,), (LOSES, *ACTS, TURNS, FINISHES), _STATE | {"SYS-05"})},
    "state-gone": {"": Tour((AT_WORK,), (LOSES, *ACTS, CLAIMS, LOSES), frozenset({"SYS-05"}))},
    "state-unsteady": {"": Tour((AT_WORK,), (LOSES, *ACTS, CLAIMS), _STATE | {"SYS-05"})},
    "ledger": {"": Tour((CLAIMS,), (FINISHES, LOSES), frozenset({"GEN-05"}))},
    "recorded": {"": Tour((CLAIMS, RECORDED), (FINISHES, LOSES), frozenset({"GEN-05"}))},
    "specified": {"": Tour((CLAIMS,), (STARTS, FINISHES), frozenset({"GEN-06"}))},
    "harmless": {"": Tour((), WHOLE)},
    "moved": {"": Tour((AT_WORK,), (LOSES, *ACTS, CLAIMS, STARTS, FINISHES))},
    "surrounded": {"": Tour((), RACED)},
    "everywhere": {"": Tour((AT_WORK,), (STRUCK, *WHOLE), _QUEUES | _STATE | {"SYS-05"})},
    "restarted": {"": Tour((), (CLAIMS, AFRESH, STARTS, CHECKPOINTS, AFRESH, LOSES, SPAWNS, AFRESH, GUARDS, LIMITED,
                                AFRESH, FAILS_TESTS, FINISHES, AFRESH, TURNS))},
    "locked": {
        "first": Tour((), (LOCKED_OUT, LOSES, *ACTS)),
        "later": Tour((AT_WORK,), (LOCKED_OUT, TURNS, LOSES, CHECKPOINTS), frozenset({"GEN-07"})),
    },
    "unlocked": {"": Tour((AT_WORK,), (CLAIMS, LOSES, CHECKPOINTS, GUARDS, FINISHES), _STATE)},
    "killed": {
        "claiming": Tour((AT_WORK,), (STRUCK, *WHOLE), _QUEUES),
        "checkpointing": Tour((AT_WORK,), (CHECKPOINTS, *WHOLE), _QUEUES),
    },
    "asked-for": {"": Tour((CLAIMS,), (NAMED, LOSES, CHECKPOINTS))},
    "unasked": {"": Tour((), (NAMED, LOSES, CHECKPOINTS, GUARDS))},
}  # fmt: skip


def tours() -> Iterator[Scenario]:
    """The enumerated scenarios of level L2, in a fixed order."""
    for each in toured(rows(), TOURS, calm):
        clauses = tuple(each.clauses - each.tour.lost)
        yield scenario(each.name, each.title, clauses, each.story.ledger(), level="L2")
