"""Watches the files and the events of a simulation together."""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import Final

from harness.core.events import SessionEvent
from harness.ports.fake_files import FakeFiles
from harness.runtime.session import TRANSCRIPT
from harness.simulation.invariants import shapes
from harness.simulation.invariants.circuits import Circuits
from harness.simulation.invariants.failures import Failures
from harness.simulation.invariants.limits import Limits
from harness.simulation.invariants.lines import Lines, are_json
from harness.simulation.invariants.reviews import Reviews
from harness.simulation.invariants.rules import WHOLE, WHOLE_LINES
from harness.simulation.invariants.shapes import Data
from harness.simulation.invariants.stops import Stops
from harness.simulation.invariants.tasks import Tasks
from harness.simulation.invariants.weather import Weather
from harness.systems.circuit_breaker.contract import STATE_PATH
from harness.systems.dead_letter.contract import ESCALATIONS_PATH
from harness.systems.diagnosis.contract import CONTEXT_LOG_PATH, EPISODIC_MEMORY_PATH, SESSION_MEMORY_PATH
from harness.systems.error_log.contract import ERRORS_PATH
from harness.systems.phase_runner.contract.words import CONFIG_PATH, PHASES_DIRECTORY, STATE_DIRECTORY
from harness.systems.queue_files import QUEUES, path_of
from harness.systems.rationalization.contract import ATTEMPTS_PATH
from harness.systems.review_gate.contract import GATE_PATH
from harness.systems.session_recovery.contract import CHECKPOINT_PATH, LEDGER_PATH
from harness.systems.signals.contract import APPROVED_PATH, DRIFT_PATH, REVIEW_PATH, Signal
from harness.systems.stop_gate.contract import RUNTIME_DIRECTORY

Reader = Callable[[Data | None], Iterable[str]]
_LINES: Final = (CONTEXT_LOG_PATH, SESSION_MEMORY_PATH, EPISODIC_MEMORY_PATH, DRIFT_PATH, ATTEMPTS_PATH)
_OBJECTS: Final = (GATE_PATH, CHECKPOINT_PATH, APPROVED_PATH, f"{RUNTIME_DIRECTORY}/counters.json")
_RUN_PATH: Final = f"{STATE_DIRECTORY}/run.json"
_SIGNALS: Final = "{home}/.loki/signals/"


class Invariants:
    """Sees every write to ``files`` from now on, by their ``watch``; ``home`` is where agents work.

    ``elsewhere`` are the systems whose own files are not among these, because a process of their own has them: of
    circuit_breaker and error_log nothing is said then of their files.
    """

    def __init__(self, files: FakeFiles, home: str, elsewhere: Collection[str] = ()) -> None:
        self._files = files
        self._home = home
        self._elsewhere = elsewhere
        self._found: dict[str, None] = {}  # at writes since the last event
        self._weather = Weather()
        self._tasks = Tasks(self._weather)
        self._reviews = Reviews(self._weather, self._tasks, self._is_escalated)
        self._failures = Failures(self._weather)
        self._circuits = Circuits(self._weather)
        self._limits = Limits(self._weather, self._tasks)
        self._stops = Stops(self._transcript)
        self._lines: dict[str, Lines] = {}
        self._torn: set[str] = set()  # files that end in the middle of a line
        self._excused: set[str] = set()
        self._readers = self._named_readers()
        self._phases = PHASES_DIRECTORY.format(home=home) + "/"
        self._signals = _SIGNALS.format(home=home)
        for path in tuple(files.contents):
            self.changed(path)
        files.watch = self.changed

    def _named_readers(self) -> dict[str, Reader]:
        readers: dict[str, Reader] = {f"{self._home}/{path_of(queue)}": partial(self._queue, queue) for queue in QUEUES}
        readers |= {self._at(path): partial(self._read_lines, self._at(path)) for path in _LINES}
        readers |= {self._at(path): _object for path in (*_OBJECTS, CONFIG_PATH, _RUN_PATH)}
        readers[self._at(LEDGER_PATH)] = self._ledger
        readers[self._at(REVIEW_PATH)] = self._requests
        readers[self._at(STATE_PATH)] = self._breakers
        readers[self._at(ERRORS_PATH)] = self._failures.changed
        return readers

    def _at(self, path: str) -> str:
        return path.format(home=self._home)

    # -- files

    def changed(self, path: str) -> None:
        """That file was written, or is gone."""
        reader = self._readers.get(path) or self._reader_of(path)
        if reader is not None:
            stored = self._files.contents.get(path)
            for broken in reader(None if stored is None else stored[0]):
                self._found[broken] = None

    def _reader_of(self, path: str) -> Reader | None:
        """Of those files that come and go."""
        if path.startswith(self._phases):
            return self._phase
        if path.startswith(self._signals) and path[len(self._signals) :].startswith(_SIGNAL_NAMES):
            return _object
        return None

    def archived(self, paths: Iterable[str]) -> None:
        """These files were set aside: they begin anew, and what they had is neither lost nor repeated."""
        queues = {f"{self._home}/{path_of(queue)}": queue for queue in QUEUES}
        for path in paths:
            if path in queues:
                self._tasks.archived(queues[path])
            elif path == self._at(ERRORS_PATH):
                self._failures.archived()
            if path in self._lines:
                self._lines[path].forget()
                self._torn.discard(path)

    def _queue(self, queue: str, data: Data | None) -> Iterator[str]:
        ids = [] if data is None else shapes.queue(data)
        if ids is None:
            yield WHOLE
        else:
            yield from self._tasks.changed(queue, ids)

    def _breakers(self, data: Data | None) -> Iterator[str]:
        states = {} if data is None else shapes.breakers(data)
        if states is None:
            yield WHOLE
        else:
            yield from self._circuits.changed(states)

    def _requests(self, data: Data | None) -> Iterator[str]:
        requests = set[str]() if data is None else shapes.requests(data)
        if requests is None:
            yield WHOLE
        else:
            self._reviews.changed(requests)

    def _phase(self, data: Data | None) -> Iterator[str]:
        if data is None:
            return
        phase = shapes.phase(data)
        if phase is None:
            yield WHOLE
        else:
            yield from self._limits.written(phase)

    def _ledger(self, data: Data | None) -> Iterator[str]:
        lines, stays = self._new_lines(self._at(LEDGER_PATH), data)
        tasks = [shapes.recorded(line) for line in lines]
        if None in tasks:
            yield WHOLE_LINES
        yield from self._tasks.recorded(tasks, stays=stays)

    def _read_lines(self, path: str, data: Data | None) -> Iterator[str]:
        lines, stays = self._new_lines(path, data)
        if not stays or not are_json(lines):
            yield WHOLE_LINES

    def _new_lines(self, path: str, data: Data | None) -> tuple[list[bytes], bool]:
        seen = self._lines.setdefault(path, Lines())
        lines, stays = seen.take(data)
        if seen.is_torn:
            self._torn.add(path)
        else:
            self._torn.discard(path)
            self._excused.discard(path)
        return lines, stays

    # -- events

    def take(self, session: str, event: SessionEvent) -> tuple[str, ...]:
        """The invariants that this event, and what was written since the one before it, break, each once."""
        self._weather.take(event)
        found, self._found = self._found, {}
        if self._torn:
            found |= dict.fromkeys(self._end_torn())
        for watching in (
            self._tasks.take(event),
            self._reviews.take(event),
            self._limits.take(session, event),
            self._stops.take(session, event),
        ):
            found |= dict.fromkeys(watching)
        if "circuit_breaker" not in self._elsewhere:
            found |= dict.fromkeys(self._circuits.take(session, event))
        if "error_log" not in self._elsewhere:
            found |= dict.fromkeys(self._failures.take(session, event))
        return tuple(found)

    def end(self) -> tuple[str, ...]:
        """Those that were broken since the last event."""
        found, self._found = self._found, {}
        return tuple(found)

    def _end_torn(self) -> Iterator[str]:
        if self._weather.cut in self._torn:
            self._excused.add(self._weather.cut)
        if self._torn - self._excused:
            self._excused |= self._torn
            yield WHOLE_LINES

    # -- what watchers ask for

    def _transcript(self, session: str) -> Data | None:
        path = TRANSCRIPT.replace("{home}", self._home).replace("{session_id}", session)
        found = self._files.contents.get(path)
        return None if found is None else found[0]

    def _is_escalated(self, task: str) -> bool:
        below = self._at(ESCALATIONS_PATH) + "/"
        told = (stored[0] for path, stored in self._files.contents.items() if path.startswith(below))
        return any(task.encode() in text for text in told)


_SIGNAL_NAMES = tuple(signal.value for signal in Signal)


def _object(data: Data | None) -> Iterator[str]:
    if data is not None and not shapes.is_object(data):
        yield WHOLE
