"""A history of rate limit handling as its rules look at it: calls, and the tunables that may be in force. Pure."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.history import History
from harness.core.scenario import Scenario
from harness.systems.rate_limit.contract import (
    BACKOFF,
    OPERATIONS,
    ClassifyArguments,
    ConfigureArguments,
    DelayArguments,
    Tunables,
)
from harness.systems.rate_limit.oracle import tuning
from harness.systems.rate_limit.oracle.backoff import agrees
from harness.systems.rules import Judgement, Rules, failed
from harness.systems.stateless import Call, Ended, calls, unanswered

Possible = frozenset[Tunables]


class Asked(msgspec.Struct, frozen=True):
    """One retry that was asked for, and what may be in force: the tunables its answer agrees with, else the likeliest.

    ``tuned`` is one of them when there are several: they differ in nothing that this answer shows.
    """

    call: Call
    retry: int
    tuned: Tunables


class View:
    """All calls of one history that say something of a clause.

    ``retries`` are those asked for, ``failures`` those to be classified; ``misconfigured`` says, by tunable, what is
    wrong with the answers of ``configure``.
    """

    def __init__(self, scenario: Scenario, history: History) -> None:
        self.retries: list[Asked] = []
        self.failures: list[tuple[Call, ClassifyArguments]] = []
        self.misconfigured: list[tuple[str, Judgement]] = []
        first = _first(scenario.world.config.get("tunables"))
        in_force: dict[tuple[int, int], Possible] = {}  # by world and process
        for call in calls(history, OPERATIONS):
            where = call.segment, call.process
            possible = in_force.get(where, frozenset({first}))
            if call.restarted:
                possible |= {first}  # a tunable is one of a process
            in_force[where] = self._after(call, possible)

    def _after(self, call: Call, possible: Possible) -> Possible:
        """What may be in force after that call."""
        if isinstance(call.args, ConfigureArguments):
            return self._configured(call, call.args.tunables, possible)
        if call.binds and isinstance(call.args, ClassifyArguments):
            self.failures.append((call, call.args))
        if not call.binds or not isinstance(call.args, DelayArguments):
            return possible
        if not all(map(tuning.is_sound, possible)):
            return possible
        fitting = frozenset(each for each in possible if agrees(call, call.args.retry, each))
        self.retries.append(Asked(call, call.args.retry, min(fitting or possible, key=_likely)))
        return fitting or possible

    def _configured(self, call: Call, given: Mapping[str, Any], possible: Possible) -> Possible:
        if call.ended is Ended.REFUSED:
            return possible  # nothing was done
        if not call.answered:
            if call.binds:
                judgement = unanswered(call, "tunables are taken, or refused with an answer")
                self.misconfigured += [(name, judgement) for name in given if name in tuning.NAMES]
            return possible | {tuning.taken(given, each) for each in possible}
        wrong = [tuning.wrong(call, given, each) for each in sorted(possible, key=_likely)]
        if all(wrong):
            self.misconfigured += [(name, failed(what, call.said)) for name, what in wrong[0].items()]
        reported = tuning.reported(call)
        return frozenset({reported}) if reported is not None else possible


def _first(given: object) -> Tunables:
    """What a process begins with."""
    return tuning.taken(given, Tunables()) if isinstance(given, Mapping) else Tunables()


def _likely(tuned: Tunables) -> tuple[bool, tuple[float, ...]]:
    return tuned != Tunables(), msgspec.structs.astuple(tuned)


RULES: Rules[View] = Rules(BACKOFF)
