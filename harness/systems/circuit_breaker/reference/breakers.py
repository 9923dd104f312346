"""The operations of the breakers of one working directory."""

from harness.ports.files import Files, RealFiles
from harness.systems.circuit_breaker.contract import (
    LONGEST_NAME,
    AcquireArguments,
    AcquireResult,
    CapacityArguments,
    CapacityResult,
    Configuration,
    ConfigureArguments,
    ConfigureResult,
    Held,
    InspectArguments,
    InspectResult,
    LogCode,
    RecordArguments,
    RecordResult,
)
from harness.systems.circuit_breaker.reference.breaker import CLOSED, HALF_OPEN, REFUSED, SUCCESS, Breaker
from harness.systems.circuit_breaker.reference.kept import KeptBreakers, is_unknown
from harness.systems.circuit_breaker.reference.load import Load
from harness.systems.circuit_breaker.reference.records import microseconds, moment
from harness.systems.trace import Trace


class CircuitBreakers(KeptBreakers):
    """Document 000 on the files below ``home``. Each operation takes the time of its call, in s since the epoch."""

    load_class = Load

    def __init__(self, configuration: Configuration, files: Files) -> None:
        super().__init__(configuration, files)
        self.load = self.load_class()

    # -- operations

    def acquire(self, arguments: AcquireArguments, now_s: float) -> AcquireResult:
        """May the guarded operation run?"""
        now_us, trace = microseconds(now_s), self.begin()
        if self.is_unusable(arguments.name):
            return AcquireResult(
                False, CLOSED, REFUSED, self._unusable(arguments.name, trace), None, tuple(trace.entries)
            )
        name, call = self.key(arguments.name), writable(arguments.call)
        breaker = self.look(name, now_us, trace)
        if breaker is None or breaker.settle(now_us) or breaker.moves_when_asked(now_us):
            breaker, held = self.change(name, now_us, trace, lambda found: found.ask(call, now_us))
        else:
            held = breaker.ask(call, now_us)
        return self.answer(arguments.name, breaker, held, now_us, trace)

    def record(self, arguments: RecordArguments, now_s: float) -> RecordResult:
        """The guarded operation ended."""
        now_us, trace = microseconds(now_s), self.begin()
        if self.is_unusable(arguments.name):
            self._unusable(arguments.name, trace)
            return RecordResult(CLOSED, tuple(trace.entries))
        name, call, outcome = self.key(arguments.name), writable(arguments.call), arguments.outcome
        error = None if arguments.error is None else writable(arguments.error)
        breaker = self.look(name, now_us, trace) if outcome is SUCCESS else None
        if breaker is None or breaker.state is HALF_OPEN:
            breaker, known = self.change(name, now_us, trace, lambda found: found.tell(call, outcome, now_us, error))
        else:
            known = breaker.tell(call, outcome, now_us, error)
        if not known:
            trace.warning(LogCode.CALL_UNKNOWN, f"no call {call[:80]!r} of this process is running")
        return RecordResult(breaker.state, tuple(trace.entries))

    def inspect(self, arguments: InspectArguments, now_s: float) -> InspectResult:
        """How does a breaker stand?"""
        now_us, trace = microseconds(now_s), self.begin()
        if self.is_unusable(arguments.name):
            self._unusable(arguments.name, trace)
            return InspectResult(CLOSED, log=tuple(trace.entries))
        name = self.key(arguments.name)
        breaker = self.look(name, now_us, trace)
        if breaker is None:
            breaker, _ = self.change(name, now_us, trace, lambda _: None)
        breaker.settle(now_us)
        return InspectResult(
            breaker.state,
            len(breaker.recent(now_us)) if breaker.state is CLOSED else breaker.failure_count,
            breaker.success_count,
            _text(breaker.last_failure_us),
            _text(breaker.changed_us),
            _text(breaker.cooldown_until_us),
            self.wait_s(breaker, now_us),
            tuple(trace.entries),
        )

    def capacity(self, arguments: CapacityArguments, now_s: float) -> CapacityResult:
        """How much may run now?"""
        now_us, trace = microseconds(now_s), self.begin()
        found = self.read(now_us, trace)
        if self.must_write(found):
            self.catch_up(now_us, trace)
        for name, record in self.memory.records():
            if self.load.is_ahead(record, now_us):
                self.change(name, now_us, trace, lambda _: None)
        records = [record for _, record in self.memory.records()]
        if is_unknown(found) and not records:
            records.append(self.filing.quarantined(now_us))  # of breakers that nobody here can read one may be OPEN
        result = self.load.capacity(records, arguments.agents, now_us)
        return CapacityResult(result.agents, result.background, result.queue_non_urgent, tuple(trace.entries))

    def configure(self, arguments: ConfigureArguments, now_s: float) -> ConfigureResult:
        """Sets tunables of this process; with a value that is none nothing is changed (our reading of LK-CB-25)."""
        trace = self.begin()
        accepted = self.tune(arguments.tunables, trace)
        return ConfigureResult(accepted, self.tunables, tuple(trace.entries))

    # -- arguments and answers

    def key(self, name: str) -> str:
        """What the breaker is called in the file (LK-CB-01)."""
        return name

    def is_unusable(self, name: str) -> bool:
        """A name that no file can hold, or that nobody means: then nothing runs, and nothing is kept."""
        return len(name) > LONGEST_NAME or writable(name) != name

    def _unusable(self, name: str, trace: Trace) -> str:
        message = f"a name of {len(name)} characters, {name[:80]!r}, cannot be a breaker's"
        trace.warning(LogCode.NAME_INVALID, message)
        return message

    def answer(self, name: str, breaker: Breaker, held: Held | None, now_us: int, trace: Trace) -> AcquireResult:
        """What is said to who asked."""
        wait_s = self.wait_s(breaker, now_us)
        if held is None:
            return AcquireResult(True, breaker.state, None, None, wait_s, tuple(trace.entries))
        error = self.cached_error(name, breaker) if held is REFUSED else None
        return AcquireResult(False, breaker.state, held, error, wait_s, tuple(trace.entries))

    def cached_error(self, name: str, breaker: Breaker) -> str:
        """The last error, which calls are refused with (LK-CB-13); a general one where there is none."""
        return (
            f"the circuit breaker {name[:80]!r} is {breaker.state}"
            if breaker.last_error is None
            else breaker.last_error
        )

    def wait_s(self, breaker: Breaker, now_us: int) -> float | None:
        """LK-RP-01."""
        wait_us = breaker.wait_us(now_us)
        return None if wait_us is None else wait_us / 1_000_000


def create(configuration: Configuration, files: Files | None = None) -> CircuitBreakers:
    """The reference as the harness starts it: on real files unless others are given."""
    return CircuitBreakers(configuration, files or RealFiles())


def writable(text: str) -> str:
    """The text with what no file in UTF-8 can hold (lone surrogates) written out."""
    return text.encode("utf-8", "backslashreplace").decode()


def _text(at_us: int | None) -> str | None:
    return None if at_us is None else moment(at_us).isoformat().replace("+00:00", "Z")
