"""The tours of level L2 for hooks: short sequences of stops that witness many clauses at once under one fault.

Every tour shows both sessions in calm weather, begins afresh, and then stops each of them at least twice under the
fault: what goes wrong the first time may only show in the second. Each scenario has sessions of its own, with ids and
paths as a host makes them, so that no hook can know them by name.
"""

import hashlib
import uuid
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from harness.core.fault import Fault, Scalar
from harness.core.scenario import FileSpec, Scenario, Step
from harness.systems.stop_gate.contract import StopArguments
from harness.systems.stop_gate.workload import stop_steps
from harness.systems.stop_gate.workload.stop_steps import FINISHED, PLACES, RESET, UNFINISHED, again, control, stop

TRANSCRIPTS = "{transcripts}"  # in the place of a fault: both sessions' transcripts
EVERYWHERE = "{everywhere}"  # in the place of a fault: every place a hook may write
# what every sound hook witnesses in a tour: the controls, and whatever comes after them
ALWAYS = ("PS-FO-01", "PS-PRM-02", "SH-01", "SH-02", "SH-05", "SH-07", "SH-08")
BOUNDED = ("PS-LOOP-04", "SH-03")
# that an unfinished session is held: under most faults a hook may let it go, and only the control shows this
GUARD = frozenset(("PS-PRM-02", "SH-08"))
# under these it is held all the same
HOLDING = frozenset(("jsonl.blank_lines", "clock.time_zone", "environment.odd_locale", "environment.stdout_slow"))


class Strike(NamedTuple):
    """A fault of the table, and the place it strikes: a path, or one of the two words above."""

    name: str
    place: str | None = None
    params: Mapping[str, Scalar] = {}


def shown_under(strikes: Iterable[Strike], clauses: tuple[str, ...]) -> tuple[str, ...]:
    """Those of ``clauses`` that a tour under these faults shows in their weather, and not only in its control."""
    if any(strike.name in HOLDING for strike in strikes):
        return clauses
    return tuple(clause for clause in clauses if clause not in GUARD)


class Cast(msgspec.Struct, frozen=True, dict=True):
    """The two sessions of one scenario, and the files they need beyond the samples of every scenario."""

    finished: StopArguments
    unfinished: StopArguments
    files: Mapping[str, FileSpec] = {}

    @classmethod
    def of(cls, name: str) -> "Cast":
        """Sessions that only the scenario of that name has."""
        folder = f"{{home}}/.claude/projects/-home-dev-{_number(name, 'project').hex[:6]}"
        made = {}
        files = {}
        for role, sample, arguments in (("finished", "approve", FINISHED), ("unfinished", "block", UNFINISHED)):
            session = str(_number(name, role))
            path = f"{folder}/{session}.jsonl"
            made[role] = msgspec.structs.replace(arguments, session_id=session, transcript_path=path)
            files[path] = FileSpec(sample=sample)
        return cls(made["finished"], made["unfinished"], files)

    @cached_property
    def calm(self) -> tuple[Step, ...]:
        """Both sessions in calm weather, then a fresh world."""
        return (control(self.unfinished), control(self.finished), RESET)

    def put(self, strikes: tuple[Strike, ...]) -> tuple[Step, ...]:
        """The steps that put the faults in place."""
        words = {
            TRANSCRIPTS: (self.unfinished.transcript_path, self.finished.transcript_path),
            EVERYWHERE: PLACES,
        }
        return tuple(
            Step(fault=Fault(strike.name, place, strike.params))
            for strike in strikes
            for place in words.get(str(strike.place), (strike.place,))
        )


# for faults at a declared place, which may name the session session-1: there both sessions are that one
DECLARED = Cast(FINISHED, msgspec.structs.replace(UNFINISHED, session_id=FINISHED.session_id))
Tour = Callable[[Cast, tuple[Strike, ...]], tuple[Step, ...]]


def through(cast: Cast, strikes: tuple[Strike, ...]) -> tuple[Step, ...]:
    """Under the fault the unfinished session is stopped until it may end, then the finished one, twice."""
    return (*cast.calm, *cast.put(strikes), *_stopped_until_let_go(cast), *_ended_twice(cast))


def twice(cast: Cast, strikes: tuple[Strike, ...]) -> tuple[Step, ...]:
    """Under the fault each session is stopped twice."""
    return (*cast.calm, *cast.put(strikes), *_each_twice(cast))


def midway(cast: Cast, strikes: tuple[Strike, ...]) -> tuple[Step, ...]:
    """The fault comes after the first block, and stays: the session may end all the same, and so may another."""
    first = stop(cast.unfinished)
    return (*cast.calm, first, *cast.put(strikes), again(cast.unfinished), *_another(cast), *_ended_twice(cast))


def around(cast: Cast, strikes: tuple[Strike, ...]) -> tuple[Step, ...]:
    """As ``midway``, and then from the beginning, in a fresh world."""
    return (*midway(cast, strikes), RESET, *cast.put(strikes), *_stopped_until_let_go(cast), *_ended_twice(cast))


def each(cast: Cast, strikes: tuple[Strike, ...]) -> tuple[Step, ...]:
    """One fault after the other, each in a fresh world that meets both sessions."""
    stops = (stop(cast.unfinished), stop(cast.finished))
    return (*cast.calm[:-1], *(step for strike in strikes for step in (RESET, *cast.put((strike,)), *stops)))


def once(cast: Cast, strikes: tuple[Strike, ...]) -> tuple[Step, ...]:
    """Under a fault that may cost a hook its whole time, the finished session is stopped once."""
    return (*cast.calm, *cast.put(strikes), stop(cast.finished))


def struck(cast: Cast, strikes: tuple[Strike, ...]) -> tuple[Step, ...]:
    """The fault strikes the next stop only: the first of the unfinished session, its third, the first of the finished.

    What was struck is stopped again, calmly, and may end after a bounded number of blocks; the finished one at once.
    """
    put = cast.put(strikes)
    more = stop(cast.unfinished, stop_hook_active=True)
    return (
        *cast.calm,
        *put,
        stop(cast.unfinished),
        more,
        *put,
        more,
        more,
        again(cast.unfinished),
        *_another(cast),
        *put,
        stop(cast.finished),
        *_ended_twice(cast),
    )


def _stopped_until_let_go(cast: Cast) -> tuple[Step, ...]:
    return (stop(cast.unfinished), again(cast.unfinished))


def _each_twice(cast: Cast) -> tuple[Step, ...]:
    return (stop(cast.unfinished), stop(cast.unfinished, stop_hook_active=True), *_ended_twice(cast))


def _another(cast: Cast) -> tuple[Step, ...]:
    """An unfinished session that was not held before: a hook that only looks at first stops meets the fault here."""
    session = cast.unfinished.session_id
    other = msgspec.structs.replace(cast.unfinished, session_id=session[:-1] + ("a" if session[-1] != "a" else "b"))
    return (stop(other), stop(other, stop_hook_active=True))


def _ended_twice(cast: Cast) -> tuple[Step, ...]:
    return (stop(cast.finished), stop(cast.finished))


def scenario(name: str, title: str, clauses: tuple[str, ...], cast: Cast, steps: tuple[Step, ...],
             **more: Any) -> Scenario:  # fmt: skip
    """A scenario of level L2 with that cast, as ``stop_steps.scenario`` makes it; ``clauses`` come sorted."""
    files = {**cast.files, **more.pop("files", {})}
    ordered = tuple(sorted(set(clauses)))
    own = bool(cast.files)
    return stop_steps.scenario(
        f"hook-l2-{name}", title, ordered, steps, files=files, level="L2", own_sessions=own, **more
    )


def _number(name: str, role: str) -> uuid.UUID:
    return uuid.UUID(bytes=hashlib.sha256(f"{name}/{role}".encode()).digest()[:16], version=4)
