"""A history of the gate profile as its rules look at it: each check, its answer, and what it may rightly say. Pure."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any

import msgspec

from harness.core.fault import Injection
from harness.core.history import Completed, Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import FileSpec, Scenario
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import CheckArguments
from harness.systems.stop_gate.oracle import session, transcript
from harness.systems.stop_gate.oracle.gate_answer import Answer, Log, read_answer, read_log
from harness.systems.stop_gate.oracle.session import ANALYSED, Facts, Outcome, Semaphore

RUNTIME = contract.RUNTIME_DIRECTORY
DATA_FAMILIES = ("jsonl", "json_document", "filesystem")  # their effects show in inputs and snapshots


class Check(msgspec.Struct, frozen=True, dict=True):
    """One check: its arguments, its answer (None: there was none), and what the document lets it answer."""

    n: int
    segment: int
    begin: Entry
    end: Entry | None
    args: CheckArguments
    facts: Facts
    answer: Answer | None
    overlapped: bool = False

    @cached_property
    def outcomes(self) -> frozenset[Outcome]:
        """Every outcome the document permits."""
        return session.outcomes(self.facts)

    @property
    def now_s(self) -> float:
        """The time of the call, in seconds since the epoch."""
        return seconds(self.begin.now)

    @property
    def faults(self) -> tuple[Injection, ...]:
        """The faults standing that the harness proved."""
        return tuple(injection for injection in self.begin.faults if injection.armed and injection.proof)

    @property
    def calm(self) -> bool:
        """True when no fault stands, proven or not, and no other check runs beside it."""
        return not self.begin.faults and not self.overlapped

    @property
    def ended_by_fault(self) -> bool:
        """True when there is no answer because the harness itself killed the process."""
        return self.answer is None and any(injection.fault.family == "process" for injection in self.begin.faults)

    @property
    def permitted(self) -> bool:
        """Was it answered with one of the permitted outcomes?"""
        return self.within(self.outcomes)

    def within(self, outcomes: frozenset[Outcome]) -> bool:
        """Was it answered, in the right shape, with one of these outcomes?"""
        answer = self.answer
        if answer is None or answer.malformed:
            return False
        return any(session.fits(outcome, answer.decision, answer.reasons) for outcome in outcomes)

    @property
    def approved(self) -> bool:
        """Was the answer an approval?"""
        return self.answer is not None and self.answer.decision == "approve"

    @property
    def blocked(self) -> bool:
        """Was the answer a block?"""
        return self.answer is not None and self.answer.decision == "block"

    @property
    def decision(self) -> str | None:
        """The only permitted decision, None when both are."""
        decisions = {"block" if outcome is Outcome.BLOCK else "approve" for outcome in self.outcomes}
        return decisions.pop() if len(decisions) == 1 else None

    @property
    def analysis(self) -> frozenset[Outcome]:
        """How the analysis would end if no earlier rule decided."""
        return frozenset(session.analysis(self.facts))

    @property
    def would_block(self) -> bool:
        """Would the analysis surely end in a block?"""
        return self.analysis == {Outcome.BLOCK}

    @property
    def analysed(self) -> bool:
        """Did an analysis surely come to its end?"""
        return self.outcomes <= ANALYSED

    @property
    def after(self) -> Mapping[str, FileFact]:
        """The snapshot after the check; as before when it never ended."""
        return self.begin.files if self.end is None else self.end.files

    @property
    def said(self) -> str:
        """What was observed, in words."""
        if self.answer is not None:
            return str(self.answer)
        if self.end is None:
            return "the run ended without an answer"
        why = self.end.value.get("reason", self.end.value.get("error", "unknown"))
        return f"no answer ({str(why)[:200]})"

    @property
    def wanted(self) -> str:
        """The permitted outcomes, in words."""
        return " or ".join(
            "block" if outcome is Outcome.BLOCK else f"approve ({outcome.value})" for outcome in sorted(self.outcomes)
        )

    @property
    def semaphore_path(self) -> str:
        """Where the semaphore of this session belongs, for an id that is safe."""
        return f"{RUNTIME}/{contract.SEMAPHORE_NAME.format(session_id=self.args.session_id)}"

    @property
    def summary_path(self) -> str:
        """Where the summary of this session belongs, for an id that is safe."""
        return f"{RUNTIME}/{self.args.session_id}/{contract.SUMMARY_NAME}"

    @property
    def has_safe_id(self) -> bool:
        """Is its id one that every implementation uses as it is?"""
        return session.is_safe(self.args.session_id)

    def written(self) -> dict[str, FileFact]:
        """Paths that appeared or changed during the check, directories that only changed in time left out."""
        before = self.begin.files
        return {
            path: fact
            for path, fact in self.after.items()
            if path not in before
            or (before[path].kind, before[path].sha256, before[path].size if fact.kind == "file" else 0)
            != (fact.kind, fact.sha256, fact.size if fact.kind == "file" else 0)
            or (fact.kind == "file" and before[path].mtime_s != fact.mtime_s)
        }


class Other(msgspec.Struct, frozen=True):
    """An operation that is no check: its arguments, and its result or None."""

    n: int
    segment: int
    now_s: float
    args: Mapping[str, Any]
    result: Mapping[str, Any] | None
    log: tuple[Log, ...]


class GateView:
    """All checks of one history, and the other operations."""

    def __init__(self, scenario: Scenario, history: History) -> None:
        self.scenario = scenario
        self.checks: tuple[Check, ...] = ()
        self.prompts: tuple[Other, ...] = ()
        self.metrics: tuple[Other, ...] = ()
        segment = 0
        operations = history.operations()
        for operation in operations:
            begin = operation.begin
            if begin.op == "reset":
                segment += 1
            elif begin.op == "check":
                check = self._check(operation, segment, _overlaps(operation, operations))
                self.checks += () if check is None else (check,)
            elif begin.op == "continuation_prompt":
                self.prompts += (_other(operation, segment),)
            elif begin.op == "metrics":
                self.metrics += (_other(operation, segment),)

    def where(self, *outcomes: Outcome) -> Iterator[Check]:
        """The checks that surely end in one of these outcomes, except those whose process the harness killed."""
        for check in self.judged():
            if check.outcomes <= set(outcomes):
                yield check

    def judged(self) -> Iterator[Check]:
        """All checks except those whose process the harness killed."""
        return (check for check in self.checks if not check.ended_by_fault)

    def earlier(self, check: Check) -> Iterator[Check]:
        """The checks made on the same world before this one began."""
        return (other for other in self.checks if other.segment == check.segment and other.n < check.n)

    def has_project(self, root: str, begin: Entry) -> bool:
        """Did the project exist when the operation began?"""
        below = root.rstrip("/") + "/"
        return root == "{project}" or root in begin.files or any(path.startswith(below) for path in begin.files)

    def _check(self, operation: Completed, segment: int, beside: list[Completed]) -> Check | None:
        begin, end = operation.begin, operation.end
        try:
            args = msgspec.convert(dict(begin.value), CheckArguments)
        except (msgspec.ValidationError, TypeError, ValueError):
            return None  # the scenario asked something that is no check
        answer = read_answer(end.value) if end is not None and end.type is EntryType.OK else None
        facts = self._facts(args, begin, segment, beside)
        return Check(begin.n, segment, begin, end, args, facts, answer, bool(beside))

    def _facts(self, args: CheckArguments, begin: Entry, segment: int, beside: list[Completed]) -> Facts:
        given = begin.inputs.get("transcript")
        data = self._transcript_bytes(args.transcript_path, given, begin)
        config_path = contract.CONFIG_PATH.replace("{project}", args.project_root)
        on_config = begin.files.get(config_path)
        is_link = on_config is not None and on_config.kind in ("symlink", "link")
        return Facts(
            args,
            given,
            None if data is None else transcript.read(data),
            session.read_config(begin.inputs.get("config"), is_link=is_link),
            self._semaphore(args, begin, beside),
            self._scale(),
            self._may_approve(args, begin),
            sum(
                check.segment == segment and check.blocked and check.args.session_id == args.session_id
                for check in self.checks
            ),
        )

    def _transcript_bytes(self, path: str, given: InputFact | None, begin: Entry) -> bytes | None:
        """The transcript's bytes; those too large for a history come from the scenario, if nothing changed them."""
        if given is None or given.kind != "file":
            return None
        if given.data is not None:
            return given.data
        spec = self.scenario.world.files.get(path)
        struck = any(injection.fault.path == path for injection in begin.faults)
        if spec is None or struck or spec.kind != "file" or (spec.text is None and spec.base64 is None):
            return None
        data = spec.base64 if spec.base64 is not None else (spec.text or "").encode("utf-8", "surrogatepass")
        whole = len(data) if spec.pad_bytes is None else spec.pad_bytes
        return data if given.size == whole else None  # the padding is blank lines, which say nothing

    def _scale(self) -> float:
        limits = self.scenario.world.config.get("limits")
        scale = limits.get("scale", 1.0) if isinstance(limits, Mapping) else 1.0
        return float(scale) if isinstance(scale, int | float) and scale > 0 else 1.0

    def _semaphore(self, args: CheckArguments, begin: Entry, beside: list[Completed]) -> Semaphore:
        if not session.is_safe(args.session_id):
            inside = (path for path in begin.files if path.startswith(RUNTIME + "/"))
            return Semaphore.MAYBE if beside or any("completed" in path for path in inside) else Semaphore.NONE
        path = f"{RUNTIME}/{contract.SEMAPHORE_NAME.format(session_id=args.session_id)}"
        state = session.semaphore_state(begin.files.get(path), seconds(begin.now))
        if state is Semaphore.LINK and self._leads_nowhere(path, begin):
            return Semaphore.GONE
        if state is Semaphore.FRESH and any(on_the_way(injection, path) for injection in begin.faults):
            return Semaphore.MAYBE  # the fault may hide what stands behind it
        rivals = [other for other in beside if other.begin.value.get("session_id") == args.session_id]
        if state in (Semaphore.NONE, Semaphore.STALE) and any(_may_have_approved(other) for other in rivals):
            return Semaphore.MAYBE
        return state

    def _leads_nowhere(self, path: str, begin: Entry) -> bool:
        target = link_target(path, self.scenario, begin.faults)
        return target is not None and target.startswith(RUNTIME + "/") and target not in begin.files

    def _may_approve(self, args: CheckArguments, begin: Entry) -> bool:
        """May something the document does not spell out stop this analysis, so that an approval is right?"""
        if args.session_id and not session.is_safe(args.session_id):
            return True
        if not self.has_project(args.project_root, begin):
            return True
        return any(injection.fault.family not in DATA_FAMILIES for injection in begin.faults)


def _may_have_approved(operation: Completed) -> bool:
    end = operation.end
    return end is None or end.type is not EntryType.OK or end.value.get("decision") == "approve"


def _overlaps(operation: Completed, operations: tuple[Completed, ...]) -> list[Completed]:
    """The other checks that ran while this one did."""
    last = float("inf") if operation.end is None else operation.end.n
    return [
        other
        for other in operations
        if other.begin.op == "check"
        and other.begin.n != operation.begin.n
        and other.begin.process != operation.begin.process
        and other.begin.n < last
        and (other.end is not None and other.end.n > operation.begin.n)
    ]


def _other(operation: Completed, segment: int) -> Other:
    begin, end = operation.begin, operation.end
    result = end.value if end is not None and end.type is EntryType.OK else None
    log = read_log(result.get("log", ())) if result is not None else ()
    return Other(begin.n, segment, seconds(begin.now), begin.value, result, log)


def on_the_way(injection: Injection, path: str) -> bool:
    """Does the fault strike that path or a directory above it?"""
    struck = injection.fault.path
    return struck is not None and (path == struck or path.startswith(struck.rstrip("/") + "/"))


def seconds(moment: str) -> float:
    """An RFC 3339 time as seconds since the epoch."""
    return datetime.fromisoformat(moment).timestamp()


def link_target(path: str, scenario: Scenario, faults: tuple[Injection, ...]) -> str | None:
    """Where a link at that path points, normalised, as far as the scenario says so; None when nothing does."""
    for injection in faults:
        if injection.fault.path == path and injection.fault.name == "filesystem.link_outside":
            return "{outside}"
    spec: FileSpec | None = scenario.world.files.get(path)
    if spec is None or spec.kind != "symlink" or spec.target is None:
        return None
    start = "" if spec.target.startswith(("{", "/")) else path.rpartition("/")[0] + "/"
    return normalised(start + spec.target)


def normalised(path: str) -> str:
    """The path without ``.``, ``..`` and doubled separators, as if nothing on it were a link."""
    kept: list[str] = []
    for part in path.split("/"):
        if part == ".." and kept:
            kept.pop()
        elif part not in ("", ".", ".."):
            kept.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(kept)
