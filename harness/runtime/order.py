"""What must hold of the order in which mechanisms fire. Pure: a stream of events in, broken rules out.

The documents describe each mechanism alone. Where they meet, these rules say which fires first; each rests on clauses:
a failure is logged, told to its provider's breaker once, classified and diagnosed; a rate limit is backed off from and
tried again; anything else is recovered from, by the strategy that the diagnosis recommends.
Three failures open the breaker before five back-offs end, so a retry may meet an OPEN breaker: that refusal is no
failure, the call waits for the cooldown or falls back.

Readings of ours. A failure that back-off answers with a retry is none of the task's yet: were each attempt one, the
third would call a human (LK-FB-04), and five retries (LK-RL-06) could never be. A rung that is left after it failed is
one failure of the task and one step down (LK-FB-01); one that is left because its breaker refuses is a step, and none.

Back-off goes before recovery. Whether a failure is a rate limit is back-off's to say (LK-RL-01), and its five retries
(LK-RL-06) are no recoveries: a retry does the same again, and of recoveries there are two (DR-REC-07), which would end
it at the second. So as long as back-off allows a retry, it is made, whatever the diagnosis recommends and also when it
asks the user; what follows then is what the diagnosis of the last failure says. Of a call to a model the ladders say
where a recovery is tried (LK-FB-01, LK-FB-02), the diagnosis by which strategy; a failure and two failed recoveries are
the three failures that call a human (LK-FB-04). Whoever asks for a human first has him: the third failure, the end of a
ladder, or the diagnosis. What fails beside the work, a git commit, a metric or a log (ER-NB-01, ER-NB-02), is no failed
tool execution of the agent's: it is logged and told at the end, and not diagnosed. Tasks that come from queues are
told of in order_tasks.py, plans in order_plans.py.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from harness.core.events import (
    CallBegun,
    ClockStepped,
    MachineRestarted,
    SessionCut,
    SessionEvent,
    StorageChanged,
    SystemSilent,
    UseBegun,
    UseEnded,
)
from harness.core.recent import Recent
from harness.ports.clock import to_seconds
from harness.runtime.order_breakers import BreakerOrder
from harness.runtime.order_calls import CallOrder
from harness.runtime.order_plans import PlanOrder
from harness.runtime.order_recovery import RecoveryOrder
from harness.runtime.order_stops import StopOrder
from harness.runtime.order_tasks import TaskOrder
from harness.systems.circuit_breaker.contract import RECOVERY_LOG_PATH, STATE_PATH


class Rule(NamedTuple):
    """What has to hold, and the clauses it rests on."""

    says: str
    rests_on: tuple[str, ...]


ORDER: Mapping[str, Rule] = {
    "INT-01": Rule("an observed failure is recorded next, before anything else happens", ("ER-LOG-01", "PS-FO-01")),
    "INT-02": Rule("every requested stop is answered, also when nothing could be stored", ("PS-FO-01",)),
    "INT-03": Rule("a stop after a blocked one says that it repeats", ("SH-03",)),
    "INT-04": Rule("an attempt runs only when its provider's breaker has just permitted it", ("LK-CB-13", "LK-CB-17")),
    "INT-05": Rule("how an attempt ended is told to a breaker before anything but its record", ("LK-CB-10",)),
    "INT-06": Rule("it is told once", ("LK-CB-11", "LK-CB-19")),
    "INT-07": Rule("it is told to the breaker of the provider that was called", ("LK-CB-01",)),
    "INT-08": Rule(
        "a refusal is no failure: neither recorded, nor told, nor backed off from, nor counted",
        ("LK-CB-13", "LK-CB-11", "LK-FB-04"),
    ),
    "INT-09": Rule(
        "a failure is classified, and only a rate limit is tried again, after asking back-off", ("LK-RL-01",)
    ),
    "INT-10": Rule("the delay that back-off gives is waited, before the breaker is asked again", ("LK-RL-04",)),
    "INT-11": Rule("retries are counted from one for each model and approach", ("LK-RL-04", "LK-RL-06")),
    "INT-12": Rule("a rung is left only when its retries are over or its breaker refuses", ("LK-RL-06", "LK-FB-01")),
    "INT-13": Rule("rungs are taken one by one, as the ladders go", ("LK-FB-01", "LK-FB-02")),
    "INT-14": Rule("the third failure of a task since its last success calls a human, no earlier one", ("LK-FB-04",)),
    "INT-15": Rule("once a human is called, or a ladder has ended, nothing more is tried", ("LK-FB-01", "LK-FB-05")),
    "INT-16": Rule("who waits for an OPEN breaker asks again when its cooldown is over", ("LK-RP-01", "LK-CB-14")),
    "INT-17": Rule("the third failure told within the window opens the breaker", ("LK-CB-10",)),
    "INT-18": Rule("a breaker is the same one for all sessions, and moves in the four legal ways", ("LK-CB-22",)),
    "INT-19": Rule("no session gets through an OPEN breaker", ("LK-CB-13", "LK-CB-14")),
    "INT-20": Rule("all events of a call carry its id, from its one beginning to its one end", ("LK-CB-24",)),
    "INT-21": Rule("a system answers whatever it is asked", ("PS-FO-01",)),
    "INT-22": Rule("a task that calls for a human by itself is not tried", ("LK-FB-03", "LK-FB-05")),
    "INT-23": Rule("a failure is logged once, under an id of its own", ("ER-LOG-01", "ER-LOG-03")),
    "INT-24": Rule("a failure is diagnosed before the next attempt", ("DR-TRG-01", "DR-TRG-02", "DR-TRG-03")),
    "INT-25": Rule("after two failed recoveries, or when the diagnosis says so, the user is asked", ("DR-REC-07",)),
    "INT-26": Rule("what fails beside the work stops nothing", ("ER-NB-01", "ER-NB-02")),
    "INT-27": Rule("it is reported at the end of the session, all together", ("ER-NB-03",)),
    "INT-28": Rule("the strategy that is tried is the one the diagnosis recommends", ("DR-TRG-03", "DR-TRG-04")),
    "INT-29": Rule("nothing is diagnosed but a failure, and that once", ("DR-TRG-01",)),
    "INT-30": Rule("what is reported has been logged before", ("ER-LOG-01", "ER-PRG-01", "ER-NB-03")),
    "INT-31": Rule(
        "how a recovery ended is told to the diagnosis, once, before anything else is tried", ("DR-MEM-03", "DR-LRN-01")
    ),
    "INT-32": Rule(
        "a task that is claimed is nobody else's until it is given back, finished, blocked or dead",
        ("LK-GEN-02", "LK-SYS-03"),
    ),
    "INT-33": Rule(
        "after a restart, or a session that was cut, resuming and going on with what one held come before any claim",
        ("LK-RC-01",),
    ),
    "INT-34": Rule("the review of the dead letters, where it is due, comes before any claim", ("LK-DQ-09",)),
    "INT-35": Rule("the requirements of a task are read before it is worked on", ("LK-GEN-08",)),
    "INT-36": Rule(
        "an attempt that failed is counted, once, before anything else, and follows what was counted before",
        ("LK-DQ-01", "LK-DQ-05"),
    ),
    "INT-37": Rule(
        "the third counted failure in a row, or whoever else calls for one, and nothing else, asks a human, once, "
        "before anything is tried",
        ("LK-HR-02", "LK-FB-04", "LK-HR-05"),
    ),
    "INT-38": Rule("the fifth counted failure, and no earlier one, makes a task a dead letter", ("LK-DQ-01",)),
    "INT-39": Rule("a blocked, dead or finished task is not worked on", ("LK-HR-05", "LK-DQ-01", "LK-GEN-02")),
    "INT-40": Rule(
        "reviews are looked after before any claim; one without a decision ends after 24 hours, with an alert",
        ("LK-HR-07",),
    ),
    "INT-41": Rule("a drift that is high or critical pauses the task until a reviewer, opus, passes it", ("LK-DR-08",)),
    "INT-42": Rule(
        "a drift is told, of the task at work: its second is escalated, its third consolidated",
        ("LK-DR-04", "LK-DR-06", "LK-DR-07"),
    ),
    "INT-43": Rule(
        "after a recovery the queues are looked at, and every task is in one place, where it belongs",
        ("LK-DQ-23", "LK-RC-01", "LK-GEN-02"),
    ),
    "INT-44": Rule(
        "a signal is raised by its producer and handled by its consumer, once, and then it is gone",
        ("LK-SG-01", "LK-SG-03"),
    ),
    "INT-45": Rule("a checkpoint comes before a major operation, and the end of a task is one", ("LK-SYS-04",)),
    "INT-46": Rule("a task is finished once, by whoever has done it, and recorded", ("LK-GEN-05", "LK-GEN-02")),
    "INT-47": Rule("a phase is worked on when it has been launched, and not otherwise", ("AB-NRT-03", "AB-PAR-02")),
    "INT-48": Rule(
        "a phase has one retry in a run, which is launched like its first attempt; whoever drives the plan adds none, "
        "whatever recoveries its tools and attempts its task have left",
        ("AB-RTY-01", "AB-RTY-04", "DR-REC-07", "LK-DQ-01"),
    ),
    "INT-49": Rule(
        "how an attempt at a phase ended is told to the phase runner, once, and as it ended", ("AB-CLS-01", "AB-PAR-01")
    ),
    "INT-50": Rule(
        "a claim of success is weighed before it is told, and one with a rationalisation is no evidence", ("LK-RAT-06",)
    ),
    "INT-51": Rule("what a phase claims is verified afresh before it is complete", ("AB-ERR-05",)),
    "INT-52": Rule(
        "what was done is analysed, then reviewed by all who are launched, as it is now, and again after each fix; no "
        "review begins while one is open; a phase whose review has not passed is not complete",
        ("LK-GEN-03", "LK-GEN-04", "LK-REV-01", "LK-REV-04", "LK-REV-05"),
    ),
    "INT-53": Rule(
        "after a halt nothing is launched, worked on or begun until a human decides", ("AB-HLT-02", "AB-RTY-03")
    ),
    "INT-54": Rule("a halted plan holds no session: it asks to stop like any other", ("AB-HLT-01", "PS-FO-01")),
    "INT-55": Rule(
        "a session goes on with a plan by resuming it, until it is complete or a human gives it up, and complete "
        "phases never run again",
        ("AB-RES-01", "AB-RES-02", "AB-RES-04"),
    ),
    "INT-56": Rule(
        "the task of a phase is done when its phase is complete, and not before", ("AB-ERR-05", "LK-GEN-05")
    ),
    "INT-57": Rule("a failed attempt at a phase is logged before it is counted", ("ER-LOG-01", "LK-DQ-01")),
}
RULES = tuple(ORDER)


class Order:
    """Watches sessions together, event by event."""

    def __init__(self) -> None:
        self._calls: dict[str, CallOrder] = {}
        self._stops: dict[str, StopOrder] = {}
        self._recoveries: dict[str, RecoveryOrder] = {}
        self._using: set[str] = set()  # sessions that use a local tool: that is no call to a model
        self._record_ids = Recent()
        self._breakers = BreakerOrder()
        self._tasks = TaskOrder()
        self._plans = PlanOrder()
        self._stepped_s = 0.0  # by how much the clock was set since the beginning

    def take(self, session: str, event: SessionEvent) -> tuple[str, ...]:
        """The rules that this event breaks, each once."""
        at_s = to_seconds(event.at)
        if isinstance(event, _OF_THE_MACHINE):
            self._befell(session, event)
            return ()
        if session not in self._calls:
            self._calls[session], self._stops[session] = CallOrder(), StopOrder()
            self._recoveries[session] = RecoveryOrder(self._record_ids)
        found = [
            *self._stops[session].take(event),
            *self._of_a_call(session, event, at_s - self._stepped_s),
            *self._recoveries[session].take(event),
            *self._breakers.take(session, event, at_s),
            *self._tasks.take(session, event, at_s),
            *self._plans.take(session, event),
        ]
        return tuple(dict.fromkeys(found))

    def _befell(self, session: str, event: SessionEvent) -> None:
        """What befalls the machine breaks no rule; what is known may hold no longer."""
        if isinstance(event, ClockStepped):
            self._stepped_s += event.by_s
            self._breakers.forget()
        elif isinstance(event, StorageChanged):
            self._breakers.fill(full=event.full)
            self._tasks.fill(full=event.full)
            self._plans.fill(full=event.full)
        elif isinstance(event, MachineRestarted):
            self._breakers.restart()
            self._tasks.restart()
        elif isinstance(event, SessionCut):
            self._torn(session, event.changing)
            self._tasks.cut(session)
            self._plans.cut(session)
            self._forget(session)

    def _torn(self, session: str, path: str) -> None:
        """An operation that was cut off may have changed what nobody has told of."""
        if is_of_breakers(path):
            self._breakers.forget()
        elif path and _OF_A_SESSION not in path:
            self._tasks.lose(session)

    def _of_a_call(self, session: str, event: SessionEvent, elapsed_s: float) -> Iterator[str]:
        if isinstance(event, UseBegun):
            self._using.add(session)
        elif isinstance(event, UseEnded | CallBegun):
            self._using.discard(session)
        if session not in self._using or isinstance(event, SystemSilent):
            yield from self._calls[session].take(event, elapsed_s)

    def end(self, session: str) -> tuple[str, ...]:
        """The rules that a session breaks by having ended here."""
        if session not in self._calls:
            return ()
        watchers = (self._stops[session], self._calls[session], self._recoveries[session])
        found = [
            *(rule for watcher in watchers for rule in watcher.end()),
            *self._tasks.end(session),
            *self._plans.end(session),
        ]
        self._forget(session)
        return tuple(dict.fromkeys(found))

    def _forget(self, session: str) -> None:
        self._calls.pop(session, None)
        self._stops.pop(session, None)
        self._recoveries.pop(session, None)
        self._using.discard(session)


_OF_BREAKERS = tuple(path.rpartition("/")[2] for path in (STATE_PATH, RECOVERY_LOG_PATH))
_OF_A_SESSION = "/.claude/"  # transcripts
_OF_THE_MACHINE = (ClockStepped, StorageChanged, MachineRestarted, SessionCut)


def is_of_breakers(path: str) -> bool:
    """Is it a file of the circuit breakers, or the lock of one?"""
    return path.rpartition("/")[2].startswith(_OF_BREAKERS)


def broken(events: Sequence[SessionEvent]) -> tuple[str, ...]:
    """The rules that this stream of one session breaks, in the order of RULES."""
    return broken_together(("", event) for event in events)


def broken_together(events: Iterable[tuple[str, SessionEvent]]) -> tuple[str, ...]:
    """The same of several sessions, each event with its session's name."""
    order = Order()
    found: set[str] = set()
    sessions: dict[str, None] = {}
    for session, event in events:
        sessions[session] = None
        found.update(order.take(session, event))
    for session in sessions:
        found.update(order.end(session))
    return tuple(rule for rule in RULES if rule in found)
