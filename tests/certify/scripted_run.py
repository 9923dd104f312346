"""A run without processes: a system of three clauses, and an implementation whose answers a test writes down."""

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Self

from harness.certify.events import Event, RunFinished
from harness.certify.plan import RunPlan
from harness.certify.reach import Reach
from harness.core.clause import Catalogue, Clause, Level
from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import EntryType, History, InputFact
from harness.core.scenario import Operation, Scenario, Step, World
from harness.faults.syscalls import Call
from harness.sandbox.room import Seen
from harness.systems import registry
from harness.targets.messages import InitializeResult
from harness.targets.session import Reply
from harness.targets.slots import Slots

Answer = Callable[["ScriptedSession", Operation], Reply]


def clause(id_: str, level: Level = Level.MUST) -> Clause:
    return Clause(id_, "stop_gate", f"{id_} holds", level, "section 1", "state", "it is asked", {"gate": None})


CATALOGUE = Catalogue("stop_gate", ("a document",), (clause("A-01"), clause("A-02"), clause("A-03", Level.SHOULD)))


def scenario(id_: str, clauses: Sequence[str] = ("A-01", "A-02", "A-03"), **more: Any) -> Scenario:
    steps = (Step(op=Operation("check", {"scenario": id_})),)
    title = more.pop("title", f"Scenario {id_}")
    return Scenario(1, id_, title, "stop_gate", "gate", tuple(clauses), World("2026-03-01T12:00:00Z"), steps, **more)


def judge(asked: Scenario, history: History, catalogue: Catalogue) -> tuple[Finding, ...]:
    """Each clause of the scenario has the verdict that the implementation's answer gives it; PASS when it gives none."""
    answers = [entry.value for entry in history.entries if entry.type is EntryType.OK]
    if not answers:
        return tuple(Finding(id_, CheckVerdict.INCONCLUSIVE, reason="no answer") for id_ in asked.clauses)
    return tuple(_finding(id_, CheckVerdict(answers[0].get(id_, "PASS"))) for id_ in asked.clauses)


def _finding(id_: str, verdict: CheckVerdict) -> Finding:
    if verdict is CheckVerdict.FAIL:
        return Finding(id_, verdict, witnesses=1, reason=f"{id_} does not hold", expected="yes", observed="no")
    return Finding(
        id_,
        verdict,
        witnesses=int(verdict is CheckVerdict.PASS),
        reason="" if verdict is CheckVerdict.PASS else "not met",
    )


class ScriptedSystem(registry.System):
    """The three clauses, judged by what the implementation says of itself."""

    def __init__(self, machine: Callable[..., Any] | None = None) -> None:
        super().__init__("stop_gate")
        self._machine = machine

    @property
    def catalogue(self) -> Catalogue:
        return CATALOGUE

    @property
    def judge(self) -> Callable[[Scenario, History, Catalogue], tuple[Finding, ...]]:
        return judge

    @property
    def workload(self) -> Any:
        return SimpleNamespace(machine=self._machine)

    def inputs_of(self, operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
        return {}


class ScriptedSession:
    """Implements harness.targets.session.Session; ``entered``, ``left`` and ``aborted`` count."""

    profile = "gate"

    def __init__(self, answer: Answer, slots: Slots, *, contained: bool = True) -> None:
        self._answer = answer
        self._contained = contained
        self.slots = slots
        self.entered = self.left = self.aborted = 0
        self.introduces: InitializeResult | None = None
        self.struck: tuple[tuple[int, Injection], ...] = ()  # what the operation performed last met
        self.faults: list[Fault] = []  # what was put in place since the last reset
        self.calls: tuple[Call, ...] = ()
        self.refusal = ""

    def __enter__(self) -> Self:
        self.entered += 1
        return self

    def __exit__(self, *exception: object) -> None:
        self.left += 1

    def reset(self, scenario: Scenario) -> None:
        self.faults = []

    def uncontained(self) -> tuple[str, ...]:
        return () if self._contained else ("Nothing is contained.",)

    def contained(self) -> bool:
        return self._contained

    def introduction(self) -> InitializeResult | None:
        return self.introduces

    def abort(self) -> None:
        self.aborted += 1

    def inject(self, fault: Fault, seed: int) -> Injection:
        self.faults.append(fault)
        return Injection(fault, armed=True, proof="" if fault.family == "syscall" else "changed")

    def move_clock(self, by_s: float) -> None: ...

    def now(self) -> str:
        return "2026-03-01T12:00:00Z"

    def stated(self, operation: Operation) -> Mapping[str, Any]:
        return operation.args

    def perform(self, operations: Sequence[tuple[int, Operation]]) -> list[Reply]:
        return [self._answer(self, operation) for _, operation in operations]

    def met(self) -> tuple[tuple[int, Injection], ...]:
        told, self.struck = self.struck, ()
        return told

    def hasten(self, attempt: int) -> None: ...

    def unexplorable(self) -> str:
        return self.refusal

    def record_calls(self, watch: Callable[[Call], object]) -> None: ...

    def recorded_calls(self) -> tuple[Call, ...]:
        return self.calls

    def repeats(self, at_most: int) -> int:
        return at_most

    def look(self, paths: Sequence[str]) -> Seen:
        return Seen({}, {})

    def input(self, path: str) -> InputFact:
        return InputFact("missing")

    def inputs(self, paths: Sequence[str]) -> dict[str, InputFact]:
        return {path: self.input(path) for path in paths}


class Scripted:
    """An implementation and every session that was opened to it."""

    def __init__(
        self,
        answer: Answer,
        *,
        contained: bool = True,
        carrier: str = "stdio",
        introduces: InitializeResult | None = None,
        calls: Sequence[Call] = (),
        refusal: str = "",
        **more: Any,
    ) -> None:
        self.sessions: list[ScriptedSession] = []

        def open_session(slots: Slots) -> ScriptedSession:
            self.sessions.append(ScriptedSession(answer, slots, contained=contained))
            self.sessions[-1].introduces = introduces
            self.sessions[-1].calls, self.sessions[-1].refusal = tuple(calls), refusal
            return self.sessions[-1]

        self.reach = Reach(ScriptedSystem(), "gate", carrier, (), {}, (), "digest", open_session, **more)

    @property
    def all_left(self) -> bool:
        """Was every session that was opened left exactly once?"""
        return bool(self.sessions) and all(session.left == 1 for session in self.sessions)


def says(**verdicts: str) -> Answer:
    """An implementation that gives each clause that verdict (``A_01="FAIL"``) in every scenario."""
    told = {name.replace("_", "-"): verdict for name, verdict in verdicts.items()}
    return lambda session, operation: Reply(EntryType.OK, told)


def plan(scripted: Scripted, scenarios: Sequence[Scenario] = (scenario("s-1"),), **more: Any) -> RunPlan:
    settings: dict[str, Any] = {"level": "L1", "seed": 0, "cases": 0, "budget_s": None, "jobs": 2, **more}
    system = settings.pop("system", None) or ScriptedSystem()
    return RunPlan(
        (system,),
        "scripted",
        "--stdio -- scripted",
        (scripted.reach._replace(system=system),),
        tuple(scenarios),
        **settings,
    )


def last(events: Sequence[Event]) -> RunFinished:
    """The verdict that ends a run."""
    assert isinstance(events[-1], RunFinished)
    return events[-1]
