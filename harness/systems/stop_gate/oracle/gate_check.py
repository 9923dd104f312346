"""One check of a history: what it was asked, what it said, and what the document lets it say. Pure."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import msgspec

from harness.core.fault import Injection
from harness.core.history import Entry, EntryType, FileFact
from harness.systems import standing
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import CheckArguments, CheckerOutcome
from harness.systems.stop_gate.oracle import session, struck, weather
from harness.systems.stop_gate.oracle.gate_answer import Answer, Log
from harness.systems.stop_gate.oracle.gate_paths import RUNTIME, seconds
from harness.systems.stop_gate.oracle.session import ANALYSED, FIXED_REASONS, HANGING, Facts, Outcome

_WAITING = HANGING | {CheckerOutcome.SLOW}


class Check(msgspec.Struct, frozen=True, dict=True):
    """One check: its arguments, its answer (None: there was none), and what the document lets it answer.

    ``odd`` tells that an argument had a type that no caller may give it; ``args`` then has the nearest that has one.
    """

    n: int
    segment: int
    begin: Entry
    end: Entry | None
    args: CheckArguments
    facts: Facts
    answer: Answer | None
    overlapped: bool = False
    odd: bool = False

    @cached_property
    def outcomes(self) -> frozenset[Outcome]:
        """Every outcome the document permits."""
        return session.outcomes(self.facts)

    @property
    def now_s(self) -> float:
        """The time of the call, in seconds since the epoch."""
        return seconds(self.begin.now)

    @cached_property
    def injections(self) -> tuple[Injection, ...]:
        """The faults standing, proven or not."""
        return standing.injections(self.begin, self.end)

    @cached_property
    def faults(self) -> tuple[Injection, ...]:
        """The faults standing that the harness proved."""
        return tuple(filter(standing.proven, self.injections))

    @property
    def calm(self) -> bool:
        """True when no fault stands, proven or not, and no other check runs beside it."""
        return not self.injections and not self.overlapped

    @cached_property
    def killed(self) -> bool:
        """True when the harness itself ended the process: whatever was said, and if nothing was, is no answer."""
        return any(injection.fault.name in struck.KILLS for injection in self.faults)

    @property
    def dismissed(self) -> bool:
        """True when nothing can be asked of its answer.

        It was killed; or refused for arguments of wrong types; or its checkers wait for a clock that does not run.
        """
        refused = self.odd and self.end is not None and self.end.type is EntryType.FAIL
        waits = any(item.outcome in _WAITING for item in self.args.considerations or ())
        timeless = waits and any(injection.fault.name in weather.TIMELESS for injection in self.injections)
        return self.killed or refused or timeless

    @cached_property
    def gave_up(self) -> bool:
        """True when it approved instead of what the session deserves, under a fault that may rightly stop it.

        Of a single call that failed: also when its answer cannot be told from one that was given up.
        """
        answer = self.answer
        if answer is None or answer.malformed or not self.approved or all(map(self._leaves, self.injections)):
            return False
        told = self.outcomes & FIXED_REASONS if any(map(struck.is_errno, self.injections)) else self.outcomes
        return not self.within(told)

    @property
    def untold(self) -> bool:
        """True when it approved and may have done so before it came to do anything the document asks for."""
        return self.approved and Outcome.APPROVE in self.outcomes

    @property
    def permitted(self) -> bool:
        """Was it answered with one of the permitted outcomes, or given up for a reason?"""
        return self.gave_up or self.within(self.outcomes)

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
        """The permitted outcomes, in words, and the faults they are permitted under."""
        outcomes = " or ".join(
            "block" if outcome is Outcome.BLOCK else f"approve ({outcome.value})" for outcome in sorted(self.outcomes)
        )
        names = dict.fromkeys(injection.fault.name for injection in self.faults)
        return f"{outcomes} under {', '.join(names)}" if names else outcomes

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
        """Paths that appeared or changed during the check, directories that only changed in time left out.

        Those that the harness itself keeps changing are left out too.
        """
        before = self.begin.files
        return {
            path: fact
            for path, fact in self.after.items()
            if not weather.stirred(path, self.injections)
            and (
                path not in before
                or (before[path].kind, before[path].sha256, before[path].size if fact.kind == "file" else 0)
                != (fact.kind, fact.sha256, fact.size if fact.kind == "file" else 0)
                or (fact.kind == "file" and before[path].mtime_s != fact.mtime_s)
            )
        }

    def undisturbed(self, path: str) -> bool:
        """Does no fault keep that path from being written, or from being seen as it was written?"""
        return all(
            struck.keeps(injection, self.places, path)
            if injection.fault.family == struck.FAMILY
            else weather.leaves_gate(injection)
            and (injection.fault.name in weather.WRITABLE or not standing.on_the_way(injection, path))
            for injection in self.injections
        )

    @property
    def places(self) -> struck.Places:
        """The paths it reads and writes by the document."""
        config = contract.CONFIG_PATH.replace("{project}", self.args.project_root)
        return struck.Places(self.args.transcript_path, config, self.semaphore_path, self.summary_path)

    def _leaves(self, injection: Injection) -> bool:
        if injection.fault.family == struck.FAMILY:
            return struck.leaves_answer(injection, self.places)
        return weather.leaves_gate(injection)


class Other(msgspec.Struct, frozen=True):
    """An operation that is no check: its arguments, and its result or None."""

    n: int
    segment: int
    now_s: float
    args: Mapping[str, Any]
    result: Mapping[str, Any] | None
    log: tuple[Log, ...]
    faults: tuple[Injection, ...] = ()

    @property
    def killed(self) -> bool:
        """True when the harness itself ended the process."""
        return any(standing.proven(each) and each.fault.name in struck.KILLS for each in self.faults)
