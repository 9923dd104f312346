"""What is said to an adapter and what comes of it: its processes one after the other, and findings about exchanges."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final, Self

import msgspec

from harness import __version__
from harness.adapters.mistakes import REST, Finding, Verdict, sentence
from harness.adapters.peer import Answer, LostError, Peer
from harness.certify.reach import UNCONTAINED, StdioStart
from harness.core.scenario import Operation, Scenario
from harness.errors import AdapterError, MachineError
from harness.ports.clock import to_seconds, to_text
from harness.sandbox import Ended, base_environment
from harness.systems import registry
from harness.targets import world
from harness.targets.answers import Results
from harness.targets.beginnings import FAILURES_IN_A_ROW, START_TIMEOUT_S
from harness.targets.messages import PROTOCOL_VERSION, InitializeParams, InitializeResult, Nothing
from harness.targets.session import each_text
from harness.targets.slots import Slots
from harness.targets.stdio import CALL_TIMEOUT_S

_CALM: Final = "2026-03-01T12:00:00Z"  # where no scenario says what time it is


class OverError(Exception):
    """Nothing further can be played; ``str()`` says why."""


class Conversation:
    """One adapter in one sandbox; a context manager. MachineError when the machine cannot contain the command."""

    def __init__(self, start: StdioStart, timeout_scale: float, *, unsafe: bool) -> None:
        self._start = start
        self._scale = timeout_scale
        self._slots = Slots(1)
        self._results = Results({
            "initialize": InitializeResult,
            **dict.fromkeys(("reset", "open", "shutdown"), Nothing),
            **{
                f"{system.name}/{name}": result
                for system in registry.every()
                for name, (_, result) in system.contract.OPERATIONS.items()
            },
        })  # fmt: skip
        self._explained: dict[str, str] = {}  # by code: at which exchange
        self._here: list[Finding] = []
        self._exchange = ""
        self._lost_in_a_row = 0
        self._now_s = to_seconds(_CALM)
        self._config: Mapping[str, Any] = {}
        self._peer: Peer | None = None
        self._sandbox = self._slots.sandbox(start.plan)
        if not (unsafe or self._sandbox.containment.namespaces):
            self._sandbox.close()
            raise MachineError(UNCONTAINED)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.drop()
        finally:
            self._sandbox.close()

    def played(self, exchange: str, action: Callable[[], str]) -> list[Finding]:
        """What came of an exchange; ``action`` says of a good one what was seen. OverError when it was the last."""
        self._exchange, self._here = exchange, []
        try:
            with self._slots.held():
                said = action()
        except LostError as error:
            for mistaken in error.mistakes if not self._here else ():
                self.mistake(mistaken.code, exchange, mistaken.came)
            said = ""
        except OverError as error:
            return [*self._here, Finding(REST, Verdict.NOTE, f"was not played: {error}")]
        return self._here or [Finding(exchange, Verdict.OK, said)]

    def mistake(self, code: str, sent: str, came: str) -> None:
        """One mistake in the exchange that is played; told once in it, and explained once in all."""
        if any(finding.code == code for finding in self._here):
            return
        before = self._explained.setdefault(code, self._exchange)
        again = before != self._exchange
        says = f"as at {before}: {came}" if again else sentence(code, sent, came)
        self._here.append(Finding(self._exchange, Verdict.MISTAKE, says, code, again))

    def note(self, text: str) -> None:
        """Something that the protocol permits, and that may surprise."""
        self._here.append(Finding(self._exchange, Verdict.NOTE, text))

    def drop(self) -> None:
        """Ends the process that is spoken to; whoever asks next gets another."""
        peer, self._peer = self._peer, None
        if peer is not None:
            peer.close()

    def ended(self) -> Ended | None:
        """How the process ends when its standard input does; None when it had to be killed."""
        try:
            return None if self._peer is None else self._peer.end_input(CALL_TIMEOUT_S * self._scale)
        finally:
            self.drop()

    @contextmanager
    def another(self) -> Iterator[None]:
        """Speaks to another process meanwhile, which ends with it."""
        before, self._peer = self._peer, None
        try:
            yield
        finally:
            self.drop()
            self._peer = before

    def started(self) -> Peer:
        """A process to which nothing was said yet, in place of the one before."""
        self.drop()
        running = self._sandbox.start(
            self._start.command,
            env={**base_environment(self._sandbox.roots), **self._start.environment},
            cwd=self._start.folder,
        )
        self._peer = Peer(running, self._slots, self._scale)
        return self._peer

    def ready(self) -> Peer:
        """The process, introduced and placed; another one if the last was lost. OverError when several were."""
        if self._peer is not None:
            return self._peer
        peer = self.started()
        try:
            self._introduce((PROTOCOL_VERSION,))
            self.place()
        except LostError as error:
            self._lost_in_a_row += 1
            if self._lost_in_a_row >= FAILURES_IN_A_ROW:
                raise OverError(f"{self._lost_in_a_row} processes in a row could not be asked ({error})") from error
            raise
        self._lost_in_a_row = 0
        return peer

    def introduced(self, versions: Sequence[int] = (PROTOCOL_VERSION,)) -> Answer:
        """Starts a process, and has it say what it is."""
        self.started()
        return self._introduce(versions)

    def _introduce(self, versions: Sequence[int]) -> Answer:
        params = msgspec.json.encode(InitializeParams(tuple(versions), f"windtunnel {__version__}"))
        return self.ask("initialize", params, timeout_s=START_TIMEOUT_S)

    def place(self, scenario: Scenario | None = None, method: str = "reset") -> Answer:
        """``reset`` in the world of a scenario, an empty one without, or ``open`` in the one that stands."""
        if method == "reset":
            self._sandbox.renew()
            self._config = {} if scenario is None else scenario.world.config
            self._now_s = to_seconds(_CALM if scenario is None else scenario.world.clock)
            if scenario is not None:
                self._sandbox.apply(world.actions(scenario.world, self._now_s, {}))
        home = self._sandbox.roots.home
        params = {"workdir": home, "config": {"home": home, **self._config}, "now": to_text(self._now_s)}
        answer = self.ask(method, msgspec.json.encode(params))
        if answer.result is None:
            self.mistake("refused", method, f"the error {answer.code} came: {answer.message!r}")
        else:
            self.read(method, answer)
        return answer

    def ask(self, method: str, params: bytes, *, sent: str = "", timeout_s: float = CALL_TIMEOUT_S) -> Answer:
        """Makes one call, and gives its answer; LostError, its mistakes told, when there is none.

        ``sent`` says more of what is sent than its method does.
        """
        peer = self._peer or self.ready()
        number, line = peer.line_of(method, params)
        return self.heard(number, sent or method, lambda: peer.say(line), timeout_s)

    def heard(
        self,
        number: int,
        sent: str,
        say: Callable[[], None],
        timeout_s: float = CALL_TIMEOUT_S,
        *,
        follows: int = 0,
        pardons: bool = False,
    ) -> Answer:
        """Says something, and gives what comes as the answer to call ``number``; see Peer.answer."""
        peer = self._peer or self.ready()
        try:
            say()
            answer = peer.answer(number, timeout_s * self._scale, follows=follows, pardons=pardons)
        except LostError as error:
            for mistaken in error.mistakes:
                self.mistake(mistaken.code, f"{sent} (id {number})", mistaken.came)
            self.drop()
            raise
        for mistaken in answer.mistakes:
            self.mistake(mistaken.code, f"{sent} (id {number})", mistaken.came)
        return answer

    def read(self, method: str, answer: Answer) -> Any:
        """The result of an answer, as builtins; None, the mistake told, when it is not what its method gives."""
        try:
            return self._results.read(method, answer.result or b"null")
        except AdapterError as error:
            self.mistake(error.code, method, str(error))
            return None

    def params_of(self, operation: Operation, *, later_s: float = 0.0) -> dict[str, Any]:
        """The arguments with real paths and the time, so many seconds after that of the scenario."""
        args = each_text(msgspec.to_builtins(operation.args), self._sandbox.roots.resolve)
        return {**args, "now": to_text(self._now_s + later_s)}

    def operate(self, system: registry.System, operation: Operation, *, sent: str = "", later_s: float = 0.0) -> Answer:
        """One operation of a system, its result read."""
        method = f"{system.name}/{operation.name}"
        self.ready()
        params = msgspec.json.encode(self.params_of(operation, later_s=later_s))
        answer = self.ask(method, params, sent=f"{method}{sent}")
        if answer.result is not None:
            self.read(method, answer)
        return answer
