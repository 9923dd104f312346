"""One process that speaks JSON-RPC over its standard streams, and every way in which it can fail to."""

import contextlib
import os
import select
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

import msgspec
from jsonrpcclient import Error as ErrorAnswer
from jsonrpcclient import Ok, parse

from harness.errors import AdapterError, HarnessFault, MachineError
from harness.sandbox import Running
from harness.targets.slots import WAITING_AFTER_S, Slots

LINE_LIMIT_BYTES = 16 * 1024 * 1024  # a summary has 100 kB at most; more is a flood
QUOTED_CHARACTERS = 200
END_TIMEOUT_S = 2.0  # from a fatal signal to the notice of the end, which takes milliseconds
WRITE_TIMEOUT_S = 10.0  # a process that reads nothing for so long is taken to hang


class NoAnswerError(Exception):
    """The process gave no usable answer; ``code`` is timed_out, died, flooded or one of AdapterError's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class StdioProcess:
    """Requests to one running process. Not thread-safe; ``close`` ends the process on every path."""

    def __init__(self, running: Running, slots: Slots) -> None:
        self._running = running
        self._slots = slots
        self._last_id = 0
        self._received = bytearray()
        self._complaints: deque[bytes] = deque(maxlen=40)
        os.set_blocking(running.stdin_fd, False)
        os.set_blocking(running.stdout_fd, False)
        os.set_blocking(running.stderr_fd, False)

    def request(self, method: str, params: Mapping[str, Any], timeout_s: float) -> Any:
        """The result of one call.

        NoAnswerError when none came, AdapterError when what came was no answer to it, RefusedError when the
        implementation answered with an error.
        """
        sent = self.send(method, params)
        return self.receive(sent, timeout_s)

    def send(self, method: str, params: Mapping[str, Any]) -> int:
        """Sends one call and gives its id, so that several processes can be asked before any is waited for."""
        self._last_id += 1
        message = {"jsonrpc": "2.0", "method": method, "params": params, "id": self._last_id}
        self._write(msgspec.json.encode(message) + b"\n")
        return self._last_id

    def receive(self, call_id: int, timeout_s: float) -> Any:
        """The result of the call with that id; see ``request`` for what is raised."""
        line = self._read_line(time.monotonic() + timeout_s, timeout_s)
        try:
            data = msgspec.json.decode(line)
            answer = parse(data)
        except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError, RecursionError) as error:
            raise AdapterError(
                "not_protocol", f"a line on standard output is no answer: {_quoted(line)} - was it meant for stderr?"
            ) from error
        if not isinstance(answer, Ok | ErrorAnswer):
            raise AdapterError("not_protocol", f"a batch came instead of one answer: {_quoted(line)}")
        if answer.id != call_id:
            raise AdapterError("wrong_id", f"the answer has id {answer.id!r}, the call had {call_id}: {_quoted(line)}")
        if self._received.strip():
            raise AdapterError("extra_reply", f"more than one answer to one call: {_quoted(bytes(self._received))}")
        if isinstance(answer, ErrorAnswer):
            raise RefusedError(answer.code, answer.message)
        return answer.result

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
        ended = self._running.wait(END_TIMEOUT_S)
        return () if ended is None else ended.signals

    def close(self) -> None:
        """Kills the process and all it started."""
        # an aborted sandbox has killed it already, and tells that to whoever still speaks to its agent
        with contextlib.suppress(HarnessFault, MachineError):
            self._running.kill()
        self._running.close()

    def complaint(self) -> str:
        """The last lines of its standard error."""
        self._drain_stderr()
        text = b"".join(self._complaints).decode(errors="replace").strip()
        return text[-QUOTED_CHARACTERS * 3 :]

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        deadline = time.monotonic() + WRITE_TIMEOUT_S
        while view:
            self._drain_stderr()
            try:
                view = view[os.write(self._running.stdin_fd, view) :]
            except BlockingIOError as error:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise NoAnswerError("timed_out", "it does not read its standard input") from error
                select.select([], [self._running.stdin_fd], [], min(left, WAITING_AFTER_S))
            except OSError as error:
                raise NoAnswerError("died", f"it closed its standard input{self._because()}") from error

    def _read_line(self, deadline: float, timeout_s: float) -> bytes:
        patient = min(deadline, time.monotonic() + WAITING_AFTER_S)
        line = self._read_line_until(patient)
        if line is None:
            with self._slots.waiting():
                line = self._read_line_until(deadline)
        if line is None:
            raise NoAnswerError("timed_out", f"no answer within {timeout_s:g} s{self._because()}")
        return line

    def _read_line_until(self, deadline: float) -> bytes | None:
        if not self._await_line(deadline):
            return None
        line, _, rest = self._received.partition(b"\n")
        self._received = rest
        return bytes(line)

    def _await_line(self, deadline: float) -> bool:
        stdout, stderr = self._running.stdout_fd, self._running.stderr_fd
        while b"\n" not in self._received:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            ready, _, _ = select.select([stdout, stderr], [], [], left)
            if stderr in ready and not self._drain_stderr():
                stderr = stdout
            if stdout in ready:
                self._receive_more()
        return True

    def _receive_more(self) -> None:
        try:
            part = os.read(self._running.stdout_fd, 1 << 16)
        except BlockingIOError:
            return
        if not part:
            raise NoAnswerError("died", f"it ended without an answer{self._because()}")
        self._received += part
        if len(self._received) > LINE_LIMIT_BYTES:
            raise NoAnswerError("flooded", f"more than {LINE_LIMIT_BYTES:,} bytes came without a newline")

    def _drain_stderr(self) -> bool:
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self._running.stderr_fd, 1 << 16):
                self._complaints.append(part[-2000:])
            return False
        return True

    def _because(self) -> str:
        said = self.complaint()
        return f"; its standard error ends: {said}" if said else ""


class RefusedError(Exception):
    """The implementation answered a call with a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def _quoted(line: bytes) -> str:
    return repr(line[:QUOTED_CHARACTERS].decode(errors="replace"))
