"""Histories of a circuit breaker written operation by operation: what was asked, found on disk, struck and answered."""

import json
from datetime import UTC, datetime, timedelta

import msgspec

from harness.core.fault import Fault, Injection
from harness.core.finding import CheckVerdict
from harness.core.history import Entry, EntryType, History, InputFact
from harness.core.scenario import Scenario, World
from harness.systems import registry
from harness.systems.circuit_breaker.contract import BREAKER, STATE_PATH, SYSTEM
from harness.systems.circuit_breaker.oracle import judge

CATALOGUE = registry.get("circuit_breaker").catalogue
PASS, FAIL = CheckVerdict.PASS, CheckVerdict.FAIL
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TINY = 0.000001
NAME = "api/claude"
MISSING = InputFact("missing")


def moment(seconds):
    """The time so many seconds after noon, as it stands in histories and records."""
    return (NOON + timedelta(microseconds=round(seconds * 1_000_000))).isoformat().replace("+00:00", "Z")


def fact(content):
    """What an operation finds: a record by name, bytes, a fact, or nothing that is told."""
    if content is None or isinstance(content, InputFact):
        return content
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return InputFact("file", len(data), data)


def call(op, args, at, answer, *, process=0, file=None, log=None, faults=(), ended=EntryType.OK):
    """One operation from its beginning to its end."""
    inputs = {
        label: found for label, found in (("state", fact(file)), ("recovery_log", fact(log))) if found is not None
    }
    kind = EntryType.INFO if answer is None else ended
    begin = Entry(0, process, EntryType.INVOKE, op, args, moment(at), inputs=inputs, faults=tuple(faults))
    return begin, Entry(0, process, kind, op, answer or {}, moment(at))


def ask(at, state="CLOSED", permitted=True, c="c", name=NAME, urgent=True, **more):
    told = {key: more.pop(key) for key in ("held", "error", "wait_s") if key in more}
    args = {"name": name, "call": c} if urgent else {"name": name, "call": c, "urgent": False}
    return call(
        "acquire", args, at, None if state is None else {"permitted": permitted, "state": state, **told}, **more
    )


def refused(at, state="OPEN", error="E", **more):
    return ask(at, state, False, error=error, **more)


def told(at, outcome, state, c="c", name=NAME, error=None, **more):
    args = {"name": name, "call": c, "outcome": outcome}
    args |= {"error": error} if error is not None else {}
    return call("record", args, at, None if state is None else {"state": state}, **more)


def ok(at, state="CLOSED", **more):
    return told(at, "success", state, **more)


def bad(at, state="CLOSED", error="E", **more):
    return told(at, "failure", state, error=error, **more)


def look(at, state="CLOSED", name=NAME, **more):
    fields = ("failure_count", "success_count", "last_failure_time", "last_state_change", "cooldown_until", "wait_s")
    shown = {key: more.pop(key) for key in fields if key in more}
    return call("inspect", {"name": name}, at, None if state is None else {"state": state, **shown}, **more)


def load(at, agents, *, background, queue, full=5, **more):
    answer = {"agents": agents, "background": background, "queue_non_urgent": queue}
    return call("capacity", {"agents": full}, at, answer, **more)


def configure(at, accepted, tunables=None, log=(), process=0, **named):
    in_force = {"threshold": 3, "window_s": 60.0, "cooldown_s": 300.0, "half_open_interval_s": 10.0,
                "recovery_threshold": 3, **(tunables or {})}  # fmt: skip
    answer = {"accepted": accepted, "tunables": in_force, "log": list(log)}
    return call("configure", {"tunables": named}, at, answer, process=process)


RESET = (Entry(0, 0, EntryType.INVOKE, "reset", {}, moment(0)), Entry(0, 0, EntryType.OK, "reset", {}, moment(0)))


def failures(*at, name=NAME, last="OPEN", process=0):
    """Calls that fail at these times, of which the last one opens the breaker."""
    for number, seconds in enumerate(at):
        state = last if number == len(at) - 1 else "CLOSED"
        yield ask(seconds, c=f"f{seconds}-{number}", name=name, process=process)
        yield bad(seconds, state, c=f"f{seconds}-{number}", name=name, process=process)


def trip(at=0.0, **more):
    """Three failures at once."""
    return list(failures(at, at, at, **more))


def probe(at, outcome="success", state="HALF_OPEN", **more):
    """A probe that ends as it begins."""
    yield ask(at, "HALF_OPEN", c=f"p{at}", **more)
    yield told(at, outcome, state, c=f"p{at}", error="E" if outcome == "failure" else None, **more)


def recovery(at=300.0, **more):
    """Three probes that close the breaker, 20 seconds later."""
    return [*probe(at, **more), *probe(at + 10, **more), *probe(at + 20, state="CLOSED", **more)]


def record(state, change, **more):
    """A record of the state file; times in seconds after noon."""
    times = {
        key: None if value is None else moment(value)
        for key, value in more.items()
        if key.endswith(("time", "until", "start"))
    }
    given = {
        "failure_count": 0,
        "success_count": 0,
        "last_failure_time": None,
        "cooldown_until": None,
        "failure_window_start": None,
    }
    return {**given, "state": state, "last_state_change": moment(change), **more, **times}


def opened(at=0.0, **more):
    """The record of a breaker that three failures opened at that time."""
    fields = {
        "failure_count": 3,
        "last_failure_time": at,
        "cooldown_until": at + 300,
        "failure_window_start": at,
        **more,
    }
    return record("OPEN", at, **fields)


def together(*calls):
    """Operations that overlap, each by a process of its own."""
    moved = [
        (msgspec.structs.replace(begin, process=number), msgspec.structs.replace(end, process=number))
        for number, (begin, end) in enumerate(calls, start=1)
    ]
    return [begin for begin, _ in moved], [end for _, end in moved]


def flat(parts):
    for part in parts:
        if isinstance(part, Entry):
            yield part
        else:
            yield from flat(part)


def found(*parts, tunables=None, clauses=()):
    """What the oracle finds, by clause."""
    entries = tuple(msgspec.structs.replace(entry, n=n) for n, entry in enumerate(flat(parts)))
    world = World(moment(0), {}, {"tunables": tunables} if tunables else {})
    scenario = Scenario(1, "handmade", "handmade", SYSTEM, BREAKER, tuple(clauses), world, ())
    return {finding.clause: finding for finding in judge(scenario, History(entries), CATALOGUE)}


def failing(*parts, **more):
    """The clauses that fail."""
    return {clause for clause, finding in found(*parts, **more).items() if finding.verdict is FAIL}


def readings(clause, *parts, **more):
    """The readings of a clause that the history leaves; it passes."""
    finding = found(*parts, **more)[clause]
    assert (finding.verdict, finding.observed) == (PASS, finding.observed)
    return set(finding.readings or ())


def struck(name, path=STATE_PATH, proof="met", armed=True, **params):
    """A fault that the harness has put in place."""
    return Injection(Fault(name, path, params), armed=armed, proof=proof)
