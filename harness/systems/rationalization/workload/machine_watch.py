"""The stateful machine of a watch: texts, reasons of several processes, the log, faults, time.

Each case draws its faults from some of the families only; see systems.swarm. No two actions have the same name.
"""

from collections.abc import Callable
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from harness.core.scenario import FileSpec, Operation, Schedule, Step, World
from harness.systems.rationalization.contract import ATTEMPTS_PATH
from harness.systems.rationalization.workload.behaviour_boundaries import OF_SCOPE, OF_VERIFICATION
from harness.systems.rationalization.workload.candidates import JOINED
from harness.systems.rationalization.workload.enforcing_boundaries import FOUND
from harness.systems.rationalization.workload.fault_rows import rows
from harness.systems.rationalization.workload.mentioned_boundaries import APART, LONGER, MENTIONED, ODD
from harness.systems.rationalization.workload.said_boundaries import BLANKS, CLAUSE_OF, curved
from harness.systems.rationalization.workload.watch_steps import (
    AGENT,
    BEHAVIOUR,
    BOTH,
    CLOCK,
    EXCUSE,
    FILES,
    FLAG,
    NEUTRAL,
    OTHER_AGENT,
    scanned,
)
from harness.systems.struck_machine import PROCESSES, TOGETHER, WAYS, StruckMachine, faults_in
from harness.systems.swarm import subsets

MOVES_S: Final = (0.001, 1.0, 60.0, 86400.0, -0.000001, -3600.0, -1.7e9)
_DAMAGES: Final = frozenset(("missing", "empty", "garbled", "aged", "leftover", "parent_missing"))  # once
FAULTS = faults_in(tuple(rows()), lambda fault: fault.name.partition(".")[2] in _DAMAGES)
LOGS: Final[tuple[str | None, ...]] = (*[None] * 6, *FOUND.values())
phrases = st.sampled_from(tuple(CLAUSE_OF))
ways_to_say = st.sampled_from(
    (str, str.upper, curved, *(lambda phrase, blank=blank: phrase.replace(" ", blank) for blank in BLANKS.values()))
)
said = st.builds(lambda phrase, way: str(way(phrase)), phrases, ways_to_say)
mentioned = st.builds(lambda phrase, mention: str(mention(phrase)), phrases, st.sampled_from(tuple(MENTIONED.values())))
others = st.sampled_from((NEUTRAL, *LONGER, *APART, *(text for texts in ODD.values() for text in texts)))
texts = st.builds(
    lambda parts, blank: str(blank.join(parts)),
    st.lists(st.one_of(said, said, mentioned, others), max_size=4),
    st.sampled_from(JOINED),
)
facts = {
    name: st.fixed_dictionaries(
        {}, optional={each: st.booleans() for pair in of.items() for each in pair if each is not None}
    )
    for name, of in (("scope", OF_SCOPE), ("verification", OF_VERIFICATION))
}


def _excuse(text: str, number: int) -> Operation:
    return Operation("enforce", {"text": text, "action": f"merge branch {number}", "agent": AGENT})


# what is struck at its file calls: the first attempt, and the third
STRUCK: Final[tuple[tuple[Step, ...], ...]] = (
    (Step(op=_excuse(BOTH, 801)),),
    tuple(Step(op=_excuse(text, 802 + number)) for number, text in enumerate((EXCUSE, FLAG, BOTH))),
)


class _WatchMachine(StruckMachine):
    """See StruckMachine."""

    FAULTS, MOVES_S, LEARNT_IN, STRUCK = FAULTS, MOVES_S, World(CLOCK, FILES), STRUCK
    LOOKS = (Operation("attempts"),)

    def _begin_anew(self) -> None:
        self._actions = 0
        super()._begin_anew()

    @initialize(families=subsets(FAULTS.families), log=st.sampled_from(LOGS))
    def begin(self, families: frozenset[str], log: str | None) -> None:
        self._learn(families)
        self._driver.begin(World(CLOCK, {**FILES, **({} if log is None else {ATTEMPTS_PATH: FileSpec(text=log)})}))

    @rule(text=texts, has_output=st.booleans(), process=st.sampled_from(PROCESSES))
    def scan(self, text: str, has_output: bool, process: int) -> None:
        self._take(Step(process=process, op=scanned(text, has_output=has_output)))

    @rule(
        way=st.sampled_from(WAYS), text=texts, agent=st.sampled_from((AGENT, OTHER_AGENT, "", "a\nb")),
        has_output=st.booleans(), process=st.sampled_from(PROCESSES), data=st.data(),
    )  # fmt: skip
    def enforce(
        self, way: str, text: str, agent: str, has_output: bool, process: int, data: st.DataObject
    ) -> None:  # fmt: skip
        if self._strikes_a_call(way, data):
            return
        if self._orders(way):
            self._take_in_order((self._excused(EXCUSE), self._excused(text)), data)
        else:
            self._take(Step(process=process, op=self._excused(text, agent, has_output=has_output)))

    @rule(process=st.sampled_from(PROCESSES))
    def look(self, process: int) -> None:
        self._take(Step(process=process, op=Operation("attempts")))

    @rule(count=st.sampled_from(TOGETHER), text=said)
    def together(self, count: int, text: str) -> None:
        """So many processes log an attempt at once."""
        self._take(Step(schedule=Schedule(tuple(self._excused(text) for _ in range(count)))))

    def _excused(self, text: str, agent: str = AGENT, **fields: Any) -> Operation:
        self._actions += 1
        operation = _excuse(text, self._actions)
        return Operation("enforce", {**operation.args, "agent": agent, **fields})


class _BehaviourMachine(_WatchMachine):
    """The same, and facts are assessed."""

    @rule(scope=facts["scope"], verification=facts["verification"], process=st.sampled_from(PROCESSES))
    def assess(self, scope: dict[str, bool], verification: dict[str, bool], process: int) -> None:
        self._take(Step(process=process, op=Operation("assess", {"scope": scope, "verification": verification})))


def watch_machine(groups: tuple[str, ...]) -> Callable[[Any], RuleBasedStateMachine]:
    """The machine for who has these groups, to be called with a driver."""
    return _BehaviourMachine if BEHAVIOUR in groups else _WatchMachine
