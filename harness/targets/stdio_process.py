"""One process that speaks JSON-RPC over its standard streams, and every way in which it can fail to."""

import contextlib
import os
import select
import signal
import time
from collections import deque
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from harness.errors import AdapterError, HarnessFault, MachineError
from harness.sandbox import Ended, Running
from harness.targets import answers
from harness.targets.slots import WAITING_AFTER_S, Slots

LINE_LIMIT_BYTES = 16 * 1024 * 1024  # a summary has 100 kB at most; more is a flood
STDERR_LIMIT_BYTES = 64 * 1024 * 1024  # during one call; logs are free, filling a disk is not
QUOTED_CHARACTERS = 600
END_TIMEOUT_S = 2.0  # from a fatal signal to the notice of the end, which takes milliseconds
WRITE_TIMEOUT_S = 10.0  # a process that reads nothing for so long is taken to hang
_CHUNK: Final = 1 << 16  # what a pipe holds
_READABLE: Final = select.POLLIN | select.POLLHUP | select.POLLERR
_ENCODER = msgspec.json.Encoder()


class NoAnswerError(Exception):
    """The process gave no answer; ``code`` is one of ``defects`` whose blame is the implementation's, or a flood's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class StdioProcess:
    """Requests to one running process. Not thread-safe; ``close`` ends the process on every path.

    Times are scaled by ``timeout_scale`` where they are not given.
    """

    def __init__(self, running: Running, slots: Slots, timeout_scale: float = 1.0) -> None:
        self._running = running
        self._slots = slots
        self._scale = timeout_scale
        self._last_id = 0
        self._received = bytearray()
        self._searched = 0  # so many bytes of what was received hold no end of a line
        self._complaints: deque[bytes] = deque(maxlen=40)
        self._complained = 0  # bytes during this call
        self._stdin, self._stdout, self._stderr = running.stdin_fd, running.stdout_fd, running.stderr_fd
        self._poll = select.poll()
        for fd in (self._stdout, self._stderr):
            os.set_blocking(fd, False)
            self._poll.register(fd, _READABLE)
        self._answered = [(self._stdout, select.POLLIN)]
        os.set_blocking(self._stdin, False)

    def request(self, method: str, params: Mapping[str, Any], timeout_s: float) -> bytes:
        """The result of one call, as JSON.

        NoAnswerError when none came, AdapterError when what came was no answer to it, RefusedError when the
        implementation answered with an error.
        """
        return self.receive(self.send(method, params), timeout_s)

    def send(self, method: str, params: Mapping[str, Any]) -> int:
        """Sends one call and gives its id, so that several processes can be asked before any is waited for."""
        return self.send_encoded(method, _ENCODER.encode(params))

    def send_encoded(self, method: str, params: bytes) -> int:
        """The same, of parameters that are JSON already."""
        self._complained = 0
        self._last_id = number = self._last_id + 1
        self._write(b'{"jsonrpc":"2.0","method":"%b","params":%b,"id":%d}\n' % (method.encode(), params, number))
        return number

    def receive(self, call_id: int, timeout_s: float) -> bytes:
        """The result, as JSON, of the call with that id; see ``request`` for what is raised."""
        line = self._prompt_line(timeout_s) or self._read_line(time.monotonic() + timeout_s, timeout_s)
        result = answers.result_of(line, call_id)
        if self._received and self._received.strip():
            raise answers.unasked(bytes(self._received), call_id)
        return result

    def answers_within(self, timeout_s: float) -> bool:
        """Waits so long for the next line, and leaves it to ``receive``; true also for a process that has ended."""
        try:
            return self._await_line(time.monotonic() + timeout_s)
        except NoAnswerError:
            return True

    def signal(self, number: int) -> None:
        """Sends a signal to the process alone."""
        self._running.signal(number)

    def signals_met(self) -> tuple[int, ...]:
        """Which of the signals sent met it alive, once it has ended; none while it runs on."""
        ended = self._running.wait(END_TIMEOUT_S * self._scale)
        return () if ended is None else ended.signals

    def close(self) -> None:
        """Kills the process and all it started."""
        # an aborted sandbox has killed it already, and tells that to whoever still speaks to its agent
        with contextlib.suppress(HarnessFault, MachineError):
            self._running.kill()
        self._running.close()

    def complaint(self) -> str:
        """The last lines of its standard error."""
        self._take_complaints()
        text = b"".join(self._complaints).decode(errors="replace").strip()
        return text[-QUOTED_CHARACTERS:]

    def _write(self, data: bytes | memoryview) -> None:
        deadline = 0.0
        while True:
            try:
                sent = os.write(self._stdin, data)
                if sent == len(data):
                    return
                data = memoryview(data)[sent:]
            except BlockingIOError as error:
                deadline = deadline or time.monotonic() + WRITE_TIMEOUT_S * self._scale
                left = deadline - time.monotonic()
                if left <= 0:
                    raise NoAnswerError("not_read", "it does not read its standard input") from error
                self._hear_complaints()  # it may wait for somebody to read them before it reads on
                poll = select.poll()
                poll.register(self._stdin, select.POLLOUT | select.POLLERR)
                poll.poll(min(left, WAITING_AFTER_S) * 1000)
            except OSError as error:
                raise self._ended("it closed its standard input") from error

    def _prompt_line(self, timeout_s: float) -> bytes:
        """The answer that comes soon, whole and alone, as nearly all do; whatever else came is kept for _read_line."""
        if self._received or self._poll.poll(min(timeout_s, WAITING_AFTER_S) * 1000) != self._answered:
            return b""
        line = os.read(self._stdout, _CHUNK)
        if line.startswith(b"{") and line.find(b"\n") == len(line) - 1:
            return line
        self._received += line
        if not line:
            raise self._ended()
        return b""

    def _read_line(self, deadline: float, timeout_s: float) -> bytes:
        patient = min(deadline, time.monotonic() + WAITING_AFTER_S)
        line = self._read_line_until(patient)
        if line is None:
            with self._slots.waiting():
                line = self._read_line_until(deadline)
        if line is not None:
            return line
        if begun := bytes(self._received.strip()):
            raise AdapterError(
                "unfinished", f"a line was begun and not ended in {timeout_s:g} s: {answers.quoted(begun)}"
            )
        raise NoAnswerError("timed_out", f"no answer within {timeout_s:g} s{self._because()}")

    def _read_line_until(self, deadline: float) -> bytes | None:
        """The next line that is not blank."""
        while self._await_line(deadline):
            line = self._take(self._received.find(b"\n", self._searched) + 1)
            if line.strip():
                return line
        return None

    def _take(self, size: int) -> bytes:
        taken = bytes(self._received[:size])
        del self._received[:size]
        self._searched = 0
        return taken

    def _await_line(self, deadline: float) -> bool:
        while self._received.find(b"\n", self._searched) < 0:
            self._searched = len(self._received)
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            ready = [fd for fd, _ in self._poll.poll(left * 1000 + 1)]
            if self._stderr in ready:
                self._hear_complaints()
            if self._stdout in ready:
                self._receive_more()
        return True

    def _receive_more(self) -> None:
        try:
            part = os.read(self._stdout, _CHUNK)
        except BlockingIOError:
            return
        if not part:
            raise self._ended()
        self._received += part
        if len(self._received) > LINE_LIMIT_BYTES:
            raise NoAnswerError("flooded", f"more than {LINE_LIMIT_BYTES:,} bytes came without a newline")

    def _hear_complaints(self) -> None:
        self._take_complaints()
        if self._complained > STDERR_LIMIT_BYTES:
            raise NoAnswerError(
                "flooded_stderr", f"more than {STDERR_LIMIT_BYTES:,} bytes came on standard error{self._because()}"
            )

    def _take_complaints(self) -> None:
        """Takes in what a pipe holds of standard error: more is heard at the next look, so nobody keeps us here."""
        with contextlib.suppress(BlockingIOError):
            part = os.read(self._stderr, _CHUNK)
            if not part:
                with contextlib.suppress(KeyError):
                    self._poll.unregister(self._stderr)
                return
            self._complaints.append(part[-2000:])
            self._complained += len(part)

    def _ended(self, what: str = "") -> NoAnswerError:
        """Nothing more will come: how that came about."""
        begun = bytes(self._received.strip())
        ended = self._running.wait(END_TIMEOUT_S * self._scale)
        if ended is None:
            what = what or "it closed its standard output without an answer"
            return NoAnswerError("closed_stdout", f"{what}, and lives on{self._because()}")
        if begun:
            said = answers.quoted(begun)
            return NoAnswerError("cut_off", f"it ended half way through its answer, {_how(ended)}: {said}")
        code = "silent_exit" if ended.exit_code == 0 else "died"
        return NoAnswerError(code, f"{what or 'it ended without an answer'}, {_how(ended)}{self._because()}")

    def _because(self) -> str:
        said = self.complaint()
        return f"; its standard error ends: {said}" if said else ""


def _how(ended: Ended) -> str:
    if ended.start_error:
        return f"because it could not be started ({ended.start_error})"
    if ended.signal is not None:
        known = ended.signal in set(signal.Signals)
        return f"killed by {signal.Signals(ended.signal).name if known else f'signal {ended.signal}'}"
    return f"with exit code {ended.exit_code}"
