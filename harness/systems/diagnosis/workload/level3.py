"""Level L3: one operation struck at every file call, or two in every order, and what comes after in calm weather.

The operations are those that append: a failure, and the outcome of a recovery. Calm operations follow and find what
was left: what was acknowledged is there, whole, and what was torn is ended.
"""

from collections.abc import Iterator, Sequence

from harness.core.scenario import ExploreKind, Scenario
from harness.systems.diagnosis.workload.diagnosis_steps import (
    SILENT,
    Story,
    calm,
    context,
    observed,
    scenario,
)
from harness.systems.diagnosis.workload.failures import GIT, READ
from harness.systems.diagnosis.workload.legs import WHOLE
from harness.systems.diagnosis.workload.trigger_boundaries import SAID
from harness.systems.tours import told

CALLS: tuple[ExploreKind, ...] = ("errno", "killed", "torn")
STATES: tuple[ExploreKind, ...] = (*CALLS, "power")
ORDERS: tuple[ExploreKind, ...] = ("schedule",)


def level3() -> Iterator[Scenario]:
    """The enumerated scenarios of the level, in a fixed order."""
    yield _explored(
        "first-failure", "The first failure ever is struck at every call; another one follows.",
        ("DR-TRG-01", "DR-MEM-01", "DR-LOG-01"), calm(1).explore(*CALLS).fail(READ, "struck").ok().fail(GIT).ok(),
    )  # fmt: skip
    kept = calm(1).recovered(READ).explore(*STATES).fail(GIT, "struck").ok()
    yield _explored(
        "failure", "A failure is struck; the records before it are whole, and those after it.",
        ("DR-TRG-01", "DR-MEM-01", "DR-LOG-01", "DR-LOG-02"), kept.fail(READ).tried(success=False).ok(),
    )  # fmt: skip
    told_ = calm(1).recovered(READ).fail(GIT, "struck").explore(*STATES).tried(success=True, call="struck").ok()
    yield _explored(
        "outcome", "The outcome of a recovery is struck; what was learned before it stays.",
        ("DR-MEM-01", "DR-MEM-02"), told_.fail(READ).tried(success=True).ok(),
    )  # fmt: skip
    failed = calm(1).fail(GIT, "struck").explore("killed", "torn").tried(success=False, call="struck").ok()
    yield _explored(
        "failed-recovery", "The outcome of a recovery that failed is struck.", ("DR-MEM-03",),
        failed.fail(READ).tried(success=False).ok(),
    )  # fmt: skip
    fast = calm(1).recovered(GIT, 3).explore("killed").fail(GIT, "struck").ok()
    yield _explored(
        "learned", "A failure that was met before is struck on its fast path.", ("DR-LRN-01", "DR-TRG-01"),
        fast.fail(GIT).tried(success=True).ok(),
    )  # fmt: skip
    everything = calm(1).explore("killed").fail(READ, "struck")
    yield _explored(
        "everything-after", "A failure is killed at each of its calls; then everything else is asked for.",
        told(everything, WHOLE), everything,
    )  # fmt: skip
    yield from _orders()


def _explored(name: str, title: str, clauses: Sequence[str], story: Story) -> Scenario:
    return scenario(f"l3-{name}", title, clauses, story, SILENT, level="L3")


def _orders() -> Iterator[Scenario]:
    """Two operations at once, each by a process of its own, their calls in every order."""
    # an outcome is known to the process that met the failure, and one that runs already is held at no call: none here
    two = calm(1).recovered(GIT, 3).explore(*ORDERS)
    two.together(observed("one", READ, context()), observed("other", GIT, context())).ok().fail(READ).ok()
    yield _explored(
        "order-two-failures", "Two processes append a failure at once, one by what was learned: both are there.",
        ("DR-TRG-01", "DR-OUT-01", "DR-MEM-01", "DR-LOG-01", *SAID), two,
    )  # fmt: skip
