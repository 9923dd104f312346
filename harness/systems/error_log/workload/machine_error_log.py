"""The stateful machine of error logs: errors of several processes, a task that fails and goes on, faults, time.

Each case draws its faults from some of the families only; see systems.swarm. Names of errors are never used twice.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from harness.core.fault import Fault
from harness.core.scenario import FileSpec, Operation, Schedule, Step, World
from harness.systems.error_log.contract import ERRORS_PATH, METADATA_PATH, PLAN_PATH, ErrorType, Severity
from harness.systems.error_log.workload.candidates import FACTS, KINDS
from harness.systems.error_log.workload.error_log_steps import (
    CLOCK,
    FILES,
    OTHER,
    OTHER_TASK,
    PATH,
    PHASES,
    SESSION,
    SPECS,
    TASK,
    context,
    given,
    progress,
)
from harness.systems.error_log.workload.file_boundaries import old
from harness.systems.error_log.workload.record_boundaries import ODD
from harness.systems.struck_machine import PROCESSES, TOGETHER, WAYS, Faults, StruckMachine
from harness.systems.swarm import Table, subsets

SESSIONS = (SESSION, SESSION, OTHER)
TASKS = (TASK, TASK, OTHER_TASK)
SEVERITIES = (*(each.value for each in Severity), None)
MOVES_S = (0.001, 1.0, 0.000001, 60.0, 86400.0, 4e8, -0.000001, -1.0, -3600.0, -1.7e9)
TYPES = (*KINDS, *KINDS, "metric_failure", "logging_failure", "disk_full")
HANDLED = (
    ErrorType.BUILD_ERROR.value,
    ErrorType.TIMEOUT.value,
    "git_commit_failure",
    "metric_failure",
    "logging_failure",
)
TRAJECTORIES: tuple[Any, ...] = (
    None, None, {"delegation_path": list(PATH), "failed_at_depth": 2},
    {"delegation_path": list(PATH), "failed_at_depth": 0},
    {"delegation_path": ["a"], "failed_at_depth": 5}, {"delegation_path": [], "failed_at_depth": 0}, "text",
)  # fmt: skip
RECOVERIES: tuple[Any, ...] = (
    None,
    None,
    {"suggested_action": "Again", "auto_recoverable": True},
    {"auto_recoverable": 1},
)
MESSAGES: tuple[Any, ...] = (*[None] * 12, *(value for word, _, value in ODD if word != "long"))
INCIDENTS: tuple[Mapping[str, Any], ...] = (
    {"source": "git"}, {"source": "operation", "timed_out": True}, {"source": "mcp_tool", "code": -32001},
    {"source": "mcp_tool", "responded": False},
    {"source": "delegation", "ended": True, "metadata_status": "in_progress"},
    {"source": "json"}, {"source": "printer"},
)  # fmt: skip


def _faults(family: str, path: str | None, *kinds: str) -> tuple[Fault, ...]:
    return tuple(Fault(f"{family}.{kind}", path) for kind in kinds)


_DAMAGE = (
    "truncated", "empty", "not_json", "list", "scalar", "null", "bad_utf8", "bom", "huge_integer", "deep_nesting",
    "duplicate_keys", "nul_bytes", "nan", "wrong_types", "out_of_range",
)  # fmt: skip
DOCUMENT_FAULTS = (
    *_faults("json_document", ERRORS_PATH, *_DAMAGE),
    Fault("json_document.wrong_types", ERRORS_PATH, {"field": "errors"}),
    *_faults("json_document", METADATA_PATH, "truncated", "empty", "list", "wrong_types"),
    *_faults("filesystem", ERRORS_PATH, "missing", "empty", "parent_missing", "garbled", "aged", "leftover"),
    *_faults("filesystem", METADATA_PATH, "missing", "garbled"),
    *_faults("filesystem", PLAN_PATH, "missing", "garbled"),
)  # fmt: skip
STORAGE_FAULTS = (
    *_faults(
        "filesystem", ERRORS_PATH, "directory", "fifo", "symlink_loop", "dangling_link", "link_outside", "unreadable",
        "not_writable", "busy", "full_device", "vanishing", "growing",
    ),
    *_faults("filesystem", METADATA_PATH, "directory", "unreadable", "busy", "fifo"),
    *_faults("filesystem", PLAN_PATH, "directory", "unreadable"),
    *_faults(
        "filesystem", SPECS, "file_for_directory", "missing", "read_only", "full", "no_inodes", "not_writable",
        "unreadable", "symlink_loop", "dangling_link", "link_outside", "garbled", "leftover", "vanishing",
    ),
)  # fmt: skip
SURROUNDINGS = (
    *(Fault(f"clock.{kind}", None, {"by_s": 7200}) for kind in ("back", "forward", "jump")),
    *_faults("clock", None, "frozen", "year_1970", "year_2038"),
    Fault("clock.time_zone", None, {"name": "Pacific/Kiritimati"}),
    *(Fault("process.killed", None, {"signal": signal, "at": 0.5}) for signal in ("SIGKILL", "SIGTERM")),
    Fault("process.slow_disk", None, {"delay_ms": 1}),
    Fault("process.paused", None, {"for_ms": 2}),
    Fault("process.few_descriptors", None, {"count": 16}),
    Fault("process.file_size", None, {"bytes": 0}),
    Fault("process.file_size", None, {"bytes": 64}),
    Fault("process.lock_held", ERRORS_PATH),
    *_faults(
        "environment", None, "no_home", "empty_home", "missing_home", "read_only_home", "odd_locale", "no_path",
        "no_tmpdir", "nothing", "deleted_cwd", "odd_umask", "stderr_closed", "stderr_full",
    ),
)  # fmt: skip
FAULTS = Faults(Table(DOCUMENT_FAULTS), Table(STORAGE_FAULTS), Table(SURROUNDINGS))
_RECORDS = json.dumps({"errors": [old(1), old(2, OTHER, fix_status="fixed")]})
ERRORS_FILES: tuple[str | None, ...] = (
    *[None] * 8, *[_RECORDS] * 3, "{}", "[]", json.dumps([old(1)]), _RECORDS[:200], json.dumps({"errors": [3, old(2)]}),
)  # fmt: skip
# what is struck at its file calls: a record, a whole handling, and a delegation's beginning
LEARNT_IN = World(CLOCK, FILES)


def _logged(name: str, kind: Any = "timeout", session: str = SESSION, **fields: Any) -> Operation:
    error = given(kind, f"what happened to {name}", context=context(session), **fields)
    return Operation("log", {"name": name, "error": error})


def _handled(name: str, kind: Any, severity: Any, far: Mapping[str, Any]) -> Operation:
    error = given(kind, f"what happened to {name}", severity=severity, context=context())
    return Operation("handle", {"name": name, "error": error, "progress": dict(far)})


STRUCK: tuple[tuple[Step, ...], ...] = (
    (Step(op=_logged("learnt-1")),),
    (Step(op=_logged("learnt-1")), Step(op=_logged("learnt-2"))),
    (Step(op=_logged("learnt-1")), Step(op=_handled("learnt-2", "build_error", "high", progress()))),
)


class _ErrorLogMachine(StruckMachine):
    """See StruckMachine."""

    FAULTS, MOVES_S, LEARNT_IN, STRUCK = FAULTS, MOVES_S, LEARNT_IN, STRUCK
    LOOKS = (Operation("read"),)

    def _begin_anew(self) -> None:
        self._names: list[str] = []
        self._completed: dict[int, int] = {}
        super()._begin_anew()

    @initialize(families=subsets(FAULTS.families), errors=st.sampled_from(ERRORS_FILES))
    def begin(self, families: frozenset[str], errors: str | None) -> None:
        self._learn(families)
        files = {} if errors is None else {ERRORS_PATH: FileSpec(text=errors)}
        self._driver.begin(World(CLOCK, {**FILES, **files}))

    @rule(
        way=st.sampled_from(WAYS), kind=st.sampled_from(TYPES), severity=st.sampled_from(SEVERITIES),
        session=st.sampled_from(SESSIONS), message=st.sampled_from(MESSAGES), trajectory=st.sampled_from(TRAJECTORIES),
        recovery=st.sampled_from(RECOVERIES), process=st.sampled_from(PROCESSES), data=st.data(),
    )  # fmt: skip
    def log(
        self, way: str, kind: str, severity: str | None, session: str, message: Any, trajectory: Any, recovery: Any,
        process: int, data: st.DataObject,
    ) -> None:  # fmt: skip
        if self._strikes_a_call(way, data):
            return
        if self._orders(way):
            self._take_in_order((_logged(self._name(), kind, session), _logged(self._name())), data)
        else:
            fields = {"severity": severity, "trajectory": trajectory, "recovery": recovery}
            operation = _logged(
                self._name(), kind, session, **{key: val for key, val in fields.items() if val is not None}
            )
            if message is not None:
                operation.args["error"]["message"] = message
            self._take(Step(process=process, op=operation))

    @rule(
        kind=st.sampled_from((*HANDLED, *KINDS)), severity=st.sampled_from(SEVERITIES), task=st.sampled_from(TASKS),
        further=st.integers(0, 1), partial=st.sampled_from((None, "half", {"lines": 3})),
        process=st.sampled_from(PROCESSES),
    )  # fmt: skip
    def handle(self, kind: str, severity: str | None, task: int, further: int, partial: Any, process: int) -> None:
        """A task fails, as far as it was or a phase further."""
        far = self._far(task, further, partial)
        self._take(Step(process=process, op=_handled(self._name(), kind, severity, far)))

    @rule(
        kind=st.sampled_from(KINDS), facts=st.sampled_from(FACTS), task=st.sampled_from(TASKS),
        further=st.integers(0, 1), left=st.sampled_from((None, "its stage", "half")),
        process=st.sampled_from(PROCESSES),
    )  # fmt: skip
    def recover(
        self, kind: str, facts: Mapping[str, Any], task: int, further: int, left: str | None, process: int
    ) -> None:
        name = self._name()
        error = given(kind, f"what happened to {name}", severity="high", context=context(task=task))
        far = self._far(task, further, None)
        if left is not None:
            error["partial_progress"] = {"stage": far["failed_at"], "details": 1} if left == "its stage" else left
        args = {"name": name, "error": error, "progress": far, "facts": dict(facts)}
        self._take(Step(process=process, op=Operation("recover", args)))

    @rule(task=st.sampled_from(TASKS), status=st.sampled_from(("researching", "implementing")))
    def begin_delegation(self, task: int, status: str) -> None:
        args = {"task": task, "session_id": SESSION, "agent": PATH[-1], "delegation_path": list(PATH), "status": status}
        self._take(Step(op=Operation("begin", args)))

    @rule(task=st.sampled_from(TASKS), process=st.sampled_from(PROCESSES))
    def resume(self, task: int, process: int) -> None:
        self._take(Step(process=process, op=Operation("resume", {"task": task})))

    @rule(
        what=st.sampled_from(("read", "read", "patterns", "finish", "classify")),
        session=st.sampled_from((*SESSIONS, None)), incident=st.sampled_from(INCIDENTS),
        process=st.sampled_from(PROCESSES),
    )  # fmt: skip
    def look(self, what: str, session: str | None, incident: Mapping[str, Any], process: int) -> None:
        args: dict[str, Any] = {}
        if what == "read" and session is not None:
            args = {"session_id": session}
        elif what == "classify":
            args = {"incident": dict(incident)}
        self._take(Step(process=process, op=Operation(what, args)))

    @precondition(lambda self: self._names)
    @rule(data=st.data(), status=st.sampled_from(("in_progress", "fixed")), process=st.sampled_from(PROCESSES))
    def set_fix_status(self, data: st.DataObject, status: str, process: int) -> None:
        args = {"name": data.draw(st.sampled_from(self._names)), "status": status}
        self._take(Step(process=process, op=Operation("set_fix_status", args)))

    @rule(count=st.sampled_from(TOGETHER), session=st.sampled_from(SESSIONS))
    def together(self, count: int, session: str) -> None:
        """So many processes log at once."""
        self._take(Step(schedule=Schedule(tuple(_logged(self._name(), session=session) for _ in range(count)))))

    def _name(self) -> str:
        self._names.append(f"m{len(self._names) + 1}")
        return self._names[-1]

    def _far(self, task: int, further: int, partial: Any) -> dict[str, Any]:
        """How far the task is: from what the plan says is completed, and never back."""
        done = self._completed[task] = min(self._completed.get(task, 1) + further, len(PHASES) - 1)
        return progress(PHASES[:done], PHASES[done], task=task, partial=partial)


def error_log_machine() -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver."""
    return _ErrorLogMachine
