"""The sessions of a run: opened when a worker needs one, used by one at a time, kept for the next."""

import threading

from harness.certify.reach import Reach
from harness.targets.session import Session
from harness.targets.slots import Slots


class Sessions:
    """Every session that was opened, by its system and the profile it is judged in. Used by many workers at once."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._guard = threading.Lock()
        self._idle: dict[tuple[str, str], list[Session]] = {}  # two systems may call a profile alike
        self._open: list[Session] = []

    def take(self, reach: Reach) -> Session:
        """One that nobody uses, opened if need be."""
        with self._guard:
            idle = self._idle.get(_whose(reach))
            if idle:
                return idle.pop()
        session = reach.open(self._slots)
        with self._guard:
            self._open.append(session)
        return session.__enter__()

    def give_back(self, reach: Reach, session: Session) -> None:
        """It is not used any more."""
        with self._guard:
            self._idle.setdefault(_whose(reach), []).append(session)

    def discard(self, session: Session | None) -> None:
        """It broke, and is closed."""
        if session is not None:
            with self._guard:
                self._open.remove(session)
            session.__exit__(None, None, None)

    def abort(self) -> None:
        """Kills what runs in all of them, from any thread; whoever uses one meets an error."""
        with self._guard:
            for session in self._open:
                session.abort()

    def close(self) -> None:
        """Closes all of them."""
        with self._guard:
            sessions, self._open = self._open, []
        for session in sessions:
            session.__exit__(None, None, None)


def _whose(reach: Reach) -> tuple[str, str]:
    return reach.system.name, reach.profile
