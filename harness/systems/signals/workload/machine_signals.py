"""The stateful machine of signals: drift of several processes, reviews and how they end, signals, faults, time.

Each case draws its faults from some of the families only; see systems.swarm. No two drifts say the same.
"""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from harness.core.scenario import ClockStep, FileSpec, Operation, Schedule, Step, World
from harness.systems.signals.contract import DRIFT_PATH, HEALING, NAMED, REVIEW_PATH, Severity, Signal
from harness.systems.signals.workload.drift_boundaries import MEMORY, line
from harness.systems.signals.workload.fault_rows import rows
from harness.systems.signals.workload.healing_boundaries import payload
from harness.systems.signals.workload.signal_steps import (
    ALSO_REVIEWED,
    CLOCK,
    CURRENT,
    DAY_S,
    FILES,
    OTHER,
    REVIEWED,
    WAITING,
    consumed,
    consumer,
    decision,
    drifted,
    emitted,
    friction,
    requested,
    text,
    wanted,
)
from harness.systems.struck_machine import PROCESSES, TOGETHER, WAYS, StruckMachine, faults_in
from harness.systems.swarm import subsets

TASKS = (CURRENT, CURRENT, OTHER)
REVIEWABLE = (REVIEWED, REVIEWED, ALSO_REVIEWED, CURRENT, *WAITING, "task-unknown")
SEVERITIES: tuple[Any, ...] = (*(each.value for each in Severity), *(each.value for each in Severity), "severe", None)
DISTANCES: tuple[Any, ...] = (1, 2, 3, 7, 0, 1.5)
MOVES_S = (0.001, 1.0, 60.0, DAY_S / 2, DAY_S + 60.0, -0.000001, -3600.0, -1.7e9)
SAID: tuple[Any, ...] = ("approved", "approved", "rejected", "Use staging", "", None)
SIGNALS_HANDED = tuple(signal.value for signal in Signal if signal not in HEALING)
SIGNALS_HEALED = tuple(signal.value for signal in Signal if signal in HEALING)
NAMES = ("auth", "auth", "api", "feature/auth", "../../x", "")
FRICTIONS = ("friction-042", "friction-043")
_DAMAGES = frozenset(("missing", "empty", "garbled", "aged", "leftover", "parent_missing"))  # of what is stored, once
FAULTS = faults_in(tuple(rows()), lambda fault: fault.name.partition(".")[2] in _DAMAGES)
LOGS: tuple[str | None, ...] = (*[None] * 6, line(901) + "\n", line(902) + "\n" + line(903)[:60], line(904), "\x00\n")
_OLD_REQUEST = {"timestamp": "2026-03-01T11:00:00Z", **wanted(CURRENT)}
REQUESTS: tuple[FileSpec | None, ...] = (*[None] * 6, text(_OLD_REQUEST), text([_OLD_REQUEST]), FileSpec(text="{"))
LEARNT_IN = World(CLOCK, FILES)
# what is struck at its file calls: a drift, the third of a task, a request, and a decision that is carried out
STRUCK: tuple[tuple[Step, ...], ...] = (
    (Step(op=Operation("report_drift", drifted(801))),),
    tuple(Step(op=Operation("report_drift", drifted(number, working_memory=MEMORY))) for number in (802, 803, 804)),
    (Step(op=requested(ALSO_REVIEWED)), Step(op=requested())),
    (Step(op=requested()), Step(op=Operation("decide", {"text": decision()})), Step(op=Operation("check_reviews"))),
)


class _SignalsMachine(StruckMachine):
    """See StruckMachine."""

    FAULTS, MOVES_S, LEARNT_IN, STRUCK = FAULTS, MOVES_S, LEARNT_IN, STRUCK
    LOOKS = (Operation("drifts"), Operation("reviews"))

    def _begin_anew(self) -> None:
        self._drifts = 0
        super()._begin_anew()

    @initialize(families=subsets(FAULTS.families), log=st.sampled_from(LOGS), requests=st.sampled_from(REQUESTS))
    def begin(self, families: frozenset[str], log: str | None, requests: FileSpec | None) -> None:
        self._learn(families)
        files = dict(FILES)
        if log is not None:
            files[DRIFT_PATH] = FileSpec(text=log)
        if requests is not None:
            files[REVIEW_PATH] = requests
        self._driver.begin(World(CLOCK, files))

    @rule(
        way=st.sampled_from(WAYS), of=st.sampled_from(TASKS), severity=st.sampled_from(SEVERITIES),
        distance=st.sampled_from(DISTANCES), memory=st.sampled_from(("", MEMORY)), process=st.sampled_from(PROCESSES),
        data=st.data(),
    )  # fmt: skip
    def drift(
        self, way: str, of: str, severity: Any, distance: Any, memory: str, process: int, data: st.DataObject
    ) -> None:
        if self._strikes_a_call(way, data):
            return
        if self._orders(way):
            both = (self._reported(of), self._reported(CURRENT))
            self._take_in_order(both, data)
        else:
            more = {"working_memory": memory} if memory else {}
            self._take(Step(process=process, op=self._reported(of, severity, distance, **more)))

    @rule(of=st.sampled_from(REVIEWABLE), blocking=st.sampled_from((True, True, True, False)),
          process=st.sampled_from(PROCESSES))  # fmt: skip
    def review(self, of: str, blocking: bool, process: int) -> None:
        self._take(Step(process=process, op=requested(of, blocking=blocking)))

    @rule(alert=st.sampled_from(("ok", "ok", "fails", "hangs")), process=st.sampled_from(PROCESSES))
    def wait_for_two(self, alert: str, process: int) -> None:
        """Two reviews are asked for, and nobody decides in time."""
        self._take(Step(op=requested()))
        self._take(Step(process=process, op=Operation("reviews", {})))
        self._take(Step(process=process, op=requested(ALSO_REVIEWED)))
        self._driver.take(Step(clock=ClockStep(DAY_S + 60.0)))
        self._take(Step(process=process, op=Operation("check_reviews", {"alert": alert})))

    @rule(of=st.sampled_from((*REVIEWABLE, None)), said=st.sampled_from(SAID))
    def decide(self, of: str | None, said: Any) -> None:
        self._take(Step(op=Operation("decide", {"text": decision(of, said)})))

    @rule(alert=st.sampled_from(("ok", "ok", "fails", "hangs")), process=st.sampled_from(PROCESSES))
    def check(self, alert: str, process: int) -> None:
        self._take(Step(process=process, op=Operation("check_reviews", {"alert": alert})))

    @rule(of=st.sampled_from(REVIEWABLE), how=st.sampled_from(("clarify", "cancel")))
    def resolve(self, of: str, how: str) -> None:
        more = {"clarification": "Use the staging account"} if how == "clarify" else {}
        self._take(Step(op=Operation(how, {"task_id": of, **more})))

    @rule(signal=st.sampled_from(SIGNALS_HANDED), name=st.sampled_from(NAMES), by=st.sampled_from((None, None, "blog")),
          process=st.sampled_from(PROCESSES))  # fmt: skip
    def emit(self, signal: str, name: str, by: str | None, process: int) -> None:
        self._take(Step(process=process, op=emitted(signal, _name_for(signal, name), {"n": self._next()}, by=by)))

    @rule(signal=st.sampled_from(SIGNALS_HANDED), name=st.sampled_from(NAMES), by=st.sampled_from((None, None, "gate")),
          handler=st.sampled_from((None, None, "fails")), process=st.sampled_from(PROCESSES))  # fmt: skip
    def consume(self, signal: str, name: str, by: str | None, handler: str | None, process: int) -> None:
        operation = consumed(signal, _name_for(signal, name), by=by, handler=handler)
        self._take(Step(process=process, op=operation))

    @rule(signal=st.sampled_from(SIGNALS_HEALED), id_=st.sampled_from(FRICTIONS), facts=st.booleans())
    def heal(self, signal: str, id_: str, facts: bool) -> None:
        """A healing signal is raised, and processed."""
        made = friction(id_) if signal == Signal.FRICTION_DETECTED else payload(Signal(signal))
        self._take(Step(op=emitted(signal, payload=made)))
        how = {"gate": "passes" if facts else "fails", "strict": facts, "tests_confirmed": facts}
        self._take(Step(op=Operation("heal", {"signal": signal, "by": consumer(signal), **how})))

    @rule(id_=st.sampled_from(FRICTIONS), how=st.sampled_from(("classify_friction", "remove_friction")))
    def sort_out(self, id_: str, how: str) -> None:
        more = {"classification": "business_rule"} if how == "classify_friction" else {}
        self._take(Step(op=Operation(how, {"friction_id": id_, **more})))

    @rule(what=st.sampled_from(("drifts", "reviews", "assess")), of=st.sampled_from((CURRENT, REVIEWED, None)),
          cost=st.sampled_from((99.0, 100.0, 100.01)), process=st.sampled_from(PROCESSES))  # fmt: skip
    def look(self, what: str, of: str | None, cost: float, process: int) -> None:
        args: Mapping[str, Any] = {} if of is None else {"task_id": of}
        self._take(Step(process=process, op=Operation(what, {"cost_usd_per_hour": cost} if what == "assess" else args)))

    @rule(count=st.sampled_from(TOGETHER), of=st.sampled_from(TASKS))
    def together(self, count: int, of: str) -> None:
        """So many processes report a drift at once."""
        self._take(Step(schedule=Schedule(tuple(self._reported(of) for _ in range(count)))))

    def _next(self) -> int:
        self._drifts += 1
        return self._drifts

    def _reported(self, of: str, severity: Any = "medium", distance: Any = 2, **fields: Any) -> Operation:
        return Operation("report_drift", drifted(self._next(), of, severity, distance, **fields))


def _name_for(signal: str, name: str) -> str | None:
    return name if Signal(signal) in NAMED else None


def signals_machine() -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver."""
    return _SignalsMachine
