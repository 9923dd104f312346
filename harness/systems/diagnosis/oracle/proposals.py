"""What was proposed for a failure: the approaches of the alternatives, and the plans, in order. Pure."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import msgspec

from harness.core.history import InputFact
from harness.systems.diagnosis.contract import SHELLS, Approach
from harness.systems.diagnosis.oracle import files
from harness.systems.diagnosis.oracle.classification import type_of
from harness.systems.diagnosis.oracle.form import Raw, alternatives, asks, field, steps_of, tools_named
from harness.systems.diagnosis.oracle.shell_lines import BrokenError, Command, RefusedError, taken_apart
from harness.systems.diagnosis.oracle.view import Observed, View

_PATTERNS: Final = (b"learned_pattern", b"reusable_pattern")
_ASKS: Final[Raw] = {"strategy": Approach.ASK_USER.value, "tools": (), "approach": Approach.ASK_USER.value}
_WORDS: Final = re.compile(r"[^\s;&|'\"()]+")


class Proposed(msgspec.Struct, frozen=True):
    """One plan that was proposed for a failure; ``approach`` is that of its strategy, None when nothing says it."""

    plan: Raw
    approach: Approach | None
    asks: bool

    @property
    def strategy(self) -> Any:
        """The strategy, as it is named."""
        return self.plan.get("strategy")

    @property
    def lines(self) -> tuple[str, ...]:
        """The shell lines of its steps."""
        return tuple(
            line
            for step in steps_of(self.plan)
            if step.get("tool") in SHELLS and isinstance(line := field(step.get("args"), "command"), str)
        )


def approach_of(alternative: Raw) -> Approach | None:
    """The approach that an alternative names; None when it names none of the contract's."""
    named = alternative.get("approach")
    found = next((each for each in Approach if each.value == named), None)
    return Approach.ASK_USER if found is not None and not tools_named(alternative) else found


def in_list(diagnosis: Raw) -> tuple[Raw, ...]:
    """The alternatives as they stand in the list."""
    return alternatives(diagnosis)


def in_plan(diagnosis: Raw) -> tuple[Raw, ...]:
    """The alternatives as the plan goes through them: its strategy, then its fallback chain."""
    plan = diagnosis.get("recoveryPlan")
    chain = field(plan, "fallbackChain")
    names = [field(plan, "strategy"), *(chain if isinstance(chain, list | tuple) else ())]
    known: dict[Any, Raw] = {_ASKS["strategy"]: _ASKS, **{each["strategy"]: each for each in alternatives(diagnosis)}}
    return tuple(known[name] for name in names if isinstance(name, str) and name in known)


def says_approaches(diagnosis: Raw) -> bool:
    """Does any alternative say its approach?"""
    return any(approach_of(each) is not None for each in alternatives(diagnosis))


def proposed(view: View, seen: Observed) -> Iterator[Proposed]:
    """Every plan that was proposed for that failure, the first in its diagnosis, the others after outcomes."""
    diagnosis = seen.diagnosis
    if diagnosis is None:
        return
    approaches = {each["strategy"]: approach_of(each) for each in alternatives(diagnosis)}
    for plan in (diagnosis.get("recoveryPlan"), *(tried.next_plan for tried in view.outcomes(seen))):
        name = field(plan, "strategy")
        if plan is not None and isinstance(name, str):
            yield Proposed(plan, approaches.get(name), asks(name, diagnosis))


def is_fresh(view: View, seen: Observed) -> bool:
    """Had nothing been learned before of its type, so that what is proposed is what the templates say?"""
    before = [call for call in view.calls if call.segment == seen.call.segment and call.n < seen.call.ended_n]
    types = {tried.call.n: type_of(tried.of) for tried in view.tried}
    mine = type_of(seen)
    told = any(call.op == "outcome" and types.get(call.n, mine) == mine for call in before)
    return not told and not any(was_given(before[0].inputs.get(label)) for label in (files.SESSION, files.EPISODIC))


def was_given(found: InputFact | None) -> bool:
    """Did a memory hold patterns before anything happened?"""
    if found is None or found.kind == "missing":
        return False
    return found.data is None or any(word in found.data for word in _PATTERNS)


@lru_cache(maxsize=1024)
def commands(line: str) -> tuple[Command, ...]:
    """The commands of a shell line; none when it is not known what they are."""
    try:
        return taken_apart(line).commands
    except (RefusedError, BrokenError):
        return ()


def words(line: str) -> frozenset[str]:
    """Every word of a line, however it is read."""
    return frozenset(_WORDS.findall(line))
