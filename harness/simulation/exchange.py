"""A system of a simulation exchanged for somebody's, and what was asked of it meanwhile."""

from collections import Counter
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, Final

from harness.errors import UsageError
from harness.ports.clock import Clock
from harness.ports.fake_files import FakeFiles
from harness.runtime.ports import Systems, UnansweredError
from harness.simulation.hook_stand_in import HookStandIn
from harness.simulation.stand_in import StdioStandIn
from harness.simulation.systems import IN_A_SESSION, Assembly, StandIn
from harness.systems import registry
from harness.targets.hook import HookSession
from harness.targets.session import Session

UNANSWERED_BEFORE_GIVING_UP: Final = 10  # each may cost a whole time-out, and INT-21 is broken by the first
_DISK = "full disks, and deaths in the middle of a change of a file: its own files are on a real disk"
_CLOCK = "the clock: it sees the machine's"
_TRANSCRIPT = "a host's transcripts: it is given those of windtunnel's sessions"


def stand_in(system: registry.System, session: Session, name: str) -> StandIn:
    """Whatever asks the implementation that ``session`` reaches; UsageError when a simulation cannot ask it."""
    if isinstance(session, HookSession):
        if not system.runs_as_hook:
            raise UsageError(f"{name} is a hook, and {system.name} is not asked one process a call")
        return HookStandIn(session, name)
    return StdioStandIn(system, session, name)


def spared(session: Session) -> tuple[str, ...]:
    """What of hostile weather does not reach the implementation behind ``session``, in words."""
    return (_DISK, _CLOCK, _TRANSCRIPT) if isinstance(session, HookSession) else (_DISK,)


class StoppedError(Exception):
    """A simulation is not gone on with; ``str()`` says why."""


class WatchedAssembly(Assembly):
    """The systems of a simulation, with the questions that each was put counted by operation.

    Whoever leaves ``UNANSWERED_BEFORE_GIVING_UP`` of them unanswered ends the simulation by StoppedError, and so does
    ``is_over`` when it says so before or during a question: what was killed meanwhile is not silent.
    """

    def __init__(
        self,
        home: str,
        stand_ins: Mapping[str, StandIn] | None = None,
        seed: int = 0,
        *,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(home, stand_ins, seed)
        self.questions: dict[str, Counter[str]] = {name: Counter() for name in IN_A_SESSION}
        self.unanswered: Counter[str] = Counter()
        self._is_over = is_over

    def of(self, agent: int, files: FakeFiles, clock: Clock) -> Systems:
        """See Assembly.of."""
        asked = zip(IN_A_SESSION, super().of(agent, files, clock), strict=True)
        return Systems(*(self._watched(name, system) for name, system in asked))

    def _watched(self, name: str, system: Any) -> Any:
        operations = [each for each in registry.get(name).contract.OPERATIONS if hasattr(system, each)]
        return SimpleNamespace(**{each: self._counted(name, each, getattr(system, each)) for each in operations})

    def _counted(self, name: str, operation: str, ask: Callable[..., Any]) -> Callable[..., Any]:
        def asked(arguments: Any, now_s: float) -> Any:
            if self._is_over():
                raise StoppedError("it was ended early")
            self.questions[name][operation] += 1
            try:
                return ask(arguments, now_s)
            except UnansweredError as error:
                if self._is_over():
                    raise StoppedError("it was ended early") from error
                self.unanswered[name] += 1
                if self.unanswered[name] > UNANSWERED_BEFORE_GIVING_UP:
                    raise StoppedError(
                        f"{name} left more than {UNANSWERED_BEFORE_GIVING_UP} questions unanswered"
                    ) from error
                raise

        return asked
