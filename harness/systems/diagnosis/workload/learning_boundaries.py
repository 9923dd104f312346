"""What is learned from recoveries, and when it is used without a whole reflection. Level L1."""

from collections.abc import Iterator

from harness.core.scenario import Scenario
from harness.systems.diagnosis.contract import ErrorType, Flag
from harness.systems.diagnosis.workload.diagnosis_steps import FULL, REFLECTED, SILENT, calm, scenario
from harness.systems.diagnosis.workload.failures import FIRST, GIT, OF_TYPE, READ, REPO_BROWSER, Failure
from harness.systems.diagnosis.workload.model_texts import RIGHT

LEARNED = ("DR-LRN-01", "DR-MEM-02")
USED = (*LEARNED, "DR-LRN-02", "DR-TRG-01")
_OFF = {Flag.FAST_RECOVERY.value: "0"}


def learning_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _counted()
    yield from _of_each_type()
    yield from _elsewhere()
    yield from _failures()
    yield from _off()


def _counted() -> Iterator[Scenario]:
    yield scenario(
        "learn-nothing", "No recovery has succeeded: a failure is reflected upon.", ("DR-TRG-01",),
        calm().fail(GIT).ok().fail(GIT), FULL,
    )  # fmt: skip
    for times in (1, 2, 3, 4, 10):
        clauses = USED if times > 2 else LEARNED
        yield scenario(
            f"learn-{times}", f"{times} recoveries succeeded, and the same call fails again.", clauses,
            calm().recovered(GIT, times).fail(GIT).ok(), SILENT,
        )  # fmt: skip
    for iterations in (0, 1, 1000):
        story = calm().fail(GIT).tried(success=True, iterations=iterations)
        yield scenario(
            f"learn-took-{iterations}", f"A recovery succeeded after {iterations} iterations.", LEARNED,
            story.ok(), SILENT,
        )  # fmt: skip
    yield scenario(
        "learn-shown", "What was learned is used: what the next reflection reads.", (*USED, "DR-PRM-01", "DR-UI-01"),
        calm().recovered(GIT, 3).fail(GIT).shown().tried(success=True).ok(), SILENT,
    )  # fmt: skip
    yield scenario(
        "learn-model", "What was learned is used where a model could be asked, too.", USED,
        calm().recovered(GIT, 3).fail(GIT, model=RIGHT).ok(), SILENT,
    )  # fmt: skip


def _of_each_type() -> Iterator[Scenario]:
    for kind, failure in FIRST.items():
        if failure is GIT:
            continue  # that is learnt above
        word = kind.value.replace("_", "-")
        yield scenario(
            f"learn-{word}", f"Three recoveries of {kind.value} succeeded, and it comes again.", LEARNED,
            calm().recovered(failure, 3).fail(failure).ok(), SILENT,
        )  # fmt: skip


def _elsewhere() -> Iterator[Scenario]:
    yield scenario(
        "learn-other-type", "What was learned of one type is not used for another.", ("DR-LRN-01", "DR-LRN-02"),
        calm().recovered(GIT, 3).fail(READ), FULL,
    )  # fmt: skip
    yield scenario(
        "learn-other-tool", "What was learned of one tool, and another fails in the same way.", ("DR-LRN-01",),
        calm().recovered(READ, 3).fail(OF_TYPE[ErrorType.PERMISSION_DENIED][3]), REFLECTED,
    )  # fmt: skip
    other = Failure("", ErrorType.COMMAND_NOT_FOUND, "run_bash", {"command": "jq ."}, {"message": "x", "code": 127})
    yield scenario(
        "learn-other-command", "What was learned of one program, and another one is missing.", ("DR-LRN-01",),
        calm().recovered(GIT, 3).fail(other), REFLECTED,
    )  # fmt: skip
    yield scenario(
        "learn-both", "Something was learned of two types, and each comes again.", USED,
        calm().recovered(GIT, 3).recovered(READ, 3).fail(GIT).fail(READ).fail(REPO_BROWSER), FULL,
    )  # fmt: skip
    yield scenario(
        "learn-restarted", "What was learned is there after a restart.", USED,
        calm().recovered(GIT, 3).ok().restart().fail(GIT).ok(), SILENT,
    )  # fmt: skip
    yield scenario(
        "learn-restarted-between", "Each of three recoveries succeeded in a process of its own.", LEARNED,
        calm().recovered(GIT).restart().recovered(GIT).restart().recovered(GIT).restart().fail(GIT).ok(), SILENT,
    )  # fmt: skip
    yield scenario(
        "learn-other-process", "What was learned by one process, and another one meets it.", LEARNED,
        calm().recovered(GIT, 3).fail(GIT, process=1).ok(process=1), SILENT,
    )  # fmt: skip
    shared = calm().recovered(GIT).recovered(GIT, process=1).recovered(GIT, process=2).fail(GIT)
    yield scenario("learn-by-three", "Three processes each learned it once.", LEARNED, shared.ok(), SILENT)


def _failures() -> Iterator[Scenario]:
    mixed = ("DR-LRN-01", "DR-MEM-03")
    for word, said, results in (
        ("failure-only", "Only failures", (False, False)),
        ("failure-first", "A failure, and three successes", (False, True, True, True)),
        ("failure-last", "Three successes, and a failure", (True, True, True, False)),
        ("failure-between", "A success, a failure, and two successes", (True, False, True, True)),
        ("failures-most", "A success, and three failures", (True, False, False, False)),
        ("in-turn", "Successes and failures in turn", (True, False, True, False, True, False)),
    ):
        story = calm()
        for success in results:
            story.fail(GIT).tried(success=success)
        yield scenario(
            f"learn-{word}", f"{said}; then the same call fails again.", mixed if False in results else LEARNED,
            story.ok().fail(GIT).ok(), SILENT,
        )  # fmt: skip
    second = calm()
    for _ in range(3):
        second.fail(GIT).gave_up(1).tried(success=True)
    yield scenario(
        "learn-second-strategy", "Three times the first strategy failed, and the second succeeded.", mixed,
        second.fail(GIT).ok(), SILENT,
    )  # fmt: skip


def _off() -> Iterator[Scenario]:
    yield scenario(
        "learn-off", "What was learned is not used where the fast path is off.", ("DR-CFG-06", "DR-LRN-01"),
        calm().recovered(GIT, 3).fail(GIT), FULL, flags=_OFF,
    )  # fmt: skip
    yield scenario(
        "learn-off-restarted", "The same after a restart.", ("DR-CFG-06", "DR-LRN-01"),
        calm().recovered(GIT, 4).restart().fail(GIT), FULL, flags=_OFF,
    )  # fmt: skip
