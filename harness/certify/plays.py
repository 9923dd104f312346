"""Plays the scenarios of the plan: each is judged, failing checks are made twice, and who never answers is given up."""

import threading
from collections.abc import Sequence

from harness.certify.flaky import confirmed
from harness.certify.introductions import introduced
from harness.certify.judged import event_of, played
from harness.certify.plan import Play
from harness.certify.threads import Threads
from harness.core.finding import CheckVerdict
from harness.core.history import Entry, EntryType
from harness.targets.session import Session

HANGS_BEFORE_GIVING_UP = 4  # in a row, with no answer at all: every further scenario would hang too


class Plays:
    """What the scenarios that were played have in common. Used by all of ``threads`` at once, which say its events."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._guard = threading.Lock()
        self._met: set[tuple[str, str]] = set()
        self._silent = 0
        self._answered = False

    def play(self, item: Play, session: Session) -> None:
        """Plays and judges one; UntestableError when the implementation declares clauses that nobody knows."""
        system, scenario = item.reach.system, item.scenario
        history, findings = played(system, scenario, session)
        self.heard(history.entries)
        if any(finding.verdict is CheckVerdict.FAIL for finding in findings) and not self._threads.stopping:
            findings = confirmed(findings, played(system, scenario, session)[1])
        event = event_of(system, scenario, "plan", history, findings)
        met = session.introduction()
        if met is not None and self.is_new(item.reach.system.name, item.reach.profile):
            self._threads.put(introduced(item.reach, met))
        self._threads.put(event)

    def is_new(self, system: str, profile: str) -> bool:
        """Was nobody met yet in that profile? Whoever is told so tells the run."""
        with self._guard:
            new = (system, profile) not in self._met
            self._met.add((system, profile))
        return new

    def heard(self, entries: Sequence[Entry]) -> None:
        """Gives the run up when, after one more history, no call of it was answered in time so far."""
        ends = [entry for entry in entries if entry.type is not EntryType.INVOKE and entry.op != "reset"]
        silent = bool(ends) and all(
            entry.type is EntryType.INFO or entry.value.get("timed_out") is True for entry in ends
        )
        with self._guard:
            self._answered = self._answered or not silent
            self._silent += silent
            hopeless = not self._answered and self._silent >= HANGS_BEFORE_GIVING_UP
        if hopeless:
            self._threads.give_up(f"gave up after {self._silent} scenarios in which no call was answered in time")
