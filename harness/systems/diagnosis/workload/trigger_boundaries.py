"""When a reflection begins, what it says, and what follows from it: after each tool call, once and again. Level L1.

Every scenario ends with an operation that finds the files, so that what the one before appended is seen.
"""

from collections.abc import Iterator

from harness.core.scenario import Scenario
from harness.systems.diagnosis.contract import ErrorType
from harness.systems.diagnosis.workload.diagnosis_steps import (
    ANY,
    FULL,
    REFLECTED,
    SILENT,
    action,
    calm,
    context,
    observed,
    outcome,
    scenario,
    worked,
)
from harness.systems.diagnosis.workload.failures import FIRST, GIT, OF_TYPE, READ, REPO_BROWSER, UNKNOWN
from harness.systems.diagnosis.workload.model_texts import RIGHT

SAID = (
    "DR-OUT-01", "DR-OUT-02", "DR-OUT-03", "DR-OUT-04", "DR-OUT-05", "DR-OUT-06", "DR-OUT-07", "DR-OUT-09",
    "DR-CLS-01", "DR-CLS-13",
)  # fmt: skip
LOGGED = ("DR-LOG-01", "DR-LOG-02")
KEPT = ("DR-MEM-01", "DR-TRG-03")
AT_ONCE = 3


def trigger_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _once()
    yield from _in_turn()
    yield from _again()
    yield from _shown()
    yield from _together()


def _once() -> Iterator[Scenario]:
    yield scenario(
        "trigger-success", "Tool calls that succeed trigger nothing.", ("DR-TRG-01",), calm().ok().ok().ok(), SILENT
    )
    yield scenario(
        "trigger-failure",
        "A tool call succeeds; the next one fails, and is diagnosed at once.",
        ("DR-TRG-01", *SAID),
        calm().ok().fail(),
        FULL,
    )
    for kind, failure in FIRST.items():
        word = kind.value.replace("_", "-")
        yield scenario(
            f"whole-{word}", f"A failure of the type {kind.value}: the diagnosis, its event and its record.",
            ("DR-TRG-01", *SAID, *LOGGED, *KEPT), calm().fail(failure).ok(), SILENT,
        )  # fmt: skip
    yield scenario(
        "whole-unknown", "A failure that says nothing of itself is diagnosed all the same.",
        ("DR-TRG-01", "DR-REC-06", *SAID, *LOGGED, *KEPT), calm().fail(UNKNOWN[0]).ok(), SILENT,
    )  # fmt: skip


def _in_turn() -> Iterator[Scenario]:
    yield scenario(
        "trigger-in-turn", "A failure, a success, and another failure.", ("DR-TRG-01", "DR-OUT-01"),
        calm().fail(GIT).ok().fail(READ), FULL,
    )  # fmt: skip
    yield scenario(
        "trigger-success-between", "Whatever failed before, a success triggers nothing.", ("DR-TRG-01",),
        calm().fail(GIT).fail(READ).ok(), SILENT,
    )  # fmt: skip
    every = calm()
    for kind in ErrorType:
        if kind in FIRST:
            every.fail(FIRST[kind])
    yield scenario(
        "trigger-every-type", "One failure of each type, one after the other.",
        ("DR-TRG-01", *SAID, *LOGGED, *KEPT), every.ok(), SILENT,
    )  # fmt: skip
    many = calm()
    for number in range(20):
        many.fail(OF_TYPE[ErrorType.PERMISSION_DENIED][number % 5])
    yield scenario(
        "trigger-many", "Twenty failures at one time: each has an id of its own.",
        ("DR-TRG-01", "DR-OUT-01", "DR-LOG-01"), many.ok(), SILENT,
    )  # fmt: skip
    later = calm().fail().later(0.001).fail(READ).later(86400).fail(REPO_BROWSER).later(-3600)
    yield scenario(
        "trigger-later", "Failures a millisecond, a day, and less than nothing apart.",
        ("DR-OUT-01", "DR-OUT-02", *LOGGED), later.fail(UNKNOWN[0]).ok(), SILENT,
    )  # fmt: skip


def _again() -> Iterator[Scenario]:
    yield scenario(
        "again-same", "The same call fails again: it is not repeated as it is.", ("DR-TRG-04", "DR-TRG-01"),
        calm().fail().fail(), REFLECTED,
    )  # fmt: skip
    yield scenario(
        "again-three-times", "The same call fails three times.", ("DR-TRG-04",), calm().fail().fail().fail().ok(),
        SILENT,
    )  # fmt: skip
    for kind, failure in FIRST.items():
        word = kind.value.replace("_", "-")
        before = [action(failure.tool, failure.args, "failed", success=False)]
        yield scenario(
            f"again-previous-{word}", f"The call that failed had failed before, with {kind.value}, says the context.",
            ("DR-TRG-04",), calm().fail(failure, where=context(3, before)), FULL,
        )  # fmt: skip
    cloned = action("run_bash", {"command": "git clone x"}, "ok")
    yield scenario(
        "again-succeeded-before", "The call that fails now succeeded before.", ("DR-TRG-01", "DR-IN-03"),
        calm().fail(GIT, where=context(3, [cloned]), model=RIGHT), FULL,
    )  # fmt: skip
    yield scenario(
        "again-between-others", "The same call fails again after another one failed and one succeeded.",
        ("DR-TRG-04",), calm().fail(GIT).fail(READ).ok().fail(GIT).fail(READ).ok(), SILENT,
    )  # fmt: skip


def _shown() -> Iterator[Scenario]:
    told = ("DR-PRM-01", "DR-UI-01")
    for kind, failure in FIRST.items():
        word = kind.value.replace("_", "-")
        yield scenario(
            f"shown-{word}", f"What the next reflection reads, and the user is shown, of {kind.value}.",
            (*told, "DR-TRG-02", "DR-TRG-03"), calm().fail(failure).shown(), ANY,
        )  # fmt: skip
    yield scenario(
        "shown-tried", "A recovery failed, and the next one worked: what the user is shown.", told,
        calm().fail().shown().gave_up(1).report().tried(success=True).shown(), ANY,
    )  # fmt: skip
    yield scenario(
        "shown-given-up", "Two recoveries failed: what the user is shown.", told[1:],
        calm().fail(READ).gave_up().shown(), ANY,
    )  # fmt: skip
    yield scenario(
        "shown-of-two", "Two calls failed, and each is shown as it was.", told,
        calm().fail(GIT, "first").fail(READ, "second").shown("first").shown("second"), ANY,
    )  # fmt: skip
    yield scenario(
        "shown-nothing", "Of a call that succeeded, or that nobody made, there is nothing to show.", ("DR-TRG-01",),
        calm().fail().ok("fine").shown("fine").shown("nobody"), ({"text": ""},),
    )  # fmt: skip
    yield scenario(
        "outcome-unknown", "An outcome of a call that nobody made, or that succeeded, is no outcome.",
        ("DR-TRG-01",),
        calm().fail().tried(success=False, call="nobody").ok("fine").tried(success=True, call="fine"),
        ({"strategy": None, "asks_user": False}, {}),
    )  # fmt: skip


def _together() -> Iterator[Scenario]:
    fails = [observed(f"t{number}", READ, context()) for number in range(AT_ONCE)]
    yield scenario(
        "together-failures", f"{AT_ONCE} processes have a failure at once: each is diagnosed, and none is lost.",
        ("DR-TRG-01", "DR-OUT-01", "DR-LOG-01", "DR-MEM-01"), calm().together(*fails).ok(), SILENT,
    )  # fmt: skip
    mixed = [observed("t0", GIT, context()), worked("t1", context()), observed("t2", READ, context())]
    yield scenario(
        "together-mixed", "A success comes between failures of other processes.", ("DR-TRG-01",),
        calm().together(*mixed).ok(), SILENT,
    )  # fmt: skip
    both = [outcome("a", success=True), outcome("b", success=False)]
    yield scenario(
        "together-outcomes", "Two processes each tell the outcome of a recovery at once.",
        ("DR-MEM-01", "DR-MEM-02", "DR-MEM-03"),
        calm().fail(GIT, "a", process=1).fail(READ, "b", process=2).together(*both).ok(), SILENT,
    )  # fmt: skip
    ends = [outcome("a", success=True), observed("t1", READ, context())]
    yield scenario(
        "together-outcome", "An outcome is told while another process has a failure.",
        ("DR-MEM-01", "DR-MEM-02"), calm().fail(GIT, "a", process=1).together(*ends).ok(), SILENT,
    )  # fmt: skip
