"""The stateful machine of phase runners: what is launched ends one way or another, and faults, time, starts between.

Each case draws its faults from some of the families only; see systems.swarm. What is reported is drawn from what the
answers launched, and now and then from what nobody awaits.
"""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from harness.core.fault import Fault
from harness.core.scenario import FileSpec, Schedule, Step, World
from harness.systems.phase_runner.contract.words import CommitMode, FailureType, LaunchKind, Mode, Status
from harness.systems.phase_runner.workload.candidates import KINDS, SHARED
from harness.systems.phase_runner.workload.fault_rows import rows
from harness.systems.phase_runner.workload.legs import ITSELF, TRIO
from harness.systems.phase_runner.workload.phase_steps import (
    CLOCK,
    FILES,
    Story,
    asked,
    reported,
    started,
    verified,
)
from harness.systems.phase_runner.workload.plans import CHAIN, CYCLE, EXAMPLE, FORK, ONE, PAIR, Plan
from harness.systems.phase_runner.workload.results import changes, claimed
from harness.systems.phase_runner.workload.state_files import left_behind
from harness.systems.struck_machine import PROCESSES, TOGETHER, WAYS, StruckMachine, faults_in
from harness.systems.swarm import subsets

MOVES_S = (0.001, 1.0, 60.0, 599.0, 600.0, 86_400.0, 4e8, -0.000001, -3600.0, -1.7e9)
PLANS: tuple[Plan, ...] = (CHAIN, CHAIN, PAIR, PAIR, TRIO, EXAMPLE, FORK, ONE)
MODES: tuple[tuple[Mode, ...], ...] = ((), (), (Mode.RESUME,), (Mode.FRESH,), (Mode.RESUME, Mode.FRESH))
STRAY = ("0", "1a", "2", "99", "")
_PENDING, _RUNNING, _COMPLETE, _FAILED, _BLOCKED = Status
LEFT: tuple[Mapping[str, FileSpec], ...] = (
    *[{}] * 6,
    left_behind(CHAIN, {"0": _COMPLETE, "1": _FAILED, "2": _BLOCKED}),
    left_behind(CHAIN, {"0": _COMPLETE, "1": _PENDING}),
    left_behind(PAIR, {"1a": _COMPLETE, "1b": _RUNNING, "2": _PENDING}),
    left_behind(CHAIN, {"0": _COMPLETE, "2": _PENDING}, _1=FileSpec(text='{"phase_id": "1", "status": "comp')),
)
_DAMAGES = frozenset(("missing", "empty", "garbled", "aged", "leftover", "parent_missing"))  # of what is stored, once


def _damages(fault: Fault) -> bool:
    return fault.name.partition(".")[2] in _DAMAGES


FAULTS = faults_in(tuple(rows()), _damages)
LEARNT_IN = World(CLOCK, FILES)
# what is struck at its file calls: a first start, a failure before its retry, the end of a batch, a fresh start
STRUCK: tuple[tuple[Step, ...], ...] = (
    Story().start(CHAIN).steps,
    Story().start(CHAIN).fail("0").steps,
    Story().start(PAIR).fail("1a").claim("1b").verify("1b").steps,
    Story().start(CHAIN).complete("0").fresh(CHAIN).steps,
)
Awaited = tuple[str, str, int]  # what was launched, of which phase, in which attempt


class _PhasesMachine(StruckMachine):
    """See StruckMachine."""

    FAULTS, MOVES_S, LEARNT_IN, STRUCK = FAULTS, MOVES_S, LEARNT_IN, STRUCK
    LOOKS = (started(CHAIN), asked(CHAIN.ids))

    def _begin_anew(self) -> None:
        self._plan = CHAIN
        self._open: list[Awaited] = []
        super()._begin_anew()

    @initialize(families=subsets(FAULTS.families), left=st.sampled_from(LEFT), plan=st.sampled_from(PLANS))
    def begin(self, families: frozenset[str], left: Mapping[str, FileSpec], plan: Plan) -> None:
        self._learn(families)
        self._driver.begin(World(CLOCK, {**FILES, **left}))
        self._plan = plan
        self._take(Step(op=started(plan)))

    @rule(modes=st.sampled_from(MODES), commit_mode=st.sampled_from(tuple(CommitMode)),
          process=st.sampled_from(PROCESSES))  # fmt: skip
    def start(self, modes: tuple[Mode, ...], commit_mode: CommitMode, process: int) -> None:
        self._take(Step(process=process, op=started(self._plan, *modes, commit_mode=commit_mode.value)))

    @rule(plan=st.sampled_from((*PLANS, CYCLE, ITSELF, "")), fresh=st.booleans())
    def start_another(self, plan: Plan | str, fresh: bool) -> None:
        if fresh and isinstance(plan, Plan):
            self._plan = plan
        self._take(Step(op=started(plan, *([Mode.FRESH] if fresh else []))))

    @rule(way=st.sampled_from(WAYS), process=st.sampled_from(PROCESSES), data=st.data())
    def end_one(self, way: str, process: int, data: st.DataObject) -> None:
        """Something that was launched ends, most often well."""
        if self._strikes_a_call(way, data):
            return
        if len(self._open) > 1 and self._orders(way):
            first, second = (self._ended(each, data) for each in self._open[:2])
            self._take_in_order((first, second), data)
        elif self._open:
            launched = data.draw(st.sampled_from(self._open))
            self._take(Step(process=process, op=self._ended(launched, data)))

    @rule()
    def end_all_well(self) -> None:
        """Everything that was launched ends well, twice over: what is claimed is verified."""
        for _ in range(2):
            for kind, phase_id, attempt in tuple(self._open):
                well = verified(phase_id, attempt) if kind == LaunchKind.VERIFICATION else None
                self._take(Step(op=well or reported(phase_id, claimed(phase_id), attempt)))

    @rule(kind=st.sampled_from(KINDS))
    def fail_all(self, kind: FailureType) -> None:
        """Every sub-agent that was launched fails in that way."""
        for launched, phase_id, attempt in tuple(self._open):
            if launched == LaunchKind.PHASE:
                for step in Story().fail(phase_id, kind, attempt).steps:
                    self._take(step)

    @rule(phase_id=st.sampled_from(STRAY), attempt=st.sampled_from((1, 1, 2, 3)), data=st.data())
    def report_stray(self, phase_id: str, attempt: int, data: st.DataObject) -> None:
        """What nobody awaits, perhaps."""
        kind = data.draw(st.sampled_from(tuple(LaunchKind)))
        self._take(Step(op=self._ended((kind.value, phase_id, attempt), data)))

    @rule(all_of_them=st.booleans(), process=st.sampled_from(PROCESSES))
    def look(self, all_of_them: bool, process: int) -> None:
        self._take(Step(process=process, op=asked(self._plan.ids if all_of_them else ())))

    @rule(count=st.sampled_from(TOGETHER))
    def together(self, count: int) -> None:
        """So many processes report at once."""
        known = [*self._open, *((LaunchKind.PHASE.value, phase_id, 1) for phase_id in self._plan.ids)]
        operations = [reported(phase_id, claimed(phase_id), attempt) for _, phase_id, attempt in known * count]
        self._take(Step(schedule=Schedule(tuple(operations[:count]))))

    @staticmethod
    def _ended(launched: Awaited, data: st.DataObject) -> Any:
        """The operation that tells how it ended."""
        kind, phase_id, attempt = launched
        well = data.draw(st.sampled_from((True, True, False)))
        if kind == LaunchKind.VERIFICATION:
            return (Story().verify if well else Story().mismatch)(phase_id, attempt=attempt).steps[0].op
        if not well:
            return Story().fail(phase_id, data.draw(st.sampled_from(KINDS)), attempt).steps[0].op
        shared = data.draw(st.sampled_from((False, False, False, True)))
        return reported(phase_id, claimed(phase_id, **({"modified": changes(SHARED)} if shared else {})), attempt)

    def _take(self, step: Step) -> None:
        """What its answers launch is awaited from then on."""
        self._asked += 1
        for reply in self._driver.take(step):
            self._await(reply.value)
        if step.op is not None and step.op.name in ("report", "verified"):
            kind = LaunchKind.PHASE if step.op.name == "report" else LaunchKind.VERIFICATION
            gone = (kind.value, step.op.args["phase_id"], step.op.args["attempt"])
            self._open = [each for each in self._open if each != gone]

    def _await(self, value: Mapping[str, Any]) -> None:
        launches = value.get("launch")
        for launch in launches if isinstance(launches, list | tuple) else ():
            found = dict(launch) if isinstance(launch, Mapping) else {}
            kind, phase_id, attempt = found.get("kind"), found.get("phase_id"), found.get("attempt", 1)
            if kind in set(LaunchKind) and isinstance(phase_id, str) and isinstance(attempt, int):
                self._open = [*(each for each in self._open if each[1] != phase_id), (str(kind), phase_id, attempt)]


def phases_machine() -> Callable[[Any], RuleBasedStateMachine]:
    """The machine, to be called with a driver."""
    return _PhasesMachine
