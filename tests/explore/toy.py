"""A system of one operation and a session that needs no process: what exploring itself does shows on these."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from harness.core.clause import Catalogue, Clause, Level
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import EntryType
from harness.core.scenario import Operation, Step, World
from harness.sandbox.room import Seen
from harness.targets.session import Reply

CLOCK = "2026-03-01T12:00:00Z"
LIMIT = 500


def _clause(name: str, level: Level) -> Clause:
    return Clause(name, "toy", "it holds", level, "1", "behaviour", "it was asked", {"toy": None})


CATALOGUE = Catalogue("toy", (), (_clause("T-1", Level.MUST), _clause("T-2", Level.SHOULD)))


def judge(scenario, history, catalogue) -> tuple[Finding, ...]:
    """T-1 fails where a result says broken, T-2 where it says odd."""
    found = []
    for entry in history.entries:
        if entry.value.get("odd"):
            found.append(Finding("T-2", CheckVerdict.FAIL, observed="odd"))
        if entry.value.get("broken"):
            found.append(Finding("T-1", CheckVerdict.FAIL, expected="it holds", observed="it broke"))
    return tuple(found)


class ToyMachine(RuleBasedStateMachine):
    """Adds numbers, in any order."""

    def __init__(self, driver: Any) -> None:
        super().__init__()
        self._driver = driver

    def teardown(self) -> None:
        self._driver.end()

    @initialize()
    def begin(self) -> None:
        self._driver.begin(World(CLOCK))

    @rule(number=st.integers(0, 1000))
    def add(self, number: int) -> None:
        self._driver.take(add(number))

    @rule()
    def start_over(self) -> None:
        self._driver.take(Step(op=Operation("reset")))


def add(number: int) -> Step:
    """The step that adds a number."""
    return Step(op=Operation("add", {"number": number}))


def toy(machine: Any = ToyMachine) -> Any:
    """The system."""
    return SimpleNamespace(
        name="toy",
        catalogue=CATALOGUE,
        judge=judge,
        inputs_of=lambda operation, args: {},
        workload=SimpleNamespace(machine=lambda profile, groups: machine),
    )


class ToySession:
    """Answers from a function of the numbers added since the last reset."""

    profile = "toy"

    def __init__(self, answer: Callable[[list[int]], dict[str, Any]]) -> None:
        self._answer = answer
        self.numbers: list[int] = []
        self.performed = 0

    def reset(self, scenario: Any) -> None:
        self.numbers = []

    def now(self) -> str:
        return CLOCK

    def stated(self, operation: Operation) -> Any:
        return operation.args

    def look(self, paths: Any) -> Seen:
        return Seen({}, {})

    def perform(self, operations: Any) -> list[Reply]:
        self.performed += len(operations)
        self.numbers += [operation.args["number"] for _, operation in operations]
        return [Reply(EntryType.OK, self._answer(self.numbers)) for _ in operations]


def sound(numbers: list[int]) -> dict[str, Any]:
    """An implementation without a defect."""
    return {"broken": False}


def seeded(numbers: list[int]) -> dict[str, Any]:
    """One with a defect that needs two steps: a large number after another large one."""
    return {"broken": len(numbers) >= 2 and numbers[-1] >= LIMIT and numbers[-2] >= LIMIT}
