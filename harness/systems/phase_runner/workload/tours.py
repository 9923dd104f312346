"""Level L2: every clause once more under each fault, by tours that are put together from legs.

Every tour shows the control in calm weather and begins afresh. The fault strikes when a run has halted with a phase
that is complete, or before there is one; then the legs follow, in whatever weather is left.
"""

from collections.abc import Iterator, Mapping

from harness.core.scenario import Scenario
from harness.systems.phase_runner.workload.fault_rows import rows
from harness.systems.phase_runner.workload.legs import (
    ANSWERED,
    BATCHES,
    BEGINS_FRESH,
    FILED,
    GOES_ON,
    HALTS,
    INTERRUPTS,
    ONE_RUN,
    REFUSES,
    RESUMES,
    RETRIES,
    SHORT,
    TRIO,
    WHOLE,
)
from harness.systems.phase_runner.workload.phase_steps import Story, calm, scenario
from harness.systems.phase_runner.workload.plans import CHAIN
from harness.systems.tours import AFRESH, Leg, Tour, toured


def _halted(story: Story) -> None:
    story.start(CHAIN).complete("0").complete("1").fail_twice("2").look(CHAIN)


def _under_way(story: Story) -> None:
    story.start(CHAIN).complete("0").look(CHAIN)


def _resumed_in_spite(story: Story) -> None:
    """A record is no record any more: the run is resumed, and what it had said is complete is reported."""
    story.resume(CHAIN).look(CHAIN).complete("1").complete("2").look(CHAIN)


def _runs_what_was_removed(story: Story) -> None:
    story.resume(CHAIN).look(CHAIN).complete_either("1").complete_either("2").look(CHAIN)


def _struck(story: Story) -> None:
    story.fail("1").look(CHAIN).resume(CHAIN).look(CHAIN).finish(CHAIN, 2).look(CHAIN)


def _struck_at_start(story: Story) -> None:
    story.start(CHAIN).look(CHAIN).start(CHAIN).finish(CHAIN, 2).look(CHAIN)


def _resumed(story: Story) -> None:
    story.resume(CHAIN).look(CHAIN).complete_either("1").complete("2").look(CHAIN)


def _written_down(story: Story) -> None:
    story.start(CHAIN, commit_mode="message-only").complete("0").look(CHAIN)


def _writes_down(story: Story) -> None:
    story.complete("1").complete("2").look(CHAIN).fresh(CHAIN, commit_mode="message-only").run(CHAIN).look(CHAIN)


def _names(story: Story) -> None:
    """Everything that names a phase, once."""
    story.fresh(CHAIN).complete("0").fail("0").look(CHAIN)


def _fixed(story: Story) -> None:
    story.resume(CHAIN).look(CHAIN).complete("2").look(CHAIN)


def _afresh_later(story: Story) -> None:
    story.fresh(CHAIN).look(CHAIN).complete("0").look(CHAIN)


def _failed_once(story: Story) -> None:
    story.start(TRIO).complete("0").fail("10").fail("11").look(TRIO)


def _retried(story: Story) -> None:
    """What failed before is retried together; one succeeds, one fails for good."""
    story.complete("12").look(TRIO).complete("10", attempt=2).look(TRIO).fail("11", attempt=2).look(TRIO)


def _cannot_go_on(story: Story) -> None:
    """What would be launched next cannot be written down."""
    story.complete("1").look(CHAIN).complete("2").look(CHAIN).resume(CHAIN).look(CHAIN).finish(CHAIN, 1).look(CHAIN)


def _cannot_retry(story: Story) -> None:
    """What would be retried cannot be written down."""
    story.complete("12").look(TRIO).complete("10", attempt=2).look(TRIO).resume(TRIO).look(TRIO)


def _retry_running(story: Story) -> None:
    story.start(TRIO).complete("0").fail("10").complete("11", "12").look(TRIO)


def _cannot_complete(story: Story) -> None:
    """What comes of a retry cannot be written down."""
    story.complete("10", attempt=2).look(TRIO).complete("2").look(TRIO).resume(TRIO).look(TRIO)


HALTED, UNDER_WAY = Leg(_halted, ()), Leg(_under_way, ())
RETRY_RUNNING = Leg(_retry_running, ())
CANNOT_RETRY, CANNOT_COMPLETE = Leg(_cannot_retry, ("HLT-05",)), Leg(_cannot_complete, ())
CANNOT_GO_ON = Leg(_cannot_go_on, ("HLT-05",))
FIXED, AFRESH_LATER = Leg(_fixed, ("RES-01", "RES-02")), Leg(_afresh_later, ("FRS-01", "FRS-02"))
FAILED_ONCE = Leg(_failed_once, ())
RETRIED = Leg(_retried, ("PAR-03", "PAR-04", "RTY-01", "RTY-03", "STA-01", "STA-02", "STA-03", "STA-04", "STA-05"))
CORRUPT = Leg(_resumed_in_spite, ("COR-01",))
REMOVED = Leg(_runs_what_was_removed, ("PRT-01", "RES-02"))
STRUCK, STRUCK_AT_START = Leg(_struck, ("STA-06",)), Leg(_struck_at_start, ())
RESUMED = Leg(_resumed, ("RES-02", "RES-04"))
WRITTEN_DOWN, WRITES_DOWN = Leg(_written_down, ()), Leg(_writes_down, ())
NAMES = Leg(_names, ())

# the tours of each group of rows, by a word for each where there is more than one
TOURS: Mapping[str, Mapping[str, Tour[Story]]] = {
    "damaged": {"": Tour((HALTED,), (CORRUPT, *SHORT))},
    "configured": {"": Tour((HALTED,), (GOES_ON, *SHORT, BATCHES))},
    "removed": {"": Tour((HALTED,), (REMOVED, *WHOLE))},
    "gone": {"": Tour((HALTED,), (GOES_ON, *WHOLE))},
    "harmless": {"": Tour((HALTED,), (GOES_ON, *WHOLE))},
    "standing": {"": Tour((HALTED,), (GOES_ON, *SHORT, BATCHES), FILED)},
    "unsteady": {"": Tour((HALTED,), (GOES_ON, *SHORT, BATCHES), FILED)},
    "everything": {"": Tour((HALTED,), (GOES_ON, *SHORT), FILED)},
    "led-outside": {"": Tour((HALTED,), (BEGINS_FRESH, GOES_ON, REFUSES), frozenset({"FRS-01"}))},
    "written-down": {"": Tour((WRITTEN_DOWN,), (WRITES_DOWN, REFUSES, RETRIES, HALTS), FILED)},
    "moved": {
        "": Tour((UNDER_WAY,), (GOES_ON, *WHOLE)),
        "halted": Tour((HALTED,), (FIXED,)),
        "afresh": Tour((HALTED,), (AFRESH_LATER,)),
        "retrying": Tour((FAILED_ONCE,), (RETRIED,)),
    },
    "clocked": {"": Tour((UNDER_WAY,), (GOES_ON, *WHOLE))},
    "next": {"": Tour((UNDER_WAY,), (CANNOT_GO_ON, REFUSES), FILED - {"HLT-05"})},
    "retrying": {
        "before": Tour((FAILED_ONCE,), (CANNOT_RETRY, REFUSES), FILED - {"HLT-05"}),
        "meanwhile": Tour((RETRY_RUNNING,), (CANNOT_COMPLETE, REFUSES), FILED),
    },
    "surrounded": {"": Tour((), WHOLE)},
    "everywhere": {"": Tour((HALTED,), (GOES_ON, *SHORT, BATCHES), FILED)},
    "restarted": {"": Tour((UNDER_WAY,), (RESUMED, AFRESH, RETRIES, AFRESH, HALTS, AFRESH, RESUMES, INTERRUPTS, AFRESH,
                                          BATCHES, BEGINS_FRESH))},
    "locked": {
        "first": Tour((), (GOES_ON, *SHORT), FILED),
        "later": Tour((HALTED,), (GOES_ON, REFUSES, ONE_RUN), FILED),
    },
    "killed": {
        "reporting": Tour((UNDER_WAY,), (STRUCK, *WHOLE)),
        "starting": Tour((), (STRUCK_AT_START, *WHOLE)),
    },
    "named": {"": Tour((HALTED,), (NAMES, REFUSES, GOES_ON))},
}  # fmt: skip


def tours() -> Iterator[Scenario]:
    """The enumerated scenarios of level L2, in a fixed order."""
    for each in toured(rows(), TOURS, calm):
        clauses = tuple(each.clauses - each.tour.lost) or tuple(ANSWERED)
        yield scenario(each.name, each.title, clauses, each.story.look(), level="L2")
