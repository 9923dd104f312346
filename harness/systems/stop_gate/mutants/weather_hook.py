"""Mutants of the hook that are sound in calm weather: each is wrong only when one further thing goes wrong (L2)."""

import codecs
import contextlib
import errno
import os
import shutil
import stat
import subprocess
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from harness.systems.stop_gate.contract import LogCode
from harness.systems.stop_gate.mutants.table import blocked, mutant
from harness.systems.stop_gate.reference.hook import StopHook

if TYPE_CHECKING:
    from harness.systems.stop_gate.contract import CheckResult

PROJECT_BEGAN_S = 1_600_000_000  # "no session can be older than the project"
COLLABORATOR = "git"
TICK_S = 0.001
LONG_S = 0.5  # so that most of a stop is spent with the lock
STATE = ".amplihack/.claude/runtime/power-steering"
SMALL_BYTES = 65536
DESCRIPTORS = 24  # nobody is short of so few


def _left_behind(path: str) -> bool:
    """Does a lock stand there whose process is gone?"""
    try:
        with open(path, encoding="ascii") as file:
            os.kill(int(file.read()), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError):
        return False
    return False


@mutant(
    "hook-no-home-blocks",
    "SH-01",
    "without HOME there is no state, and who has no state is not let go",
    level="L2",
    under="environment.no_home",
)
class HookNoHomeBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        return super().decide(event) if "HOME" in self.environment else blocked("no home")


@mutant(
    "hook-odd-locale-blocks",
    "SH-01",
    "a language with an encoding that nobody has is taken for a broken session",
    level="L2",
    under="environment.odd_locale",
)
class HookOddLocaleBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        try:
            codecs.lookup(self.environment.get("LANG", "C.UTF-8").partition(".")[2] or "ascii")
        except LookupError:
            return blocked("language")
        return super().decide(event)


@mutant(
    "hook-deleted-folder-exits-2",
    "SH-02",
    "a working directory that is gone ends the process with exit code 2",
    level="L2",
    under="environment.deleted_cwd",
)
class HookDeletedFolderExits2(StopHook):
    def arm(self) -> None:
        super().arm()
        try:
            os.getcwd()
        except OSError:
            os._exit(2)


@mutant(
    "hook-past-clock-blocks",
    "SH-01",
    "a clock before the project began is a reason to block",
    level="L2",
    under="clock.year_1970",
)
class HookPastClockBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        return blocked("clock") if time.time() < PROJECT_BEGAN_S else super().decide(event)


@mutant(
    "hook-waits-for-the-clock",
    "SH-04",
    "it waits until the wall clock has moved, which may never come",
    level="L2",
    under="hour-frozen",
)
class HookWaitsForTheClock(StopHook):
    def main(self) -> int:
        began = time.time()
        while time.time() <= began:
            time.sleep(TICK_S)
        return super().main()


@mutant(
    "hook-collaborator-failure-blocks",
    "SH-01",
    "a git that fails is taken for work that was not committed",
    level="L2",
    under="collaborator.exits",
)
class HookCollaboratorFailureBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        result = super().decide(event)
        if shutil.which(COLLABORATOR, path=self.environment.get("PATH", "")) is None:
            return result
        asked = subprocess.run([COLLABORATOR, "--version"], capture_output=True, timeout=1.0, check=False)
        return blocked("uncommitted") if asked.returncode != 0 else result


@mutant(
    "hook-collaborator-waited-for",
    "SH-04",
    "git is asked without a limit, before any limit is armed",
    level="L2",
    under="hangs-git",
)
class HookCollaboratorWaitedFor(StopHook):
    def main(self) -> int:
        if shutil.which(COLLABORATOR, path=self.environment.get("PATH", "")) is not None:
            subprocess.run([COLLABORATOR, "--version"], capture_output=True, check=False)
        return super().main()


@mutant(
    "hook-killed-leaves-a-lock",
    "SH-01",
    "a lock file that a killed hook left behind makes the next one block",
    level="L2",
    under="killed-sigkill-75",
)
class HookKilledLeavesALock(StopHook):
    def answer(self) -> bytes:
        path = os.path.join(self.home(), STATE, "stop.lock")
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if _left_behind(path):
                return self.said(blocked("a stop was broken off"))
            with open(path, "w", encoding="ascii") as file:
                file.write(str(os.getpid()))
            time.sleep(LONG_S)
            return super().answer()
        except OSError:
            return super().answer()
        finally:
            with contextlib.suppress(OSError):
                os.unlink(path)


@mutant(
    "hook-leftover-blocks",
    "SH-01",
    "a temporary file in the runtime directory is taken for a stop under way",
    level="L2",
    under="semaphore-writes",
)
class HookLeftoverBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        found = [name for _, _, names in os.walk(os.path.join(self.home(), STATE)) for name in names]
        left = any(name.endswith((".swp", ".bak")) for name in found)
        return blocked("a stop under way") if left else super().decide(event)


@mutant(
    "hook-few-descriptors-blocks",
    "SH-01",
    "files that cannot be opened for want of descriptors make it block",
    level="L2",
    under="process.few_descriptors",
)
class HookFewDescriptorsBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        held = []
        try:
            held += [os.open(os.devnull, os.O_RDONLY) for _ in range(DESCRIPTORS)]
        except OSError:
            return blocked("descriptors")
        finally:
            for descriptor in held:
                os.close(descriptor)
        return super().decide(event)


def _asked(proxy: str, limit_s: float | None) -> bytes:
    """The first of what a proxy says to a request for a model."""
    import socket  # noqa: PLC0415
    from urllib.parse import urlsplit  # noqa: PLC0415

    place = urlsplit(proxy)
    with socket.create_connection((place.hostname, place.port), timeout=limit_s) as line:
        line.sendall(b"CONNECT model.example:443 HTTP/1.1\r\nHost: model.example\r\n\r\n")
        return line.recv(64)


@mutant("hook-proxy-failure-blocks", "SH-01", "when the network answers nonsense the session is held",
        level="L2", under="network.garbage")  # fmt: skip
class HookProxyFailureBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        proxy = self.environment.get("HTTPS_PROXY")
        try:
            if proxy and b" 200 " not in _asked(proxy, 1.0):
                return blocked("the model said no")
        except OSError:
            return super().decide(event)
        return super().decide(event)


@mutant("hook-network-waited-for", "SH-04", "the network is waited for without a limit",
        level="L2", under="network.timeout")  # fmt: skip
class HookNetworkWaitedFor(StopHook):
    def main(self) -> int:
        proxy = self.environment.get("HTTPS_PROXY")
        with contextlib.suppress(OSError):
            if proxy:
                _asked(proxy, None)
        return super().main()


@mutant(
    "hook-second-stop-after-damage-blocks",
    "SH-01",
    "a transcript that is given up a second time makes it block",
    level="L2",
    under="eleven",
)
class HookSecondStopAfterDamageBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        result = super().decide(event)
        if not any(entry.code == LogCode.TOO_MANY_INVALID_LINES for entry in result.log):
            return result
        path = os.path.join(self.home(), STATE, f"damaged-{self.arguments(event).session_id}")
        if os.path.exists(path):
            return blocked("damaged before")
        with contextlib.suppress(OSError), open(path, "x", encoding="utf-8"):
            pass
        return result


@mutant(
    "hook-odd-locale-never-blocks",
    "SH-08",
    "in a language with an encoding that nobody has, everything is approved",
    level="L2",
    under="transcript-language",
)
class HookOddLocaleNeverBlocks(StopHook):
    def said(self, result: "CheckResult") -> bytes:
        try:
            codecs.lookup(self.environment.get("LANG", "C.UTF-8").partition(".")[2] or "ascii")
        except LookupError:
            return b""
        return super().said(result)


@mutant("hook-full-stderr-exits-2", "SH-02", "a warning that cannot be written ends the process with exit code 2",
        level="L2", under="environment.stderr_full")  # fmt: skip
class HookFullStderrExits2(StopHook):
    def complain(self, text: str) -> None:
        try:
            os.write(self.stderr, f"windtunnel-stop-hook: {text}\n".encode("utf-8", "replace"))
        except OSError:
            os._exit(2)


@mutant("hook-slow-stdout-loses-the-block", "SH-08", "a pipe that is full at the moment takes no block",
        level="L2", under="environment-stdout-slow")  # fmt: skip
class HookSlowStdoutLosesTheBlock(StopHook):
    def write(self, descriptor: int, data: bytes) -> None:
        with contextlib.suppress(OSError):
            os.set_blocking(descriptor, False)
            os.write(descriptor, data)


@mutant("hook-file-too-large-blocks", "SH-01", "a state file that may not grow makes it block",
        level="L2", under="process.file_size")  # fmt: skip
class HookFileTooLargeBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        path = os.path.join(self.home(), STATE, "last")
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write("now\n")
        except OSError as error:
            return blocked("state") if error.errno == errno.EFBIG else super().decide(event)
        return super().decide(event)


@mutant("hook-missing-program-blocks", "SH-01", "a program that is not there makes it block",
        level="L2", under="collaborators-missing")  # fmt: skip
class HookMissingProgramBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        found = shutil.which("date", path=self.environment.get("PATH", os.defpath))
        return blocked("no date") if found is None else super().decide(event)


@mutant("hook-long-path-blocks", "SH-01", "a transcript path that is longer than any file's makes it block",
        level="L2", under="path-odd")  # fmt: skip
class HookLongPathBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        try:
            os.path.exists(path := self.arguments(event).transcript_path) or os.stat(path)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return blocked("no such session")
        except ValueError:
            pass
        return super().decide(event)


@mutant("hook-id-beyond-16-bits-writes-outside", "SH-06", "an id beyond the basic plane gets a file beside the state",
        level="L2", under="session-id-unicode")  # fmt: skip
class HookIdBeyond16BitsWritesOutside(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        session = self.arguments(event).session_id or ""
        if max(session, default="") > "\uffff":
            with (
                contextlib.suppress(OSError, ValueError),
                open(os.path.join(self.home(), "last-session"), "w", encoding="utf-8") as file,
            ):
                file.write(session)
        return super().decide(event)


@mutant("hook-leap-second-exits-2", "SH-02", "a time that datetime does not know ends the process with exit code 2",
        level="L2", under="jsonl.leap_second")  # fmt: skip
class HookLeapSecondExits2(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        with contextlib.suppress(OSError, ValueError):
            found = os.stat(path := self.arguments(event).transcript_path)
            if stat.S_ISREG(found.st_mode) and found.st_size < SMALL_BYTES:
                with open(path, "rb") as file:
                    if b':60Z"' in file.read():
                        os._exit(2)
        return super().decide(event)
