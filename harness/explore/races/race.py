"""One execution of a race: every call is held, and when nobody runs any more a schedule chooses whose is let go."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Self

import msgspec

from harness.explore.accesses import Access
from harness.explore.new_names import MadeUp, Namer, NewNames
from harness.explore.races import waits
from harness.explore.races.footprints import Footprints, exists
from harness.explore.races.identities import Identities, actor, kill_number, run_number
from harness.explore.races.pipes import Pipes
from harness.explore.races.processes import Processes, Waiting
from harness.explore.races.sleeps import Sleeps
from harness.explore.races.ties import Ties, tied
from harness.explore.schedules import Schedule
from harness.faults.syscalls import SIGNATURES, Answer, Call, Give, Go, Hold, Kind, Supervisor, TimeCalls
from harness.sandbox import Filter

SCHEDULED: Final = frozenset(
    name for name, signature in SIGNATURES.items() if signature.kind not in (Kind.CLOSE, Kind.SYNC) and name != "fstat"
)
IDLE_S: Final = 10.0  # without anything happening, before an execution is given up
_EMPTY_PATH: Final = 0x1000  # AT_EMPTY_PATH: a stat of an open file
_TICK_S: Final = 0.001
_LONGEST_S: Final = 0.016  # between two looks at processes that do not stop
_LOCKS: Final = frozenset(name for name, signature in SIGNATURES.items() if signature.kind is Kind.LOCK)


class RaceStep(msgspec.Struct, frozen=True):
    """One call that was let go, by the ``process``-th process of a run; of the name "kill" that run's violent end."""

    run: int
    process: int
    name: str
    paths: tuple[str, ...] = ()

    def text(self) -> str:
        """For people: ``1: openat(state.json)``; of a process that was started by the first ``1.2: ...``."""
        who = f"{self.run}.{self.process}" if self.process else f"{self.run}"
        return f"{who}: {self.call()}"

    def call(self) -> str:
        """For people: ``openat(state.json)``."""
        return f"{self.name}({', '.join(self.paths)})" if self.paths else self.name


class Race:
    """Give each run a filter of its own; see the package for how to use it.

    ``killed`` are the runs that this execution killed. ``stuck`` says of a deadlock who waits where, ``trouble`` why
    the execution says nothing: "" when it does. ``made_up`` is what is known of names from executions before. A run
    that computes for ``endless_s`` seconds of processor time without any file call is ``endless``, which says of which.
    ``by_time``: something had to wait until its time had come, so that it may take more or fewer steps the next time.
    """

    def __init__(
        self,
        schedule: Schedule,
        *,
        below: tuple[str, ...],
        runs: int = 2,
        names: frozenset[str] = SCHEDULED,
        crashing: tuple[int, ...] = (),
        idle_s: float = IDLE_S,
        hide: Callable[[str], str] = str,
        made_up: MadeUp | None = None,
        endless_s: float = math.inf,
    ) -> None:
        self._schedule = schedule
        self._expected = runs
        self._idle_s = idle_s
        self._supervisor = Supervisor(self._decide, below=below, names=names, rest=self._rest)
        self._processes = Processes()
        self._identities = Identities()
        self._footprints = Footprints(hide)
        self._names = NewNames(made_up or MadeUp(), below, hide)
        self._ties = Ties()
        self._sleeps = Sleeps()
        self._pipes = Pipes()
        self._served: list[bool] = []
        self._unready: list[int] = []
        self._feeding = False
        self._held: dict[int, Call] = {}
        self._kills = {kill_number(run): run for run in crashing}
        self._over = False
        self._since = 0.0
        self._pause_s = _TICK_S
        self.killed: tuple[int, ...] = ()
        self._endless_s = endless_s
        self._computed: tuple[float, dict[int, float]] = 0.0, {}
        self._busy = 0.0, 0.0
        self.endless = ""
        self.by_time = False
        self.stuck: tuple[str, ...] = ()
        self.trouble = ""

    def __enter__(self) -> Self:
        self._since = time.monotonic()
        self._supervisor.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._supervisor.__exit__(kind, error, trace)
        finally:
            self._processes.close()
        self._finish()

    def filter(self, *, served: bool = False, times: TimeCalls | None = None) -> Filter:
        """What to start the next run with; ``served``: it lives on and waits for work at its standard input.

        ``times`` tells it the time.
        """
        made = self._supervisor.filter(times=times)
        # the supervisor's thread looks on: it has to know of a run, and wait for it, before the run counts here
        self._unready.append(len(self._served))
        self._served.append(served)
        return made

    @contextmanager
    def feeding(self) -> Iterator[None]:
        """While inside nothing is let go: until the last of the served runs has its work."""
        self._feeding = True
        try:
            yield
        finally:
            self._feeding = False

    @property
    def order(self) -> tuple[RaceStep, ...]:
        """What was let go so far, in order."""
        steps = []
        for step in self._schedule.trace:
            who = actor(step.process)
            steps.append(RaceStep(who.run, who.process, step.name, tuple(map(self._names.text, step.paths))))
        return tuple(steps)

    @property
    def failure(self) -> BaseException | None:
        """What ended the service of the calls too early: then the runs were killed, and it is not their fault."""
        return self._supervisor.failure

    @property
    def stopped(self) -> bool:
        """Whether this execution was ended before its runs had ended by themselves."""
        return self._over

    @property
    def given_up(self) -> str:
        """Why this execution shows nothing of its runs, which were killed then; "" when it does, so far."""
        if self.trouble or self._schedule.end not in ("diverged", "steps"):
            return self.trouble
        if self._schedule.end == "diverged":
            return f"a run did not repeat what it had done before, after {len(self._schedule.trace)} steps"
        return f"it had not ended after {len(self._schedule.trace)} steps"

    def say_nothing(self, why: str) -> None:
        """What came of this execution is no verdict about its runs, and ``why``; the first reason is kept."""
        self.trouble = self.trouble or why

    def _decide(self, call: Call) -> Answer:
        if self._over or call.run >= len(self._served) or _is_of_open_file(call):
            return Go()
        self._since = time.monotonic()
        self._pause_s = _TICK_S
        self._held[call.tid] = call
        return Hold()

    def _rest(self, silent: bool) -> float | None:
        if not silent:
            self._since = time.monotonic()  # some call was made, if only on files elsewhere
        live = [run for run in range(len(self._served)) if not self._supervisor.over(run)]
        if self._over:
            return self._end(live)
        if not self._begun():
            return self._wait()
        if not live:
            return None
        holding = {call.run for call in self._held.values()}
        if not silent and not holding.issuperset(live):
            return _TICK_S
        asleep = self._processes.settled()
        if asleep is None or not self._supervisor.quiet():
            return self._wait()
        return self._at_rest(asleep)

    def _begun(self) -> bool:
        """Whether all that will run has been started, and has what it will read."""
        for run in tuple(self._unready):
            main = self._supervisor.main(run)
            if not main and not self._supervisor.over(run):
                continue
            if main and not self._pipes.knows(run):
                self._processes.add(run, main)
                self._pipes.add(run, main, served=self._served[run])
            if self._pipes.fed(run):
                self._unready.remove(run)
        return not self._feeding and not self._unready and len(self._served) >= self._expected

    def _wait(self) -> float:
        """Somebody runs, or will: look again, ever later; events come by themselves."""
        if self._endless_s < math.inf and self._computes_for_ever():
            self._stop("")
            return _TICK_S
        if time.monotonic() - max(self._since, self._busy[0]) > self._idle_s:
            self._stop(f"nothing came to rest, and nothing happened, for {self._idle_s:g} s")
            return _TICK_S
        self._pause_s = min(self._pause_s * 2, _LONGEST_S)
        return self._pause_s

    def _computes_for_ever(self) -> bool:
        """By processor time, which does not pass while others have the processor; as long as it does, it is waited."""
        now = {run: self._processes.computed_s(run) for run in range(len(self._served))}
        if sum(now.values()) != self._busy[1]:
            self._busy = time.monotonic(), sum(now.values())
        since, before = self._computed
        if since != self._since:
            self._computed = self._since, now
            return False
        late = [run for run in now if now[run] - before.get(run, now[run]) > self._endless_s]
        if late:
            self.endless = f"{late[0]} computes for {self._endless_s:g} s without any file call"
        return bool(late)

    def _at_rest(self, asleep: dict[int, Waiting]) -> float:
        if self._waits_for_us(asleep):
            return self._wait()
        for tid in [tid for tid in self._held if tid not in asleep]:
            del self._held[tid]
        self._identities.free(
            [
                tid
                for tid in self._identities.taken()
                if tid not in self._held and (tid not in asleep or not waits.inside(asleep[tid], _LOCKS))
            ]
        )
        sleeping = [call for call in self._held.values() if call.kind is Kind.SLEEP]
        awake = [call for call in self._held.values() if call.kind is not Kind.SLEEP]
        if self._wake([call for call in sleeping if not self._sleeps.in_vain(call.run)]):
            return _TICK_S
        if awake:
            return self._choose(awake, asleep)
        if sleeping:
            return self._wake_in_vain(sleeping)
        return self._nobody_held(asleep)

    def _waits_for_us(self, asleep: dict[int, Waiting]) -> bool:
        """Whether somebody waits for input that is on its way, or for room in an output that is being collected."""
        awaited = self._pipes.awaited()
        return any(
            waits.writes_to(waiting, self._pipes.outputs) or (awaited and waits.reads_from(waiting, awaited))
            for waiting in asleep.values()
        )

    def _wake(self, sleeping: list[Call]) -> bool:
        for call in sleeping:
            self._sleeps.slept(call.run)
            self._let_go(call, Give())
        return bool(sleeping)

    def _wake_in_vain(self, sleeping: list[Call]) -> float:
        for call in sleeping:
            real = self._sleeps.must_be_real(call.run)
            self.by_time = self.by_time or real
            self._sleeps.slept(call.run)
            self._let_go(call, Go() if real else Give())
        return _TICK_S

    def _choose(self, awake: list[Call], asleep: dict[int, Waiting]) -> float:
        calls = self._identities.number(awake, self._processes.chain, self._sorting)
        held = self._accesses(calls)
        held.update({number: self._footprints.of_kill(run) for number, run in self._kills.items()})
        blocked = {waiting.run for waiting in asleep.values()} - {call.run for call in awake}
        chosen = self._schedule.choose(held, tuple(run_number(run) for run in blocked))
        if chosen is None:
            self._stop("")
        elif chosen in self._kills:
            self._kill(self._kills.pop(chosen))
        else:
            call = calls[chosen]
            self._footprints.stepped(call)
            self._ties.stepped(call)
            self._sleeps.stepped(call, held[chosen])
            self._let_go(call, Go())
        return _TICK_S

    def _accesses(self, calls: dict[int, Call]) -> dict[int, Access]:
        held = {number: self._footprints.of(call, self._identity(call)) for number, call in sorted(calls.items())}
        ties = self._ties.of(calls, self._processes.chain, self._identities.process, self._pipes.errors)
        return {number: tied(access, ties[number]) for number, access in held.items()}

    def _identity(self, call: Call) -> tuple[str, ...]:
        namer = self._namer(call)
        return tuple(self._names.identity(path, namer) for path in call.paths)

    def _sorting(self, call: Call) -> tuple[str, ...]:
        namer = self._namer(call)
        return tuple(self._names.sorting(path, namer) for path in call.paths)

    def _namer(self, call: Call) -> Namer:
        process = self._identities.process(call.pid)
        who = f"{call.run}.{process}" if process else f"{call.run}"
        return Namer(who, self._schedule.choices, lambda path: exists(call, path))

    def _let_go(self, call: Call, answer: Answer) -> None:
        del self._held[call.tid]
        self._since = time.monotonic()
        self._pause_s = _TICK_S
        self._supervisor.answer(call, answer)

    def _kill(self, run: int) -> None:
        if not self._supervisor.over(run):
            self.killed = (*self.killed, run)
            self._since = time.monotonic()
            self._supervisor.kill(run)

    def _nobody_held(self, asleep: dict[int, Waiting]) -> float:
        """Everybody waits for another, for time to pass, or for us."""
        busy = [waiting for waiting in asleep.values() if not self._is_idle(waiting.run, asleep)]
        if not busy:
            self._since = time.monotonic()
            return _LONGEST_S
        if self._processes.settled() != asleep:
            return self._wait()  # one ended since, or went on: what it waits for could not be looked at any more
        if any(waits.timed(waiting) for waiting in busy):
            self.by_time = True
            return self._wait()
        self._schedule.choose({}, tuple(sorted({run_number(waiting.run) for waiting in busy})))
        places = sorted({(waiting.run, waits.place(waiting)) for waiting in busy})
        self.stuck = tuple(f"{run}: {place}" for run, place in places)
        self._stop("")
        return _TICK_S

    def _is_idle(self, run: int, asleep: dict[int, Waiting]) -> bool:
        """Whether a served run waits for its next work."""
        if not self._served[run]:
            return False
        pipes = self._pipes.inputs(run)
        return any(waits.reads_from(waiting, pipes) for waiting in asleep.values() if waiting.run == run)

    def _stop(self, trouble: str) -> None:
        self.trouble = trouble
        self._over = True

    def _end(self, live: list[int]) -> float | None:
        """What is left of an execution that is over is killed, until nothing is."""
        self._held.clear()
        for run in live:
            self._supervisor.kill(run)
        return _LONGEST_S if live else None

    def _finish(self) -> None:
        """What would have been killed after its end was not killed: the choice is told all the same."""
        held = {number: self._footprints.of_kill(run) for number, run in self._kills.items()}
        while not self._over:
            chosen = self._schedule.choose(held)
            if chosen is None:
                break
            del held[chosen]


def _is_of_open_file(call: Call) -> bool:
    return call.kind is Kind.STAT and bool(call.flags & _EMPTY_PATH) and call.name in ("newfstatat", "statx")
