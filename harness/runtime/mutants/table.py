"""The table of wiring mutants, and how they are entered into it."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from harness.core.events import SessionEvent
from harness.runtime.calls import Call
from harness.runtime.foreman import Foreman
from harness.runtime.recovery import Recovery
from harness.runtime.session import Session
from harness.runtime.uses import ToolUse
from harness.runtime.worker import Worker


class WiringMutant(NamedTuple):
    """One known defect of the wiring, and the rule that has to notice."""

    name: str
    rule: str
    description: str
    session: type[Session]


TABLE: dict[str, WiringMutant] = {}


Wrong = TypeVar(
    "Wrong", bound=type[Session] | type[Call] | type[ToolUse] | type[Recovery] | type[Worker] | type[Foreman]
)
_PARTS: tuple[tuple[type, str], ...] = (
    (Call, "calls"),
    (ToolUse, "uses"),
    (Recovery, "recovery"),
    (Worker, "workers"),
    (Foreman, "foremen"),
)


def mutant(rule: str) -> Callable[[Wrong], Wrong]:
    """Enters a session that is wrong, or whose calls, uses, recoveries, workers or foremen are; see its docstring."""

    def entered(wrong: Wrong) -> Wrong:
        session: Any = wrong
        for part, name in _PARTS:
            if issubclass(wrong, part):
                session = type(wrong.__name__, (Session,), {name: wrong})
        _enter(_name(wrong), rule, wrong.__doc__ or "", session)
        return wrong

    return entered


def stream_mutant(
    name: str, rule: str, description: str, kind: type[Any], heard: Callable[[SessionEvent], tuple[SessionEvent, ...]]
) -> None:
    """Enters a session in whose stream ``heard`` stands for each event of that kind."""

    class Misheard(Session):
        def _emit(self, event: SessionEvent) -> None:
            for each in heard(event) if isinstance(event, kind) else (event,):
                super()._emit(each)

    _enter(name, rule, description, Misheard)


def _enter(name: str, rule: str, description: str, session: type[Session]) -> None:
    if name in TABLE:
        raise ValueError(f"there are two mutants called {name}")
    TABLE[name] = WiringMutant(name, rule, description, session)


def _name(kind: type) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in kind.__name__).lstrip("-")
