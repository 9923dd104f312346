"""Which type a failure is of: texts for each type, look-alikes, several at once, the tools there are. Level L1."""

from collections.abc import Iterator, Mapping

from harness.core.scenario import Scenario
from harness.systems.diagnosis.contract import ErrorType
from harness.systems.diagnosis.workload.diagnosis_steps import FULL, REFLECTED, SILENT, calm, context, scenario
from harness.systems.diagnosis.workload.failures import (
    AVAILABLE,
    DOUBLE,
    DOUBTFUL,
    FIRST,
    GIT,
    LOOK_ALIKES,
    OF_TYPE,
    REPO_BROWSER,
    UNKNOWN,
    Failure,
)
from harness.systems.diagnosis.workload.recovery_boundaries import template_of

CLAUSE_OF: Mapping[ErrorType, str] = {
    ErrorType.TOOL_NOT_FOUND: "DR-CLS-03",
    ErrorType.COMMAND_NOT_FOUND: "DR-CLS-02",
    ErrorType.PERMISSION_DENIED: "DR-CLS-04",
    ErrorType.INVALID_ARGUMENTS: "DR-CLS-05",
    ErrorType.TIMEOUT: "DR-CLS-06",
    ErrorType.OUTPUT_TOO_LARGE: "DR-CLS-07",
    ErrorType.RATE_LIMITED: "DR-CLS-08",
    ErrorType.NETWORK_ERROR: "DR-CLS-09",
    ErrorType.SYNTAX_ERROR: "DR-CLS-10",
    ErrorType.ENVIRONMENT_MISSING: "DR-CLS-11",
}
CLASSIFIED = ("DR-CLS-01", "DR-CLS-13")
PLANNED = ("DR-REC-01", "DR-OUT-07", "DR-OUT-08")
# every set of available tools of which an alternative can be made, and some of which it cannot
TOOL_SETS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "shell": ("run_bash",),
    "files": ("read_file", "read_dir", "write_file"),
    "read-only": ("read_file",),
    "network": ("http_fetch",),
    "all": ("run_bash", "shell", "read_file", "read_dir", "write_file", "http_fetch", "search"),
    "unknown": ("teleport", "telepathy"),
    "one-unknown": ("run_bash", "teleport"),
}


def type_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    for kind, failures in OF_TYPE.items():
        for failure in failures:
            yield _classified(kind, failure)
    yield from _alike()
    yield from _twice()
    yield from _exit_codes()
    yield from _tools()


def _word(kind: ErrorType) -> str:
    return kind.value.replace("_", "-")


def _of(failure: Failure) -> tuple[str, ...]:
    return () if failure.type is None or failure.type not in CLAUSE_OF else (CLAUSE_OF[failure.type],)


def _classified(kind: ErrorType, failure: Failure) -> Scenario:
    return scenario(
        f"type-{_word(kind)}-{failure.word}", f"A failure is unmistakably of the type {kind.value}: {failure.word}.",
        (CLAUSE_OF[kind], *CLASSIFIED, template_of(kind), *PLANNED), calm().fail(failure), FULL,
    )  # fmt: skip


def _alike() -> Iterator[Scenario]:
    for failure in (*LOOK_ALIKES, *UNKNOWN, *DOUBTFUL):
        clauses = _of(failure)
        yield scenario(
            f"alike-{failure.word}", f"A failure holds the words of another type, or of none: {failure.word}.",
            (*clauses, *CLASSIFIED), calm().fail(failure), FULL,
        )  # fmt: skip
    for failure in DOUBLE:
        clauses = _of(failure)
        yield scenario(
            f"double-{failure.word}", f"A failure is of two types at once, twice: {failure.word}.",
            (*clauses, *CLASSIFIED, "DR-CLS-12"), calm().fail(failure).fail(failure), REFLECTED,
        )  # fmt: skip


def _twice() -> Iterator[Scenario]:
    for kind, failure in FIRST.items():
        story = calm().fail(failure).ok().restart().fail(failure)
        yield scenario(
            f"twice-{_word(kind)}", f"The same failure of the type {kind.value}, before a restart and after it.",
            ("DR-CLS-12", CLAUSE_OF[kind]), story, REFLECTED,
        )  # fmt: skip
    cased = Failure(
        "", ErrorType.PERMISSION_DENIED, "run_bash", {"command": "cat a"},
        {"message": "Command failed", "code": 1, "stderr": "CAT: A: PERMISSION DENIED"},
    )  # fmt: skip
    yield scenario(
        "type-permission-denied-capitals", "A failure says so in capital letters.", ("DR-CLS-04", *CLASSIFIED),
        calm().fail(cased), FULL,
    )  # fmt: skip


def _exit_codes() -> Iterator[Scenario]:
    for code in (0, 1, 2, 126, 128, 130, 137, 139, 143, 255):
        failure = Failure(
            "", None, "run_bash", {"command": "./run"}, {"message": f"Command failed: exit code {code}", "code": code}
        )
        yield scenario(
            f"exit-code-{code}", f"A command ended with exit code {code}, and said nothing.", CLASSIFIED,
            calm().fail(failure), FULL,
        )  # fmt: skip


def _tools() -> Iterator[Scenario]:
    chosen = ("DR-OUT-05", "DR-OUT-06", "DR-OUT-10")
    for word, tools in TOOL_SETS.items():
        story = calm(1)
        for failure in FIRST.values():
            story.fail(failure, tools=tools)
        yield scenario(
            f"tools-{word}", f"A failure of each type; available tools: {word}.", (*chosen, *CLASSIFIED), story, FULL
        )
    for failure in OF_TYPE[ErrorType.TOOL_NOT_FOUND]:
        yield scenario(
            f"tool-available-{failure.word}", "A tool is said not to be found, and is among those available.",
            CLASSIFIED, calm().fail(failure, tools=(*AVAILABLE, failure.tool)), FULL,
        )  # fmt: skip
    (unsaid,) = (each for each in OF_TYPE[ErrorType.TOOL_NOT_FOUND] if each.word == "only-by-list")
    yield scenario(
        "tool-none-available", "A tool fails and does not say why; no tool at all is available.", CLASSIFIED,
        calm().fail(unsaid, tools=()), FULL,
    )  # fmt: skip
    changing = calm().fail(REPO_BROWSER).fail(REPO_BROWSER, tools=("run_bash",)).fail(GIT, tools=())
    yield scenario(
        "tools-changing", "The tools that are available change from failure to failure.", chosen,
        changing.fail(GIT, tools=("http_fetch", "write_file")).ok(), SILENT,
    )  # fmt: skip
    gone = context(2, (), tools=("read_file",))
    yield scenario(
        "tools-failed-one-gone", "The tool that failed is not available, and the exit code is 127.",
        ("DR-CLS-03",), calm().fail(GIT, where=gone), FULL,
    )  # fmt: skip
    yield scenario(
        "tools-all-gone", "No tool at all is available, and the exit code is 127.", ("DR-CLS-03",),
        calm().fail(GIT, where=context(2, (), tools=())), FULL,
    )  # fmt: skip
