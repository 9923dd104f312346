"""The Input Context, as the document has it and in every other shape. Level L1.

What is supplied to the model is seen where there is one; a shape that nobody meant still yields a diagnosis.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.scenario import Scenario
from harness.systems.diagnosis.contract import ErrorType
from harness.systems.diagnosis.workload.diagnosis_steps import FULL, SILENT, action, calm, context, scenario
from harness.systems.diagnosis.workload.failures import AVAILABLE, GIT, READ, REPO_BROWSER, UNKNOWN, Failure
from harness.systems.diagnosis.workload.model_texts import RIGHT

LONG_BYTES = 1024 * 1024
CLAUSES = ("DR-IN-01", "DR-IN-02")
YIELDS = ("DR-TRG-01", "DR-OUT-03", "DR-OUT-06")
# odd, and of the form of the document all the same
_IN_FORM = frozenset(
    ("message-nul", "message-binary", "message-escapes", "message-wide", "message-braces", "message-lines",
     "code-text", "code-fraction", "code-half", "code-negative", "code-huge", "error-unknown-fields", "args-empty",
     "args-nested", "args-command-list", "args-command-null", "args-circular-text", "tool-blank", "tool-nul",
     "tool-path", "tool-long", "iteration-negative", "iteration-huge", "tools-repeated", "previous-success-text",
     "workspace-many")
)  # fmt: skip
_COMMAND: Mapping[str, Any] = {"command": "git clone x"}
_WHOLE: Mapping[str, Any] = {
    "message": "Command failed: exit code 127",
    "code": 127,
    "stdout": "Cloning",
    "stderr": "bash: git: command not found",
    "signal": None,
}
# what is said in it stands nowhere else, so that it is known again in what a model is asked
_TELLING: Mapping[str, Any] = {
    "message": "the ledger could not be closed",
    "code": 91,
    "stdout": "adding up column seven",
    "stderr": "ledger: early end of column",
    "signal": "SIGUSR1",
}
_TELLING_CONTEXT: Mapping[str, Any] = {
    "iteration": 37,
    "previousActions": [action("search", {"pattern": "sum-of-1987"}, "found-in-volume-eight")],
    "availableTools": [*AVAILABLE, "abacus"],
    "workspaceState": {"files": ["ledger-41.csv"], "directories": ["volumes-42"]},
    "taskGoal": "Sum up what was spent in 1987",
}


def input_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _optional()
    yield from _previous()
    yield from _errors()
    yield from _calls()
    yield from _contexts()


def _failed(error: Any, tool: Any = "run_bash", args: Any = _COMMAND) -> Failure:
    return Failure("", None, tool, args, error)


def _yields(word: str) -> tuple[str, ...]:
    return YIELDS if word in _IN_FORM else (*YIELDS, "DR-IN-04")


def _optional() -> Iterator[Scenario]:
    for field in ("", *(name for name in _TELLING if name != "message")):
        error = {name: value for name, value in _TELLING.items() if name != field}
        word, said = (f"without-{field}", f"leaves out {field}") if field else ("whole", "has every field")
        yield scenario(
            f"input-{word}",
            f"A failure {said}.",
            CLAUSES,
            calm().fail(_failed(error, args={"command": "tally --deep"}), where=_TELLING_CONTEXT, model=RIGHT).ok(),
            SILENT,
        )
    yield scenario(
        "input-message-only", "A failure has a message, and nothing else.", CLAUSES,
        calm().fail(_failed({"message": "failed"}, "read_file", {"path": "a"}), model=RIGHT).ok(), SILENT,
    )  # fmt: skip
    yield scenario(
        "input-signal", "A failure was ended by a signal.", CLAUSES,
        calm().fail(_failed({"message": "Command failed", "code": None, "signal": "SIGSEGV"}), model=RIGHT).ok(),
        SILENT,
    )  # fmt: skip
    empty = {**context(), "workspaceState": {"files": [], "directories": []}, "taskGoal": ""}
    yield scenario(
        "input-empty-workspace", "The workspace is empty, and so is the task.", CLAUSES,
        calm().fail(where=empty, model=RIGHT).ok(), SILENT,
    )  # fmt: skip


def _previous() -> Iterator[Scenario]:
    for count in (0, 1, 2, 3, 4, 10):
        before = [
            action("read_file", {"path": f"marker-{number}.txt"}, f"outcome-{number}-of-ten", success=number % 2 == 0)
            for number in range(1, count + 1)
        ]
        yield scenario(
            f"input-{count}-previous", f"{count} actions came before.",
            ("DR-IN-02", "DR-IN-03") if count else ("DR-IN-02",),
            calm().fail(where=context(count + 1, before), model=RIGHT).ok(), SILENT,
        )  # fmt: skip
    for iteration in (0, 1, 3, 999_999):  # 2 is what all others have
        yield scenario(
            f"input-iteration-{iteration}", f"It is iteration {iteration}.", ("DR-OUT-02", "DR-LOG-01"),
            calm().fail(where=context(iteration)).ok(), SILENT,
        )  # fmt: skip


def _error_shapes() -> Iterator[tuple[str, str, Any]]:
    for word, value in (
        ("number", 42), ("object", {"text": "failed"}), ("null", None), ("list", ["failed"]), ("true", True),
        ("empty", ""), ("blank", " \n\t"),
    ):  # fmt: skip
        yield f"message-{word}", f"has a message that is {word}", {**_WHOLE, "message": value}
    yield "message-missing", "has no message", {name: v for name, v in _WHOLE.items() if name != "message"}
    yield "message-nul", "has NUL and control characters in its message", {"message": "a\x00b\x07\x1b[2J\r\x7f"}
    yield "message-binary", "has a binary message", {"message": "".join(chr(number) for number in range(256))}
    yield "message-escapes", "has halves of surrogate pairs, written out", {"message": '"\\ud800" \\udfff \ufffd'}
    yield (
        "message-wide",
        "has wide and right-to-left characters",
        {"message": "\u202egnp \u65e5\u672c \U0001f642 e\u0301"},
    )
    yield "message-braces", "has braces, percents and backslashes", {"message": "{0} {} %s %(x)s \\1 ${HOME} {{a}}"}
    yield "message-lines", "has a thousand lines", {"message": "a line\n" * 1000}
    yield "code-text", "has a code that is the text 127", {**_WHOLE, "code": "127"}
    yield "code-fraction", "has the code 127.0", {**_WHOLE, "code": 127.0}
    yield "code-half", "has the code 127.5", {**_WHOLE, "code": 127.5}
    yield "code-true", "has the code true", {**_WHOLE, "code": True}
    yield "code-negative", "has a negative code", {"message": "failed", "code": -9}
    yield "code-huge", "has a code of sixty digits", {"message": "failed", "code": "9" * 60}
    yield "code-list", "has a list of codes", {**_WHOLE, "code": [127]}
    yield "code-object", "has an object for a code", {**_WHOLE, "code": {"exit": 127}}
    yield "stderr-bytes", "has bytes for stderr", {**_WHOLE, "stderr": {"type": "Buffer", "data": [98, 97, 115, 104]}}
    yield "stderr-list", "has a list for stderr", {**_WHOLE, "stderr": ["bash: git: command not found"]}
    yield "stdout-number", "has a number for stdout", {**_WHOLE, "stdout": 7}
    yield "signal-number", "has a number for a signal", {**_WHOLE, "signal": 9}
    yield "error-null", "has null for an error", None
    yield "error-text", "has a text for an error", "Permission denied"
    yield "error-number", "has a number for an error", 13
    yield "error-list", "has a list for an error", [{"message": "failed"}]
    yield "error-empty", "has an empty error", {}
    yield "error-nested", "has an error within an error", {"error": {"message": "failed"}, "cause": {"code": "EACCES"}}
    yield "error-unknown-fields", "has fields that nobody knows", {**_WHOLE, "errno": -2, "path": "/x", "__proto__": 1}


def _errors() -> Iterator[Scenario]:
    for word, said, error in _error_shapes():
        yield scenario(
            f"odd-{word}", f"A failure {said}: it is diagnosed.", _yields(word),
            calm().fail(_failed(error)).shown().tried(success=True).ok(), SILENT,
        )  # fmt: skip
    yield scenario(
        "odd-message-long", "A failure has a message of 1 MiB: it is diagnosed.", (*YIELDS, "DR-IN-04"),
        calm().fail(_failed({"message": "x" * LONG_BYTES})).shown().ok(), SILENT,
    )  # fmt: skip


def _call_shapes() -> Iterator[tuple[str, str, Any, Any]]:
    for word, args in (
        ("null", None), ("list", ["git", "clone"]), ("text", "git clone x"), ("number", 5), ("empty", {}),
        ("nested", {"a": {"b": [{"c": None}] * 3}}), ("command-list", {"command": ["git", "clone", "x"]}),
        ("command-null", {"command": None}), ("circular-text", {"command": "[Circular *1]"}),
    ):  # fmt: skip
        yield f"args-{word}", f"arguments that are odd ({word.replace('-', ' ')})", "run_bash", args
    for word, tool in (
        ("null", None), ("number", 7), ("list", ["run_bash"]), ("empty", ""), ("blank", " "), ("nul", "run\x00bash"),
        ("path", "../../bin/sh"), ("long", "t" * 10_000), ("object", {"name": "run_bash"}),
    ):  # fmt: skip
        yield f"tool-{word}", f"a tool whose name is odd ({word})", tool, _COMMAND


def _calls() -> Iterator[Scenario]:
    for word, said, tool, args in _call_shapes():
        yield scenario(
            f"odd-{word}", f"A call had {said}: its failure is diagnosed.", _yields(word),
            calm().fail(_failed(dict(_WHOLE), tool, args)).shown().gave_up().ok(), SILENT,
        )  # fmt: skip


def _context_shapes() -> Iterator[tuple[str, str, Any]]:
    good = context()
    for word, value in (("null", None), ("list", []), ("number", 3), ("text", "context"), ("empty", {})):
        yield f"context-{word}", f"is odd ({word})", value
    for field in good:
        word = field.lower()
        yield f"context-without-{word}", f"has no {field}", {name: v for name, v in good.items() if name != field}
        yield f"context-{word}-null", f"has null for {field}", {**good, field: None}
    for word, number in (("text", "two"), ("negative", -1), ("fraction", 2.5), ("true", True), ("huge", 2**53)):
        yield f"iteration-{word}", f"has an iteration that is odd ({word})", {**good, "iteration": number}
    for word, odd in (
        ("text", "run_bash"), ("numbers", [1, 2, None]), ("objects", [{"name": "run_bash"}]),
        ("object", {"run_bash": 1}), ("repeated", [*AVAILABLE, *AVAILABLE]),
    ):  # fmt: skip
        yield f"tools-{word}", f"has available tools that are odd ({word})", {**good, "availableTools": odd}
    for word, before in (
        ("object", {"tool": "x"}), ("numbers", [1, 2, 3, 4]), ("nulls", [None, None]), ("empty-objects", [{}, {}]),
        ("result-object", [{**action("x", None), "result": {"a": 1}}]),
        ("success-text", [{**action("x", {}), "success": "no"}]),
    ):  # fmt: skip
        yield f"previous-{word}", f"has previous actions that are odd ({word})", {**good, "previousActions": before}
    yield "workspace-list", "has a list for a workspace", {**good, "workspaceState": ["a"]}
    yield "workspace-numbers", "has numbers for files", {**good, "workspaceState": {"files": 3, "directories": None}}
    many = [f"src/part-{number}.py" for number in range(2000)]
    yield "workspace-many", "has two thousand files", {**good, "workspaceState": {"files": many, "directories": []}}
    yield "goal-object", "has an object for a goal", {**good, "taskGoal": {"text": "clone"}}


def _contexts() -> Iterator[Scenario]:
    for word, said, where in _context_shapes():
        yield scenario(
            f"odd-{word}", f"The context of a failure {said}: it is diagnosed.", _yields(word),
            calm().fail(GIT, where=where).shown().tried(success=False).ok(), SILENT,
        )  # fmt: skip
    for failure in (READ, REPO_BROWSER, UNKNOWN[0]):
        kind = (failure.type or ErrorType.UNKNOWN).value.replace("_", "-")
        yield scenario(
            f"odd-nothing-known-{kind}", "A failure of another type, without any context.", (*YIELDS, "DR-IN-04"),
            calm().fail(failure, where=None), FULL,
        )  # fmt: skip
