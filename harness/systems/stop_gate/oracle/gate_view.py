"""A history of the gate profile as its rules look at it: each check, its answer, and what it may rightly say. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from harness.core.fault import Injection
from harness.core.history import Completed, Entry, EntryType, History, InputFact
from harness.core.scenario import Scenario
from harness.systems.standing import faults_of, on_the_way
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import CheckArguments
from harness.systems.stop_gate.oracle import session, struck, transcript, weather
from harness.systems.stop_gate.oracle.gate_answer import read_answer, read_log
from harness.systems.stop_gate.oracle.gate_check import Check, Other
from harness.systems.stop_gate.oracle.gate_paths import RUNTIME, link_target, normalised, seconds
from harness.systems.stop_gate.oracle.session import Config, Facts, Outcome, Semaphore

__all__ = ["RUNTIME", "Check", "GateView", "Other", "link_target", "normalised", "on_the_way", "seconds"]


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
            elif begin.op in ("continuation_prompt", "metrics"):
                other = _other(operation, segment)
                if begin.op == "metrics" and not other.killed:
                    self.metrics += (other,)
                elif not other.killed:  # whatever was said then, and if nothing was, is no answer
                    self.prompts += (other,)

    def where(self, *outcomes: Outcome) -> Iterator[Check]:
        """The judged checks that surely end in one of these outcomes."""
        for check in self.judged():
            if check.outcomes <= set(outcomes):
                yield check

    def judged(self) -> Iterator[Check]:
        """The checks that say something of a clause: neither dismissed nor given up for a reason."""
        return (check for check in self.answered() if not check.gave_up)

    def answered(self) -> Iterator[Check]:
        """All checks but the dismissed, those given up for a reason included."""
        return (check for check in self.checks if not check.dismissed)

    def earlier(self, check: Check) -> Iterator[Check]:
        """The checks made on the same world before this one began."""
        return (other for other in self.checks if other.segment == check.segment and other.n < check.n)

    def has_project(self, root: str, begin: Entry) -> bool:
        """Did the project exist when the operation began?"""
        below = root.rstrip("/") + "/"
        return root == "{project}" or root in begin.files or any(path.startswith(below) for path in begin.files)

    def _check(self, operation: Completed, segment: int, beside: list[Completed]) -> Check | None:
        begin, end = operation.begin, operation.end
        args, odd = _arguments(begin.value)
        if args is None:
            return None  # the scenario asked something that is no check
        answer = read_answer(end.value) if end is not None and end.type is EntryType.OK else None
        facts = self._facts(args, operation, segment, beside, odd=odd)
        return Check(begin.n, segment, begin, end, args, facts, answer, bool(beside), odd)

    def _facts(
        self, args: CheckArguments, operation: Completed, segment: int, beside: list[Completed], *, odd: bool
    ) -> Facts:
        begin, standing = operation.begin, faults_of(operation)
        given = begin.inputs.get("transcript")
        moving = weather.moving(args.transcript_path, standing)
        data = self._transcript_bytes(args.transcript_path, given, standing, moving=bool(moving))
        read = None if data is None else transcript.read(data)
        return Facts(
            args,
            given,
            None if moving else read,
            self._config(args, begin, standing),
            self._semaphore(args, begin, standing, beside),
            self._scale(),
            odd or self._may_approve(args, begin),
            sum(
                check.segment == segment
                and (check.blocked or check.killed)
                and check.args.session_id == args.session_id
                for check in self.checks
            ),
            moving,
            read if moving else None,
        )

    def _transcript_bytes(
        self, path: str, given: InputFact | None, standing: tuple[Injection, ...], *, moving: bool
    ) -> bytes | None:
        """The transcript's bytes; those too large for a history come from the scenario, if nothing changed them.

        So do those of a transcript that happened to be away when the check began.
        """
        if given is not None and given.kind == "file" and given.data is not None:
            return given.data
        away = moving and given is not None and given.kind == "missing"
        if given is None or (given.kind != "file" and not away):
            return None
        spec = self.scenario.world.files.get(path)
        damaged = any(
            each.fault.path == path and each.fault.name not in weather.MOVING and each.fault.family != struck.FAMILY
            for each in standing
        )
        if spec is None or damaged or spec.kind != "file" or (spec.text is None and spec.base64 is None):
            return None
        data = spec.base64 if spec.base64 is not None else (spec.text or "").encode("utf-8", "surrogatepass")
        whole = len(data) if spec.pad_bytes is None else spec.pad_bytes
        return data if away or given.size == whole else None  # the padding is blank lines, which say nothing

    def _config(self, args: CheckArguments, begin: Entry, standing: tuple[Injection, ...]) -> Config:
        path = contract.CONFIG_PATH.replace("{project}", args.project_root)
        on_path = begin.files.get(path)
        is_link = on_path is not None and on_path.kind in ("symlink", "link")
        config = session.read_config(begin.inputs.get("config"), is_link=is_link)
        if not weather.moving(path, standing) and not any(struck.hides(each, path) for each in standing):
            return config
        spec = self.scenario.world.files.get(path)
        data = spec.text.encode() if spec is not None and spec.text is not None else b"{}"
        there = session.read_config(InputFact("file", len(data), data))
        return Config(
            "unsure", config.enabled | there.enabled | {True}, config.timeouts | there.timeouts | frozenset({None})
        )

    def _scale(self) -> float:
        limits = self.scenario.world.config.get("limits")
        scale = limits.get("scale", 1.0) if isinstance(limits, Mapping) else 1.0
        return float(scale) if isinstance(scale, int | float) and scale > 0 else 1.0

    def _semaphore(
        self, args: CheckArguments, begin: Entry, standing: tuple[Injection, ...], beside: list[Completed]
    ) -> Semaphore:
        if not session.is_safe(args.session_id):
            inside = (path for path in begin.files if path.startswith(RUNTIME + "/"))
            return Semaphore.MAYBE if beside or any("completed" in path for path in inside) else Semaphore.NONE
        path = f"{RUNTIME}/{contract.SEMAPHORE_NAME.format(session_id=args.session_id)}"
        if weather.moving(path, standing):
            return Semaphore.MAYBE
        state = session.semaphore_state(begin.files.get(path), seconds(begin.now))
        if state is Semaphore.LINK and self._leads_nowhere(path, begin, standing):
            return Semaphore.GONE
        hidden = any(on_the_way(each, path) and each.fault.name not in weather.OPEN_TO_SEE for each in standing)
        if state is Semaphore.FRESH and hidden:
            return Semaphore.MAYBE  # the fault may hide what stands behind it
        rivals = [other for other in beside if other.begin.value.get("session_id") == args.session_id]
        if state in (Semaphore.NONE, Semaphore.STALE) and any(_may_have_approved(other) for other in rivals):
            return Semaphore.MAYBE
        return state

    def _leads_nowhere(self, path: str, begin: Entry, standing: tuple[Injection, ...]) -> bool:
        target = link_target(path, self.scenario, standing)
        return target is not None and target.startswith(RUNTIME + "/") and target not in begin.files

    def _may_approve(self, args: CheckArguments, begin: Entry) -> bool:
        """May something the document does not spell out stop this analysis, so that an approval is right?"""
        if args.session_id and not session.is_safe(args.session_id):
            return True
        return not self.has_project(args.project_root, begin)


def _arguments(value: Mapping[str, Any]) -> tuple[CheckArguments | None, bool]:
    """The arguments of a check; with true when some had a wrong type and stand as if they had not been given.

    None when there is nothing to check at all.
    """
    texts: dict[str, Any] = {"transcript_path": "", "project_root": "{project}", "session_id": None}
    wrong = {name: text for name, text in texts.items() if not isinstance(value.get(name, text), str | type(text))}
    lacking = {name: text for name, text in texts.items() if text is not None and name not in value}
    try:
        return msgspec.convert({**value, **wrong, **lacking}, CheckArguments), bool(wrong or lacking)
    except (msgspec.ValidationError, TypeError, ValueError):
        return None, False


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
        and (other.end is None or other.end.n > operation.begin.n)
    ]


def _other(operation: Completed, segment: int) -> Other:
    begin, end = operation.begin, operation.end
    result = end.value if end is not None and end.type is EntryType.OK else None
    log = read_log(result.get("log", ())) if result is not None else ()
    return Other(begin.n, segment, seconds(begin.now), begin.value, result, log, faults_of(operation))
