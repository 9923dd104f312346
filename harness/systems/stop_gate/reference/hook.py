"""The hook people install: one process a stop, which never keeps anybody from stopping because something is broken.

Standard input is read up to the end of one JSON object, never to the end of file. The answer is one JSON object on
standard output for a block and nothing for an approval; everything else goes to standard error; the exit code is 0.
A session is held at most ``block_limit`` times within an hour, counted in the runtime directory before it is held;
when the count cannot be kept, only a stop that says it follows no block is held.

Three limits stand behind each other: those of the gate; ``limit_s``, after which this process approves and goes,
whatever its threads do; and a watchdog in C that ends the process when not even that comes about.
"""

import contextlib
import os
import select
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.systems.stop_gate.contract import CheckArguments, CheckResult
    from harness.systems.stop_gate.reference.gate import StopGate

SKIP_VARIABLE = "AMPLIHACK_SKIP_POWER_STEERING"  # also in the contract, whose import a skipped stop need not pay for
NO_HOME = "/dev/null"  # below a file nothing can be made, so a missing HOME is storage that refuses every write
EVENT_LIMIT_BYTES = 4 * 1024 * 1024  # an event is a few hundred bytes; last_assistant_message may be long
CHUNK_BYTES = 65536
_NEEDED = (
    "faulthandler",
    "json",
    "queue",
    "harness.ports.clock",
    "harness.ports.files",
    "harness.systems.stop_gate.reference.gate",
)


class StopHook:
    """One stop. ``descriptors`` are standard input, output and error; times are in seconds."""

    input_limit_s = 2.0  # a host writes its object at once; without one there is nothing to judge
    limit_s = 45.0  # the shortest time-out of a known host is 60 s
    watchdog_s = 52.0
    block_limit = 3  # enough for a model that needs reminding twice; newer hosts give up after 8

    def __init__(self, environment: Mapping[str, str], descriptors: tuple[int, int, int] = (0, 1, 2)) -> None:
        self.environment = environment
        self.stdin, self.stdout, self.stderr = descriptors

    def main(self) -> int:
        """The whole process, but for its end. The exit code is always 0."""
        try:
            self.reserve()
            self.arm()
            answer = self.bounded()
            if answer:
                self.write(self.stdout, answer)
        except BaseException as error:  # also Ctrl-C: who wants to stop may  # noqa: BLE001
            self.complain(f"gave up: {type(error).__name__}")
        self.disarm()
        return 0

    # -- the process

    def reserve(self) -> None:
        """Puts /dev/null in place of closed standard streams, so that no file opened later is taken for one of them."""
        for descriptor in (0, 1, 2):
            try:
                os.fstat(descriptor)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one

    def arm(self) -> None:
        """The last resort: ends the process although C code holds the interpreter; the host takes that for a stop."""
        import faulthandler  # noqa: PLC0415

        faulthandler.dump_traceback_later(self.watchdog_s, exit=True, file=self.stderr)

    def disarm(self) -> None:
        """Takes the watchdog down: nothing that could hang comes any more."""
        import faulthandler  # noqa: PLC0415

        faulthandler.cancel_dump_traceback_later()

    def bounded(self) -> bytes:
        """The answer, or none when there is none within ``limit_s``: then whatever hangs is left behind."""
        if self.environment.get(SKIP_VARIABLE) == "1":
            return b""
        import queue  # noqa: PLC0415
        import threading  # noqa: PLC0415

        answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=lambda: answers.put(self.answer()), name="stop-hook", daemon=True).start()
        try:
            return answers.get(timeout=self.limit_s)
        except queue.Empty:
            self.complain(f"no answer within {self.limit_s:g} s")
            return b""

    def write(self, descriptor: int, data: bytes) -> None:
        """Writes all of it; a stream that is closed or full is left alone."""
        with contextlib.suppress(OSError):
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]

    def complain(self, text: str) -> None:
        """A warning for the person, on standard error only."""
        self.write(self.stderr, f"windtunnel-stop-hook: {text}\n".encode("utf-8", "replace"))

    # -- the answer

    def answer(self) -> bytes:
        """What goes to standard output; nothing for an approval, and for every exception."""
        try:
            event = self.event(self.read())
            return b"" if event is None else self.said(self.decide(event))
        except BaseException as error:  # noqa: BLE001
            return self.broken(error)

    def broken(self, error: BaseException) -> bytes:
        """What was not foreseen approves."""
        self.complain(f"broke: {type(error).__name__}: {error}"[:1000])
        return b""

    def read(self) -> bytes:
        """Standard input up to the end of one JSON object, of the stream, of its time or of its size."""
        data = bytearray()
        deadline_s = time.monotonic() + self.input_limit_s
        while len(data) < EVENT_LIMIT_BYTES:
            ready, _, _ = select.select([self.stdin], [], [], max(0.0, deadline_s - time.monotonic()))
            chunk = os.read(self.stdin, CHUNK_BYTES) if ready else b""
            data += chunk
            if not chunk or (chunk.rstrip().endswith(b"}") and self.parsed(bytes(data)) is not None):
                break
        return bytes(data)

    def parsed(self, data: bytes) -> dict[str, Any] | None:
        """The JSON object in ``data``; None when it is none (yet)."""
        from harness.systems.stop_gate.reference import json_text  # noqa: PLC0415

        try:
            found = json_text.decode(data.removeprefix(json_text.BYTE_ORDER_MARK))
        except ValueError:
            return None
        return found if isinstance(found, dict) else None

    def event(self, data: bytes) -> dict[str, Any] | None:
        """The host's event; None, with a complaint, when standard input held none."""
        found = self.parsed(data)
        if found is None:
            self.complain("standard input held no JSON object; the session may end")
        return found

    def field(self, event: Mapping[str, Any], name: str) -> Any:
        """A field in snake_case or camelCase; None when it is missing."""
        head, *tail = name.split("_")
        return event.get(name, event.get(head + "".join(part.capitalize() for part in tail)))

    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        """Asks the gate."""
        result = self.gate(event).check(self.arguments(event))
        for entry in result.log:
            if entry.level.value in ("warning", "error"):
                self.complain(f"{entry.level.value}: {entry.code}: {entry.message}")
        return result

    def arguments(self, event: Mapping[str, Any]) -> "CheckArguments":
        """The stop as the gate takes it; a field of a wrong type counts as missing."""
        from harness.systems.stop_gate.contract import CheckArguments  # noqa: PLC0415

        transcript = self.field(event, "transcript_path")
        session = self.field(event, "session_id")
        return CheckArguments(
            transcript_path=transcript if isinstance(transcript, str) else "",
            project_root=os.path.abspath(self.environment.get("CLAUDE_PROJECT_DIR") or os.curdir),
            session_id=session if isinstance(session, str) else None,
        )

    def gate(self, event: Mapping[str, Any]) -> "StopGate":
        """The gate on the person's home, which holds this session a few times only."""
        from harness.ports.clock import RealClock  # noqa: PLC0415
        from harness.ports.files import RealFiles  # noqa: PLC0415
        from harness.systems.stop_gate.contract import Limits  # noqa: PLC0415
        from harness.systems.stop_gate.reference.gate import StopGate  # noqa: PLC0415

        active = self.field(event, "stop_hook_active")
        return StopGate(
            self.home(),
            RealClock(),
            RealFiles(),
            Limits(),
            block_limit=self.block_limit,
            held_before=active if isinstance(active, bool) else None,
        )

    def home(self) -> str:
        """HOME; without an absolute one there is no place for state, and none is guessed."""
        home = self.environment.get("HOME", "")
        return os.path.normpath(home) if os.path.isabs(home) else NO_HOME

    def said(self, result: "CheckResult") -> bytes:
        """The result in the host's words."""
        if result.decision.value != "block":
            return b""
        import msgspec  # noqa: PLC0415

        return msgspec.json.encode({"decision": "block", "reason": result.continuation_prompt}) + b"\n"


def prepare(words: Sequence[str] = ()) -> None:
    """Imports what a stop needs, for whoever starts many of them by forks; a process of a host imports as it goes."""
    from importlib import import_module  # noqa: PLC0415

    del words
    for module in _NEEDED:
        import_module(module)


def main(words: Sequence[str] = ()) -> int:
    """The console script. It leaves without waiting for threads that hang; os._exit runs no clean-up, none is due."""
    del words  # what a host says, it says on standard input
    code = StopHook(os.environ).main()
    leave(code)
    return code


def leave(code: int) -> None:
    """Ends the process at once."""
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
