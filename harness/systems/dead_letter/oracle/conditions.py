"""What a review may decide about a task, in every combination of the readings that bear on it. Pure."""

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from harness.systems.dead_letter import contract
from harness.systems.dead_letter.contract import (
    ATTEMPTS_AT_MOST,
    CONFIDENCE_AT_LEAST,
    IRREVERSIBLE,
    SAME_ERROR_APPROACHES,
    SECURITY,
    SECURITY_WORDS,
    SHARED_CAUSE_TASKS,
    Strategy,
    Touch,
    Verdict,
)
from harness.systems.dead_letter.contract import TaskFacts as Facts
from harness.systems.dead_letter.oracle.queues import Task

Maybe = frozenset[bool]
YES: Final[Maybe] = frozenset({True})
NO: Final[Maybe] = frozenset({False})
UNCLEAR: Final[Maybe] = YES | NO
READINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "LK-DQ-11": ("stated", "waits"),
    "LK-DQ-14": ("apart", "attempt"),
    "LK-DQ-18": ("both", "type", "message", "exact"),
    "LK-ES-01": ("words", "told"),
    "LK-ES-02": ("rollback", "irreversible"),
    "LK-ES-03": ("told", "normalised"),
}
Taken = Mapping[str, str]
Table = Mapping[str, Mapping[str, Maybe]]
ANY: Final = "any"  # instead of a reading: what is so in all of them
COMBINATIONS: Final[tuple[Taken, ...]] = tuple(
    dict(zip(READINGS, each, strict=True)) for each in itertools.product(*READINGS.values())
)
_WORD: Final = re.compile(r"[^\W_]+")
_WITHIN: Final = ("auth", "secret", "permission")


def any_of(found: Iterable[Maybe]) -> Maybe:
    """Is one of these so?"""
    each = list(found)
    if YES in each:
        return YES
    return UNCLEAR if UNCLEAR in each else NO


def _text(given: str | None) -> Maybe:
    if given is None:
        return NO
    return YES if given.strip() else UNCLEAR


class Situation(msgspec.Struct, frozen=True):
    """One task of dead-letter under review.

    ``causes`` are the root causes of the tasks that certainly count for it, ``possible`` those of all that may.
    ``spent``: a task of reduced scope was made for it before, or may have been.
    """

    task: Task
    facts: Facts
    causes: Sequence[str]
    possible: Sequence[str]
    spent: Maybe

    def retries(self) -> Mapping[str, Maybe]:
        """The retry conditions, by the clause of what follows from each."""
        scope = self.facts.simpler_scope
        simpler = NO if scope is None or self.spent == YES else UNCLEAR if self.spent == UNCLEAR else YES
        return {
            "LK-DQ-13": YES if self.facts.dependency_available else NO,
            "LK-DQ-14": _text(self.facts.new_approach),
            "LK-DQ-15": simpler,
            "LK-DQ-16": _text(self.facts.fixed_by),
        }

    def abandons(self) -> Table:
        """The abandon criteria, by clause and reading."""
        given_up = self.facts.dependency_never or self.facts.irrelevant
        return {
            "LK-DQ-17": {name: self._has_ten(name) for name in READINGS["LK-DQ-14"]},
            "LK-DQ-18": {name: self._has_same_error(name) for name in READINGS["LK-DQ-18"]},
            "LK-DQ-19": {ANY: YES if given_up else NO},
        }

    def humans(self) -> Table:
        """The triggers of an escalation, by clause and reading."""
        confidence = self.facts.confidence
        return {
            "LK-ES-01": {name: self._is_security(name) for name in READINGS["LK-ES-01"]},
            "LK-ES-02": {name: self._is_data_loss(name) for name in READINGS["LK-ES-02"]},
            "LK-ES-03": {name: self._is_systemic(name) for name in READINGS["LK-ES-03"]},
            "LK-ES-04": {ANY: YES if confidence is not None and confidence < CONFIDENCE_AT_LEAST else NO},
            "LK-ES-05": {ANY: self._asks_others()},
        }

    @property
    def waits(self) -> bool:
        """Does it wait for a human already?"""
        return bool(self.task.get("recovery_strategy") == Strategy.REQUIRES_HUMAN_REVIEW)

    @property
    def failures(self) -> int:
        """How many attempts failed."""
        return len(contract.failures_of(self.task))

    def most_approaches(self) -> int:
        """In how many different approaches one error occurred, at most, in any reading."""
        return max(self._most(reading, strict=False) for reading in READINGS["LK-DQ-18"])

    def _has_ten(self, reading: str) -> Maybe:
        raw = self.task.get("attempts")
        tried = contract.attempts_of(self.task)
        least = self.failures if reading == "apart" else len(tried)
        odd = len(raw) - len(tried) if isinstance(raw, list | tuple) else 0
        if least > ATTEMPTS_AT_MOST:
            return YES
        return UNCLEAR if least + odd > ATTEMPTS_AT_MOST else NO

    def _has_same_error(self, reading: str) -> Maybe:
        if self._most(reading, strict=True) >= SAME_ERROR_APPROACHES:
            return YES
        return UNCLEAR if self._most(reading, strict=False) >= SAME_ERROR_APPROACHES else NO

    def _most(self, reading: str, *, strict: bool) -> int:
        return max(map(len, self._approaches(reading, strict=strict).values()), default=0)

    def _approaches(self, reading: str, *, strict: bool) -> Mapping[object, set[str]]:
        """The approaches in which each error occurred; ``strict``: those that are certainly different, and errors."""
        found: dict[object, set[str]] = {}
        for each in contract.failures_of(self.task):
            approach, kind, message = each.get("approach"), each.get("error_type"), each.get("error_message")
            parts: tuple[Any, ...] = {
                "both": (kind, contract.normalised(message)), "type": (kind,),
                "message": (contract.normalised(message),), "exact": (kind, message),
            }[reading]  # fmt: skip
            if strict and not (isinstance(approach, str) and approach and all(isinstance(p, str) and p for p in parts)):
                continue
            name = " ".join(approach.casefold().split()) if strict and isinstance(approach, str) else repr(approach)
            found.setdefault(repr(parts), set()).add(name)
        return found

    def _is_security(self, reading: str) -> Maybe:
        touches = self.facts.touches
        if SECURITY & set(touches):
            return YES
        odd = any(each.strip().casefold() in SECURITY for each in touches)
        if reading == "words":
            data = contract.data_of(self.task)
            said = " ".join(str(data[name]) for name in ("title", "description") if isinstance(data.get(name), str))
            if SECURITY_WORDS & set(_WORD.findall(said.casefold())):
                return YES
            odd = odd or any(each in said.casefold() for each in _WITHIN)
        return UNCLEAR if odd else NO

    def _is_data_loss(self, reading: str) -> Maybe:
        touches = self.facts.touches
        failed = self.facts.rollback_failed or reading == "irreversible"
        if IRREVERSIBLE & set(touches):
            return YES if failed else NO
        odd = any(each.strip().casefold() in (Touch.DELETION, Touch.MIGRATION) for each in touches)
        return UNCLEAR if odd and failed else NO

    def _is_systemic(self, reading: str) -> Maybe:
        if self.facts.root_cause is None:
            return NO
        own = _cause(self.facts.root_cause, reading)
        sure = sum(_cause(each, reading) == own for each in self.causes)
        most = sum(_cause(each, reading) == own for each in self.possible)
        if sure >= SHARED_CAUSE_TASKS and own.strip():
            return YES
        return UNCLEAR if most >= SHARED_CAUSE_TASKS else NO

    def _asks_others(self) -> Maybe:
        readings = self.facts.readings
        needs = any_of(map(_text, self.facts.needs))
        return any_of((needs, YES if readings > 1 else UNCLEAR if readings < 1 else NO))


def _cause(text: str, reading: str) -> str:
    return " ".join(text.casefold().split()) if reading == "normalised" else text


class Weighed:
    """A situation, and what may be decided in it: ``permitted`` has it for each of COMBINATIONS, in their order."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.retries = situation.retries()
        self._abandons = situation.abandons()
        self._humans = situation.humans()
        self.permitted = [self._permitted(taken) for taken in COMBINATIONS]
        self.wanted = sorted(frozenset[str]().union(*self.permitted))

    def _permitted(self, taken: Taken) -> frozenset[str]:
        """What may be decided, in these readings."""
        situation = self.situation
        retry, abandon = any_of(self.retries.values()), any_of(_read(self._abandons, taken))
        if situation.waits and taken["LK-DQ-11"] == "waits":
            retry = NO
        human = any_of(_read(self._humans, taken))
        if situation.waits and human == NO:
            human = UNCLEAR
        found = {Verdict.RETRIED.value} if True in retry else set()
        if False in retry:
            found |= {Verdict.ABANDONED.value} if True in abandon else set()
            if False in abandon:
                found |= {(Verdict.HUMAN if needs else Verdict.LEFT).value for needs in human}
        if situation.facts.simpler_scope is not None and True in situation.spent and False in retry:
            found.add(Verdict.LEFT.value)
        return frozenset(found)

    def relevant(self) -> list[str]:
        """The clauses whose situation that is: which of them the decision shows something of."""
        situation = self.situation
        criteria, triggers = _met(self._abandons), _met(self._humans)
        retry = any_of(self.retries.values())
        found = ["LK-DQ-11"] if (True in retry) + bool(criteria) + bool(triggers) != 1 else []
        if True in retry:
            return found
        if situation.failures >= ATTEMPTS_AT_MOST and criteria in ([], ["LK-DQ-17"]):
            found.append("LK-DQ-17")
        if situation.most_approaches() >= SAME_ERROR_APPROACHES - 1 and criteria in ([], ["LK-DQ-18"]):
            found.append("LK-DQ-18")
        if "LK-DQ-19" in criteria:
            found.append("LK-DQ-19")
        if not criteria:
            found += [each for each in self._humans if triggers in ([], [each]) and _is_asked(situation, each)]
        return found


def _read(table: Table, taken: Taken) -> list[Maybe]:
    """What the table says in these readings."""
    return [found[ANY] if ANY in found else found[taken["LK-DQ-14" if clause == "LK-DQ-17" else clause]]
            for clause, found in table.items()]  # fmt: skip


def _met(table: Table) -> list[str]:
    """The clauses that may be met, in some reading."""
    return [clause for clause, found in table.items() if any(True in each for each in found.values())]


def _is_asked(situation: Situation, clause: str) -> bool:
    """Was something said that bears on that trigger?"""
    facts = situation.facts
    if clause == "LK-ES-02":
        return facts.rollback_failed or bool(IRREVERSIBLE & set(facts.touches))
    if clause == "LK-ES-03":
        return facts.root_cause is not None and situation.possible.count(facts.root_cause) >= SHARED_CAUSE_TASKS - 1
    if clause == "LK-ES-04":
        return facts.confidence is not None
    return True
