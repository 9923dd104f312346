"""Mutants of the hook that are sound in calm weather: each is wrong only when one further thing goes wrong (L2)."""

import locale
import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from harness.systems.stop_gate.mutants.table import blocked, mutant
from harness.systems.stop_gate.reference.hook import StopHook

if TYPE_CHECKING:
    from harness.systems.stop_gate.contract import CheckResult

PROJECT_BEGAN_S = 1_600_000_000  # "no session can be older than the project"
COLLABORATOR = "git"
TICK_S = 0.001


@mutant(
    "hook-no-home-blocks", "SH-01", "without HOME there is no state, and who has no state is not let go", level="L2"
)
class HookNoHomeBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        return super().decide(event) if self.environment.get("HOME") else blocked("no home")


@mutant(
    "hook-odd-locale-blocks",
    "SH-01",
    "a locale that the system does not have is taken for a broken session",
    level="L2",
)
class HookOddLocaleBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        try:
            locale.setlocale(locale.LC_ALL, "")
        except locale.Error:
            return blocked("locale")
        return super().decide(event)


@mutant(
    "hook-deleted-folder-exits-2",
    "SH-02",
    "a working directory that is gone ends the process with exit code 2",
    level="L2",
)
class HookDeletedFolderExits2(StopHook):
    def arm(self) -> None:
        super().arm()
        try:
            os.getcwd()
        except OSError:
            os._exit(2)


@mutant(
    "hook-full-stdout-exits-2",
    "SH-02",
    "a block that cannot be written to standard output is said by exit code 2",
    level="L2",
)
class HookFullStdoutExits2(StopHook):
    def write(self, descriptor: int, data: bytes) -> None:
        try:
            os.write(descriptor, data)
        except OSError:
            os._exit(2)


@mutant("hook-past-clock-blocks", "SH-01", "a clock before the project began is a reason to block", level="L2")
class HookPastClockBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        return blocked("clock") if time.time() < PROJECT_BEGAN_S else super().decide(event)


@mutant(
    "hook-waits-for-the-clock", "SH-04", "it waits until the wall clock has moved, which may never come", level="L2"
)
class HookWaitsForTheClock(StopHook):
    def main(self) -> int:
        began = time.time()
        while time.time() <= began:
            time.sleep(TICK_S)
        return super().main()


@mutant(
    "hook-collaborator-failure-blocks", "SH-01", "a git that fails is taken for work that was not committed", level="L2"
)
class HookCollaboratorFailureBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        result = super().decide(event)
        if shutil.which(COLLABORATOR, path=self.environment.get("PATH", "")) is None:
            return result
        asked = subprocess.run([COLLABORATOR, "--version"], capture_output=True, timeout=1.0, check=False)
        return blocked("uncommitted") if asked.returncode != 0 else result


@mutant("hook-collaborator-waited-for", "SH-04", "git is asked without a limit, before any limit is armed", level="L2")
class HookCollaboratorWaitedFor(StopHook):
    def main(self) -> int:
        if shutil.which(COLLABORATOR, path=self.environment.get("PATH", "")) is not None:
            subprocess.run([COLLABORATOR, "--version"], capture_output=True, check=False)
        return super().main()


@mutant("hook-collaborator-output-passed-on", "SH-05", "what git prints goes to the host", level="L2")
class HookCollaboratorOutputPassedOn(StopHook):
    def main(self) -> int:
        if shutil.which(COLLABORATOR, path=self.environment.get("PATH", "")) is not None:
            asked = subprocess.run([COLLABORATOR, "--version"], capture_output=True, timeout=1.0, check=False)
            if not asked.stdout.startswith(b"git version"):
                self.write(self.stdout, asked.stdout)
        return super().main()


@mutant(
    "hook-killed-leaves-a-lock",
    "SH-01",
    "a lock file that a killed hook left behind makes the next one block",
    level="L2",
)
class HookKilledLeavesALock(StopHook):
    def answer(self) -> bytes:
        path = os.path.join(self.home(), ".amplihack", ".claude", "runtime", "power-steering", "stop.lock")
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return self.said(blocked("another stop is under way"))
        except OSError:
            return super().answer()
        try:
            return super().answer()
        finally:
            os.unlink(path)


@mutant(
    "hook-leftover-blocks",
    "SH-01",
    "a temporary file in the runtime directory is taken for a stop under way",
    level="L2",
)
class HookLeftoverBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        folder = os.path.join(self.home(), ".amplihack", ".claude", "runtime", "power-steering")
        found = [name for _, _, names in os.walk(folder) for name in names if name.endswith((".tmp", ".lock"))]
        found = [name for name in found if name != "counters.lock"]
        return blocked("a stop under way") if found else super().decide(event)


@mutant(
    "hook-few-descriptors-blocks",
    "SH-01",
    "files that cannot be opened for want of descriptors make it block",
    level="L2",
)
class HookFewDescriptorsBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        held = []
        try:
            held += [os.open(os.devnull, os.O_RDONLY) for _ in range(24)]
        except OSError:
            return blocked("descriptors")
        finally:
            for descriptor in held:
                os.close(descriptor)
        return super().decide(event)


@mutant("hook-proxy-failure-blocks", "SH-01", "when the network answers nonsense the session is held", level="L2")
class HookProxyFailureBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        proxy = self.environment.get("HTTPS_PROXY") or self.environment.get("https_proxy")
        if not proxy:
            return super().decide(event)
        import socket  # noqa: PLC0415
        from urllib.parse import urlsplit  # noqa: PLC0415

        place = urlsplit(proxy)
        try:
            with socket.create_connection((place.hostname, place.port), timeout=1.0) as line:
                line.sendall(b"CONNECT model.example:443 HTTP/1.1\r\nHost: model.example\r\n\r\n")
                if b" 200 " not in line.recv(64):
                    return blocked("the model said no")
        except OSError:
            return super().decide(event)
        return super().decide(event)


@mutant("hook-network-waited-for", "SH-04", "the network is waited for without a limit", level="L2")
class HookNetworkWaitedFor(StopHook):
    def main(self) -> int:
        proxy = self.environment.get("HTTPS_PROXY") or self.environment.get("https_proxy")
        if proxy:
            import socket  # noqa: PLC0415
            from urllib.parse import urlsplit  # noqa: PLC0415

            place = urlsplit(proxy)
            try:
                with socket.create_connection((place.hostname, place.port)) as line:
                    line.sendall(b"CONNECT model.example:443 HTTP/1.1\r\nHost: model.example\r\n\r\n")
                    line.recv(1)
            except OSError:
                pass
        return super().main()


@mutant(
    "hook-second-stop-after-damage-blocks",
    "SH-01",
    "after a stop with something to warn of, the next one blocks",
    level="L2",
)
class HookSecondStopAfterDamageBlocks(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        path = os.path.join(self.home(), ".amplihack", ".claude", "runtime", "power-steering", "warned")
        if os.path.exists(path):
            return blocked("warned before")
        result = super().decide(event)
        if any(entry.level.value == "warning" for entry in result.log) and os.path.isdir(os.path.dirname(path)):
            with open(path, "w", encoding="utf-8") as file:
                file.write("1")
        return result


@mutant(
    "hook-odd-locale-never-blocks",
    "SH-08",
    "in a locale that the system does not have, everything is approved",
    level="L2",
)
class HookOddLocaleNeverBlocks(StopHook):
    def said(self, result: "CheckResult") -> bytes:
        try:
            locale.setlocale(locale.LC_ALL, "")
        except locale.Error:
            return b""
        return super().said(result)
