"""One agent of a simulation: session after session, each with some tasks, and a stop at its end."""

from collections.abc import Callable

from harness.runtime.calls import Task
from harness.runtime.session import Session
from harness.runtime.trial import DONE, Pause, Steps
from harness.simulation.toolbox import Toolbox
from harness.simulation.virtual_time import TICKS_PER_S, Chance
from harness.systems.stop_gate.contract import Decision

COMMAND = ("ask", "{provider}", "{model}", "{approach}")
PROVIDER_WORD = 1  # of COMMAND
TIMEOUT_S = 600.0
BESIDE_TIMEOUT_S = 60.0
MOST_USES = 3  # of local tools before a call
MOST_STOPS = 4  # a host overrides a gate that blocks again and again


class Agent:
    """``begin`` makes the next session of a name. What it does hangs on ``chance`` alone, and on what it meets."""

    def __init__(
        self,
        number: int,
        chance: Chance,
        tools: Toolbox,
        begin: Callable[[str], Session],
        end: Callable[[str], None],
    ) -> None:
        self.number = number
        self.session_id = ""
        self.chance = chance
        self._tools = tools
        self._begin = begin
        self._end = end
        self._sessions = 0

    def life(self) -> Steps[None]:
        """Works for ever."""
        chance = self.chance
        yield self._idle(1, 600)
        while True:
            self._sessions += 1
            self.session_id = f"agent-{self.number}-{self._sessions}"
            session = self._begin(self.session_id)
            session.say("user", "Make the tests pass.")
            if chance.per_mille(250):
                session.request_stop()  # with nothing done: it is held
            for number in range(chance.between(2, 6)):
                yield from self._task(session, f"task-{number}")
                yield self._idle(5, 300)
            session.say("assistant", "Shall I go on?" if chance.per_mille(100) else "All tests pass now.")
            for _ in range(MOST_STOPS):
                if session.request_stop().decision is Decision.APPROVE:
                    break
                yield self._idle(5, 120)
                session.say("assistant", "Everything is done, and all tests pass.")
            session.finish()
            self._end(self.session_id)
            self.session_id = ""
            yield self._idle(60, 1800)

    def _task(self, session: Session, name: str) -> Steps[None]:
        chance = self.chance
        task = Task(
            id=name,
            tool="model",
            command=COMMAND,
            timeout_s=TIMEOUT_S,
            urgent=chance.per_mille(700),
            model="opus" if chance.per_mille(800) else "sonnet",
            confidence=chance.between(30, 100) / 100 if chance.per_mille(100) else None,
            security_critical=chance.per_mille(5),
            irreversible=chance.per_mille(20),
            rollback=chance.per_mille(500),
        )
        for _ in range(chance.between(1, 3)):
            for _ in range(chance.below(MOST_USES)):
                if (yield from session.use_steps(self._tools.draw(name, chance))) != DONE:
                    return
            if (yield from session.steps(task)) != DONE:
                return
            kind, command = self._tools.beside(chance)
            yield from session.beside_steps(kind, command, env={}, timeout_s=BESIDE_TIMEOUT_S)
            yield self._idle(1, 60)

    def _idle(self, low_s: int, high_s: int) -> Pause:
        return Pause(self.chance.seconds(low_s, high_s) / TICKS_PER_S)
