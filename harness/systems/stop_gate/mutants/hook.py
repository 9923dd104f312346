"""Mutants of the hook as a process: SH. Several of them hang, leave children or end the process: run them in one."""

import os
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from harness.systems.stop_gate.contract import CheckResult, LogCode, LogLevel
from harness.systems.stop_gate.mutants.table import blocked, mutant
from harness.systems.stop_gate.reference.hook import StopHook

if TYPE_CHECKING:
    from harness.systems.stop_gate.reference.gate import StopGate

CHILD_LIVES_S = 30.0  # long enough to be found, short enough not to pile up
INPUT_CODES = (LogCode.TRANSCRIPT_UNREADABLE, LogCode.TRANSCRIPT_MISSING, LogCode.TOO_MANY_INVALID_LINES)


@mutant(
    "hook-unreadable-is-unfinished", "SH-01", "a transcript that cannot be used lacks what is asked for, so it blocks"
)
class HookUnreadableIsUnfinished(StopHook):
    def decide(self, event: Mapping[str, Any]) -> CheckResult:
        result = super().decide(event)
        return blocked("unfinished") if any(entry.code in INPUT_CODES for entry in result.log) else result


@mutant("hook-storage-failure-blocks", "SH-01", "a state directory that cannot be written blocks")
class HookStorageFailureBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> CheckResult:
        result = super().decide(event)
        return blocked("state") if any(entry.level is LogLevel.ERROR for entry in result.log) else result


@mutant("hook-bad-event-blocks", "SH-01", "standard input that holds no event blocks")
class HookBadEventBlocks(StopHook):
    def answer(self) -> bytes:
        data = self.read()
        event = self.event(data)
        if event is None:
            return self.said(blocked("no event"))
        return self.said(self.decide(event))


@mutant("hook-complaint-exits-2", "SH-02", "a warning ends the process with exit code 2")
class HookComplaintExits2(StopHook):
    def complain(self, text: str) -> None:
        super().complain(text)
        os._exit(2)


@mutant("hook-bad-event-exits-2", "SH-02", "an event that is no object is a usage error, exit code 2")
class HookBadEventExits2(StopHook):
    def event(self, data: bytes) -> dict[str, Any] | None:
        found = super().event(data)
        if found is None or not isinstance(self.field(found, "transcript_path"), str):
            os._exit(2)
        return found


@mutant("hook-blocks-without-bound", "SH-03", "the blocks of a session are not counted")
class HookBlocksWithoutBound(StopHook):
    block_limit = sys.maxsize


@mutant("hook-blocks-uncounted", "SH-03", "when the count cannot be written, the session is held all the same")
class HookBlocksUncounted(StopHook):
    def gate(self, event: Mapping[str, Any]) -> "StopGate":
        return super().gate({**event, "stop_hook_active": False})


@mutant("hook-reads-to-end-of-file", "SH-04", "standard input is read to its end, which may never come")
class HookReadsToEndOfFile(StopHook):
    def reserve(self) -> None:
        super().reserve()
        parts = []
        while part := os.read(self.stdin, 65536):
            parts.append(part)
        reader, writer = os.pipe()
        os.write(writer, b"".join(parts)[:65536])
        os.close(writer)
        self.stdin = reader


@mutant(
    "hook-fifo-waits-for-a-writer", "SH-04", "a FIFO as the transcript is opened before any limit is armed, and waits"
)
class HookFifoWaitsForAWriter(StopHook):
    def main(self) -> int:
        event = self.event(self.read())
        if event is not None:
            try:
                with open(self.arguments(event).transcript_path, "rb") as file:
                    file.read(1)
            except (OSError, ValueError) as error:
                self.complain(str(error))
            self.write(self.stdout, self.said(self.decide(event)))
        return 0


@mutant("hook-complains-on-stdout", "SH-05", "warnings go to standard output")
class HookComplainsOnStdout(StopHook):
    def complain(self, text: str) -> None:
        self.write(self.stdout, f"windtunnel-stop-hook: {text}\n".encode("utf-8", "replace"))


@mutant("hook-explains-approval", "SH-05", "an approval says so in plain text")
class HookExplainsApproval(StopHook):
    def said(self, result: CheckResult) -> bytes:
        return super().said(result) or b"The session may end.\n"


@mutant("hook-streams-not-reserved", "SH-05", "with standard error closed, warnings land where its number went")
class HookStreamsNotReserved(StopHook):
    def reserve(self) -> None:
        try:
            os.fstat(self.stderr)
        except OSError:
            os.dup2(self.stdout, self.stderr)  # what the next file that is opened comes to, made certain


@mutant("hook-raw-session-id", "SH-06", "a file named by the session id is written wherever that leads")
class HookRawSessionId(StopHook):
    def decide(self, event: Mapping[str, Any]) -> CheckResult:
        path = os.path.join(self.home(), ".amplihack", str(self.field(event, "session_id")) + ".last")
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"{time.time()}\n")
        except (OSError, ValueError) as error:
            self.complain(f"no record: {error}")
        return super().decide(event)


@mutant("hook-leaves-a-child", "SH-07", "a child process goes on after the hook has ended")
class HookLeavesAChild(StopHook):
    def arm(self) -> None:
        super().arm()
        if os.fork() == 0:
            os.setsid()
            for descriptor in (0, 1, 2):
                os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
            time.sleep(CHILD_LIVES_S)
            os._exit(0)


@mutant("hook-never-blocks", "SH-08", "the hook approves whatever it finds")
class HookNeverBlocks(StopHook):
    def said(self, result: CheckResult) -> bytes:
        return b""


@mutant("hook-broken-import-disables", "SH-08", "an import that fails is taken for an approval")
class HookBrokenImportDisables(StopHook):
    def decide(self, event: Mapping[str, Any]) -> CheckResult:
        raise ModuleNotFoundError("no module named 'checks'")
