"""An error while a task runs: the four steps, what each severity does, what never stops, and the next run. Level L1."""

from collections.abc import Iterator
from typing import Any

from harness.core.scenario import FileSpec, Scenario
from harness.systems.error_log.contract import (
    LOGGING_FAILURE,
    METADATA_PATH,
    METRIC_FAILURE,
    PLAN_PATH,
    ErrorType,
    Severity,
)
from harness.systems.error_log.workload.error_log_steps import (
    ANY,
    OTHER_TASK,
    PHASES,
    PLAN,
    SESSION,
    Allowed,
    calm,
    progress,
    scenario,
)
from harness.systems.error_log.workload.record_boundaries import ODD, RECORD

PATTERN = ("ER-LOG-01", "ER-PRG-01", "ER-PRG-02", "ER-PRG-03", "ER-RES-01", "ER-RPT-01", "ER-RPT-02")
STOPS: Allowed = ({"continues": False},)
GOES_ON: Allowed = ({"continues": True},)
NON_BLOCKING: tuple[str, ...] = (ErrorType.GIT_COMMIT_FAILURE.value, METRIC_FAILURE, LOGGING_FAILURE)
_CLAUSE_OF = {NON_BLOCKING[0]: "ER-NB-01", METRIC_FAILURE: "ER-NB-02", LOGGING_FAILURE: "ER-NB-02"}


def handling_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _severities()
    yield from _progress()
    yield from _resumed()
    yield from _non_blocking()
    yield from _odd()


def _severity_clause(severity: Severity) -> str:
    return "ER-SEV-01" if severity is Severity.CRITICAL else "ER-SEV-02"


def _severities() -> Iterator[Scenario]:
    for severity in Severity:
        allowed = STOPS if severity is Severity.CRITICAL else GOES_ON if severity is not Severity.HIGH else ANY
        clauses = (*RECORD, _severity_clause(severity), "ER-PRG-01")
        yield scenario(
            f"handle-{severity}", f"A build fails, which is {severity}.", clauses,
            calm().handle(ErrorType.BUILD_ERROR, severity.value).read(SESSION).resume().read()
            .handle(ErrorType.BUILD_ERROR, severity.value), allowed,
        )  # fmt: skip
        story = calm()
        for kind in ErrorType:
            if kind is not ErrorType.GIT_COMMIT_FAILURE:
                story.handle(kind.value, severity.value)
        yield scenario(
            f"handle-every-type-{severity}", f"Errors of every type that may stop, each {severity}.",
            (_severity_clause(severity), "ER-PRG-01"), story.read(SESSION).read(),
        )  # fmt: skip
    in_turn = calm()
    for word in ("low", "critical", "medium", "high", "critical", "low"):
        in_turn.handle(ErrorType.VALIDATION_FAILED, word)
    yield scenario(
        "handle-severities-in-turn", "Errors of all severities in turns.", ("ER-SEV-01", "ER-SEV-02"),
        in_turn.read(SESSION).handle(ErrorType.TIMEOUT, "critical"), STOPS,
    )  # fmt: skip
    itself = {"suggested_action": "Run it again", "auto_recoverable": True}
    yield scenario(
        "handle-critical-that-recovers", "A critical error is said to recover by itself: it stops all the same.",
        ("ER-SEV-01",),
        calm().handle(ErrorType.TIMEOUT, "low", recovery=itself).handle(ErrorType.TIMEOUT, "critical", recovery=itself)
        .read(SESSION).handle(ErrorType.TIMEOUT, "critical", recovery=itself), STOPS,
    )  # fmt: skip
    odd: tuple[Any, ...] = (None, "fatal", 1)
    for value in odd:
        word = str(value).lower()
        story = calm().handle(ErrorType.TIMEOUT, value).read(SESSION).resume().read()
        yield scenario(f"handle-severity-{word}", f"The severity is none there is: {value!r}.", RECORD, story)


def _progress() -> Iterator[Scenario]:
    for count in range(len(PHASES)):
        far = progress(PHASES[:count], PHASES[count], partial={"lines": 12 * count})
        story = calm().handle(ErrorType.DELEGATION_HANG, "high", far).read().resume()
        yield scenario(
            f"progress-{count}-completed", f"{count} of three phases are completed, and the next one fails.",
            PATTERN if count else tuple(each for each in PATTERN if each != "ER-PRG-02"), story,
            ({"resume_at": PHASES[count]},),
        )  # fmt: skip
    everything = calm().handle(ErrorType.VALIDATION_FAILED, "critical", progress(PHASES, None)).read().resume()
    yield scenario(
        "progress-all-completed", "All phases are completed, and something fails at the end.",
        ("ER-PRG-01", "ER-PRG-02", "ER-RPT-01"), everything.read(),
    )  # fmt: skip
    nothing = calm().handle(ErrorType.FILE_NOT_FOUND, "critical", progress((), None, phases=())).read().resume().read()
    yield scenario("progress-none", "A task without phases fails.", ("ER-PRG-01", "ER-RPT-01"), nothing)
    twice = calm().handle(ErrorType.BUILD_ERROR, "high", progress(PHASES[:1], PHASES[1])).resume()
    twice.handle(ErrorType.BUILD_ERROR, "high", progress(PHASES[:2], PHASES[2], partial="half")).read().resume()
    yield scenario(
        "progress-twice", "A phase fails, then the one after it: nothing that was completed is lost.", PATTERN, twice,
        ({"resume_at": "phase3"},),
    )  # fmt: skip
    kept = calm().handle(ErrorType.DELEGATION_HANG, "high", progress(PHASES[:1], PHASES[1], partial={"lines": 40}))
    kept.handle(ErrorType.TIMEOUT, "high", progress(PHASES[:1], PHASES[1])).read().resume()
    yield scenario(
        "progress-kept-by-a-bare-error", "A phase left something, and fails again and leaves nothing.",
        ("ER-PRG-02",), kept.restart().resume(), ({"resume_at": "phase2"},),
    )  # fmt: skip
    both = calm().handle(ErrorType.BUILD_ERROR, "high", progress(PHASES[:2], "phase2")).read().resume().read()
    yield scenario(
        "progress-failed-and-completed", "The phase that failed is told as completed, too.", ("ER-RPT-01", "ER-RPT-02"),
        both,
    )  # fmt: skip
    names = ("Research", "Implement", "Verify")
    named = calm().handle(ErrorType.TIMEOUT, "high", progress(names[:1], names[1], phases=names)).read().resume()
    yield scenario("progress-named", "Phases have names.", PATTERN, named, ({"resume_at": "Implement"},))
    unknown = progress(("phase1",), "phase9", phases=PHASES)
    story = calm().handle(ErrorType.TIMEOUT, "high", unknown).read().resume().read()
    yield scenario("progress-unknown-phase", "A phase fails that the plan does not have.", ("ER-PRG-01",), story)
    for word, partial in (
        ("list", [1, {"a": None}]),
        ("text", "half of it"),
        ("zero", 0),
        ("long", {"text": "x" * 20_000}),
    ):
        far = progress(PHASES[:1], PHASES[1], partial=partial)
        story = calm().handle(ErrorType.DELEGATION_HANG, "high", far).read().resume().restart().resume().read()
        yield scenario(f"progress-partial-{word}", f"What a phase left is a {word}.", ("ER-PRG-02",), story)


def _resumed() -> Iterator[Scenario]:
    after = calm().handle(ErrorType.DELEGATION_HANG, "critical").resume(OTHER_TASK).restart().resume()
    yield scenario(
        "resume-restarted", "A task was interrupted, and another process resumes it; another task begins.",
        ("ER-RES-01", "ER-PRG-02"), after, ({"resume_at": "phase2"},),
    )  # fmt: skip
    other = calm().handle(ErrorType.DELEGATION_HANG, "high").resume(OTHER_TASK)
    yield scenario("resume-other-task", "Another task begins.", ("ER-RES-01",), other, ({"resume_at": None},))
    never = calm().resume().log("timeout").read().resume()
    yield scenario("resume-never-begun", "Nothing was interrupted.", ("ER-LOG-01",), never, ({"resume_at": None},))
    two = (
        calm()
        .handle(ErrorType.DELEGATION_HANG, "high")
        .handle(ErrorType.TIMEOUT, "high", progress(PHASES[:2], PHASES[2], task=OTHER_TASK))
    )
    yield scenario(
        "resume-two-tasks", "Two tasks were interrupted, and each goes on from its own place.",
        ("ER-RES-01", "ER-PRG-02"), two.resume(OTHER_TASK).restart().resume(), ({"resume_at": "phase2"},),
    )  # fmt: skip
    by_another = calm().handle(ErrorType.DELEGATION_HANG, "high").resume(process=1).resume(OTHER_TASK, process=2)
    yield scenario("resume-processes", "Other processes resume.", ("ER-RES-01",), by_another.resume(process=1),
                   ({"resume_at": "phase2"},))  # fmt: skip
    again = calm().handle(ErrorType.DELEGATION_HANG, "high").resume().resume().finish().resume()
    yield scenario("resume-again", "A task is resumed again and again.", ("ER-RES-01",), again,
                   ({"resume_at": "phase2"},))  # fmt: skip
    kept = calm().handle(ErrorType.DELEGATION_HANG, "high").log("timeout").begin().resume()
    yield scenario("resume-begun", "A delegation begins for a task that was interrupted.", ("ER-RES-01", "ER-DEL-03"),
                   kept, ({"resume_at": "phase2"},))  # fmt: skip


def _non_blocking() -> Iterator[Scenario]:
    for kind in NON_BLOCKING:
        for severity in Severity:
            story = calm().handle(ErrorType.BUILD_ERROR, "critical").handle(kind, severity.value).read(SESSION).finish()
            story.handle(kind, severity.value)
            yield scenario(
                f"non-blocking-{kind.replace('_', '-')}-{severity}", f"{kind} is {severity}, and does not stop.",
                (_CLAUSE_OF[kind], "ER-NB-03", "ER-SEV-01"), story, GOES_ON,
            )  # fmt: skip
    several = calm().finish()
    for kind in NON_BLOCKING:
        several.handle(kind, "medium").handle(ErrorType.BUILD_ERROR, "medium")
    several.log("git_commit_failure").finish().finish().handle("metric_failure", "low").finish()
    yield scenario(
        "non-blocking-reported", "What did not stop is reported at the end, and once.",
        ("ER-NB-01", "ER-NB-02", "ER-NB-03"), several.read(SESSION),
    )  # fmt: skip
    for kind in NON_BLOCKING:
        alike = calm().handle(kind, "low").handle(kind, "low").handle(kind, "low").finish().read(SESSION)
        yield scenario(
            f"non-blocking-{kind.replace('_', '-')}-alike", f"{kind} comes three times, each time in the same words.",
            (_CLAUSE_OF[kind], "ER-NB-03"), alike.handle(kind, "low"), GOES_ON,
        )  # fmt: skip
        same = calm().handle(kind, "low", message="again").handle(kind, "low", message="again").finish().read(SESSION)
        yield scenario(
            f"non-blocking-{kind.replace('_', '-')}-same-words", f"{kind} comes twice, with the very same message.",
            (_CLAUSE_OF[kind], "ER-NB-03"), same.finish(), ({"reported": []},),
        )  # fmt: skip
    commit = calm().recover(ErrorType.TIMEOUT, facts={"commit_succeeds": False}).finish().read(SESSION)
    yield scenario(
        "non-blocking-commit", "The commit of a recovery fails: the recovery goes on.", ("ER-NB-01", "ER-TMO-01"),
        commit.resume(), ({"resume_at": "phase2"},),
    )  # fmt: skip


def _odd() -> Iterator[Scenario]:
    for word, said, value in ODD:
        story = calm().handle(ErrorType.TIMEOUT, "high", message=value).read(SESSION).resume()
        yield scenario(
            f"handle-message-{word}", f"An error is handled whose message is {said}.", ("ER-PRG-01", "ER-RPT-01"),
            story.read(),
        )  # fmt: skip
    for word, fields in _FIELDS:
        story = calm().handle(ErrorType.TIMEOUT, "high", **fields).read().resume().read()
        yield scenario(f"handle-{word}", f"An error is handled with {word.replace('-', ' ')}.", ("ER-PRG-01",), story)
    marked = {PLAN_PATH: FileSpec(text=PLAN.replace("phase", "part").replace("Phase", "Part"))}
    yield scenario(
        "handle-plan-of-parts", "The plan has parts, not phases.", ("ER-PRG-01",),
        calm().handle(ErrorType.TIMEOUT, "high").read().resume().read(), files=marked,
    )  # fmt: skip
    left = {METADATA_PATH: FileSpec(text='{"status": "partial", "task": 260, "partial_progress": {"stage": "phase3"}}')}
    yield scenario(
        "handle-beside-another-task", "Another task's progress stands in the metadata.", ("ER-PRG-02", "ER-RES-01"),
        calm().resume(OTHER_TASK).handle(ErrorType.TIMEOUT, "high").resume().resume(OTHER_TASK),
        ({"resume_at": "phase3"},), files=left,
    )  # fmt: skip


_FIELDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("a-trajectory", {"trajectory": {"delegation_path": ["orchestrator", "implement"], "failed_at_depth": 1}}),
    ("an-impossible-trajectory", {"trajectory": {"delegation_path": ["orchestrator"], "failed_at_depth": 7}}),
    ("a-recovery", {"recovery": {"suggested_action": "Run it again", "auto_recoverable": True}}),
    ("an-odd-recovery", {"recovery": ["Run it again"]}),
    ("partial-progress", {"partial_progress": {"stage": "phase2", "details": "half"}}),
)
