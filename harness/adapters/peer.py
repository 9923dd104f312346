"""One process of an adapter, spoken to line by line: also in ways in which the carrier never speaks to one."""

import contextlib
import time
from typing import Any, NamedTuple

import msgspec

from harness.errors import AdapterError
from harness.sandbox import Ended
from harness.targets import answers
from harness.targets.answers import RefusedError
from harness.targets.stdio_process import END_TIMEOUT_S, NoAnswerError, StdioProcess

NO_JSON = -32700  # JSON-RPC 2.0, "Parse error"
GRACE_S = 1.0  # after a line that is no answer, the answer is either on its way or was that line


class Mistaken(NamedTuple):
    """A mistake in what came: its code, and what came, in words."""

    code: str
    came: str


class Answer(NamedTuple):
    """What came as the answer to one call: its ``result`` as JSON, or an error with its ``code`` and ``message``.

    ``mistakes`` are what was wrong about it; it is taken all the same where it can be told what was meant.
    """

    result: bytes | None
    code: int = 0
    message: str = ""
    mistakes: tuple[Mistaken, ...] = ()
    call_id: Any = None


class LostError(Exception):
    """No answer came, and none will; ``mistakes`` say why, the last one what became of the process."""

    def __init__(self, mistakes: tuple[Mistaken, ...]) -> None:
        super().__init__("; ".join(each.came for each in mistakes))
        self.mistakes = mistakes


class Peer(StdioProcess):
    """The process, its waits as long as the carrier's; ``close`` ends it on every path."""

    pardoned: Answer | None = None

    def say(self, data: bytes) -> None:
        """Writes these bytes as they are, a line or not; LostError when they are not read."""
        try:
            self._write(data)
        except NoAnswerError as error:
            raise LostError((Mistaken(error.code, str(error)),)) from error

    def line_of(self, method: str, params: bytes) -> tuple[int, bytes]:
        """The id and the line of the next call, its parameters as JSON; ``say`` makes it."""
        self._complained = 0
        self._last_id += 1
        call = b'{"jsonrpc":"2.0","method":"%b","params":%b,"id":%d}\n' % (method.encode(), params, self._last_id)
        return self._last_id, call

    def answer(self, call_id: int, timeout_s: float, *, follows: int = 0, pardons: bool = False) -> Answer:
        """What comes as the answer to the call with that id, within so many seconds; LostError when nothing does.

        ``follows`` is the id of a call that was made at once: its answer is no mistake, neither behind nor in place of
        this one. With ``pardons``, one error before it is none: the answer to a line that was no call, kept as
        ``pardoned``.
        """
        mistakes: list[Mistaken] = []
        patience = timeout_s
        while True:
            line = self._heard(patience, mistakes)
            try:
                found = Answer(answers.result_of(line, call_id), call_id=call_id)
            except RefusedError as error:
                found = Answer(None, error.code, error.message, call_id=call_id)
            except AdapterError as error:
                meant = _meant(line)
                if pardons and meant is not None and meant.result is None:
                    self.pardoned, pardons = meant, False
                    continue
                if meant is not None and (meant.code, meant.call_id) == (NO_JSON, None):
                    came = f"the error {NO_JSON} came: {meant.message!r}"
                    raise LostError((*mistakes, Mistaken("misread", came))) from error
                if follows and meant is not None and meant.call_id == follows:
                    return meant
                mistakes.append(Mistaken(error.code, str(error)))
                patience = min(timeout_s, GRACE_S * self._scale)
                if meant is None or error.code == "extra_reply":
                    continue
                found = meant
            beyond = [] if follows else self._beyond(call_id)
            return found._replace(mistakes=(*mistakes, *beyond))

    def early(self, call_id: int, timeout_s: float) -> Mistaken | None:
        """What comes within so many seconds though the call with that id is not whole yet; None when nothing does."""
        if not self.answers_within(timeout_s):
            return None
        mistakes: list[Mistaken] = []
        line = self._heard(timeout_s, mistakes)
        meant = _meant(line)
        if meant is not None and isinstance(meant.call_id, int) and 0 < meant.call_id < call_id:
            return Mistaken("extra_reply", f"a second answer to call {meant.call_id} came: {answers.quoted(line)}")
        return Mistaken("too_early", f"{answers.quoted(line)} came")

    def complaint(self) -> str:
        """The last line of its standard error: of a traceback, what was raised."""
        return super().complaint().rpartition("\n")[2].strip()

    def end_input(self, timeout_s: float) -> Ended | None:
        """Closes its standard input, and gives how the process ended within so many seconds; None when it lives on."""
        self._running.stdin.close()
        deadline = time.monotonic() + timeout_s
        with contextlib.suppress(NoAnswerError):  # it has closed its output, as it should
            while self._read_line_until(deadline) is not None:
                pass
        return self._running.wait(max(0.0, deadline - time.monotonic()))

    def _heard(self, timeout_s: float, mistakes: list[Mistaken]) -> bytes:
        """The next line; LostError, with the mistakes so far, when none comes."""
        try:
            return self._read_line(time.monotonic() + timeout_s, timeout_s)
        except NoAnswerError as error:
            if error.code != "timed_out":
                raise LostError((*mistakes, Mistaken(error.code, str(error)))) from error
            if mistakes:  # what came instead of the answer was told
                raise LostError(tuple(mistakes)) from error
            raise LostError((self._held_back(str(error)),)) from error
        except AdapterError as error:
            raise LostError((*mistakes, Mistaken(error.code, str(error)))) from error

    def _held_back(self, came: str) -> Mistaken:
        """Why nothing came in time: what a process writes only at its end was in its buffer."""
        self._running.stdin.close()
        with contextlib.suppress(NoAnswerError):
            line = self._read_line_until(time.monotonic() + END_TIMEOUT_S * max(1.0, self._scale))
            if line is not None:
                said = f"{came}, and when its standard input was closed, {answers.quoted(line)}"
                return Mistaken("buffered", said)
        return Mistaken("timed_out", came)

    def _beyond(self, call_id: int) -> list[Mistaken]:
        """What came besides the answer, if anything has yet."""
        if not self._received.strip():
            return []
        error = answers.unasked(bytes(self._received), call_id)
        del self._received[:]
        self._searched = 0
        return [Mistaken(error.code, str(error))]


def _meant(line: bytes) -> Answer | None:
    """The answer that a line was meant to be, if it can be told."""
    try:
        value = msgspec.json.decode(line.decode(errors="replace"))
    except (msgspec.DecodeError, RecursionError):
        return None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        return None
    if "result" in value:
        return Answer(msgspec.json.encode(value["result"]), call_id=value.get("id"))
    error = value.get("error")
    if isinstance(error, dict):
        code = error.get("code")
        return Answer(None, code if isinstance(code, int) else 0, str(error.get("message", "")), (), value.get("id"))
    return None
