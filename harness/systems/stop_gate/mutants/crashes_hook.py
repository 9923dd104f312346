"""Mutants of the hook for L3: sound under every fault of L2, wrong when one call fails, dies or comes in between."""

import contextlib
import errno
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from harness.systems.stop_gate.mutants.table import blocked, mutant, take
from harness.systems.stop_gate.reference.hook import StopHook

if TYPE_CHECKING:
    from harness.systems.stop_gate.contract import CheckResult

STATE = ".amplihack/.claude/runtime/power-steering"
LINE = b"held\n"


@mutant("hook-io-error-is-unfinished", "SH-01", "a transcript that meets an I/O error lacks what is asked for",
        level="L3", under="syscall.errno")  # fmt: skip
class HookIoErrorIsUnfinished(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        try:
            with open(self.arguments(event).transcript_path, "rb", buffering=0, opener=_without_waiting) as file:
                file.read(1)
        except OSError as error:
            if error.errno == errno.EIO:
                return blocked("nothing was said")
        except ValueError:
            pass
        return super().decide(event)


@mutant("hook-io-error-exits-2", "SH-02", "an I/O error in its own state ends the process with exit code 2",
        level="L3", under="hook-l3-finished")  # fmt: skip
class HookIoErrorExits2(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        try:
            os.stat(os.path.join(self.home(), STATE))
        except OSError as error:
            if error.errno == errno.EIO:
                os._exit(2)
        except ValueError:
            pass
        return super().decide(event)


@mutant("hook-killed-puts-the-guard-to-sleep", "SH-08", "while a marker says that a stop is under way, all may end",
        level="L3", under="hook-l3-steering-finished")  # fmt: skip
class HookKilledPutsTheGuardToSleep(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        marker = os.path.join(self.home(), STATE, "under-way")
        try:
            os.close(os.open(marker, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            from harness.systems.stop_gate.reference.inputs import approve  # noqa: PLC0415

            return approve("under_way")
        except OSError:
            return super().decide(event)
        try:
            return super().decide(event)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(marker)


@mutant("hook-killed-holds-for-ever", "SH-03", "a count that was begun and not written holds the session, uncounted",
        level="L3", under="hook-l3-held-again")  # fmt: skip
class HookKilledHoldsForEver(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        session = self.arguments(event).session_id or ""
        if not session.replace("-", "").isalnum():
            return super().decide(event)
        marker = os.path.join(self.home(), STATE, f".{session}.held")
        with contextlib.suppress(OSError):
            if os.path.exists(marker) and not os.path.getsize(marker):
                return blocked("it is being counted")
        result = super().decide(event)
        if result.decision.value == "block":
            try:
                with open(marker, "w", encoding="ascii") as file:
                    file.write("held")
            except OSError:
                with contextlib.suppress(OSError):
                    os.unlink(marker)
        return result


@mutant("hook-two-at-once-leave-it-to-each-other", "SH-08", "who sees that another stop is under way leaves it to that",
        level="L3", under="order-unfinished")  # fmt: skip
class HookTwoAtOnceLeaveItToEachOther(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        places = [os.path.join(self.home(), STATE, f"asking-{number}") for number in (1, 2)]
        try:
            mine = _first_made(places)
        except OSError:
            return super().decide(event)
        try:
            if any(_is_alive(place) for place in places if place != mine):
                from harness.systems.stop_gate.reference.inputs import approve  # noqa: PLC0415

                return approve("left_to_another")
            return super().decide(event)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(mine)


@mutant("hook-count-renamed-before-it-is-synced", "SH-03", "a count that a loss of power emptied holds the session",
        level="L3", under="hook-l3-held-again")  # fmt: skip
class HookCountRenamedBeforeItIsSynced(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        path = _own(self, event, "asked")
        with contextlib.suppress(OSError):
            if path and os.path.exists(path) and not os.path.getsize(path):
                return blocked("it is being counted")
        result = super().decide(event)
        if path and result.decision.value == "block":
            with contextlib.suppress(OSError):
                _replace(path, "held", synced=False)
        return result


@mutant("hook-count-named-before-its-directory-is-synced", "SH-03",
        "each count is a file of its own, synced, and so is what names the latest; their directory is not",
        level="L3", under="hook-l3-held-again")  # fmt: skip
class HookCountNamedBeforeItsDirectoryIsSynced(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        path = _own(self, event, "latest")
        latest = ""
        with contextlib.suppress(OSError, ValueError):
            latest = _named(path)
            if path and latest and f"{os.path.basename(path)}-{latest}" not in os.listdir(os.path.dirname(path)):
                return blocked("it is being counted")
        result = super().decide(event)
        if path and result.decision.value == "block":
            with contextlib.suppress(OSError):
                number = str(int(latest or 0) + 1)
                _write_synced(f"{path}-{number}", "held")
                _replace(path, number, synced=True)
        return result


@mutant("hook-count-stops-at-a-torn-line", "SH-03", "what is counted behind a line that was torn is not seen",
        level="L3", under="hook-l3-held-again")  # fmt: skip
class HookCountStopsAtATornLine(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        path = _own(self, event, "lines")
        result = super().decide(event)
        if not path or (result.decision.value != "block" and "block_limit" not in result.reasons):
            return result
        try:
            if _whole_lines(path, self.block_limit) >= self.block_limit:
                return result
            with open(path, "ab", buffering=0) as file:
                file.write(LINE)
        except OSError:
            return result
        return blocked("it is not finished")


@mutant("hook-busy-rename-holds-for-ever", "SH-03", "a count that was busy once is never tried again",
        level="L3", under="hook-l3-held-again")  # fmt: skip
class HookBusyRenameHoldsForEver(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        path = _unlinked(self, event, "busy")
        if path and os.path.exists(f"{path}.broken"):
            return blocked("its count is broken")
        result = super().decide(event)
        if path and result.decision.value == "block":
            try:
                _replace(path, "held", synced=True)
            except OSError as error:
                if error.errno == errno.EBUSY:
                    with contextlib.suppress(OSError):
                        os.close(os.open(f"{path}.broken", os.O_WRONLY | os.O_CREAT))
        return result


@mutant("hook-unlink-refused-exits-2", "SH-02", "where the count of a session that is finished cannot go, nor can it",
        level="L3", under="hook-l3-released")  # fmt: skip
class HookUnlinkRefusedExits2(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        result = super().decide(event)
        path = _unlinked(self, event, "counted")
        try:
            if path and result.decision.value == "block":
                _write_synced(path, "held")
            elif path and os.path.exists(path):
                os.unlink(path)
        except OSError as error:
            if result.decision.value == "approve" and error.errno == errno.EPERM:
                os._exit(2)
        return result


@mutant("hook-end-looked-for-then-made", "SH-02", "a record of the end is looked for before it is made, unlocked",
        level="L3", under="hook-l3-order-finished")  # fmt: skip
class HookEndLookedForThenMade(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        result = super().decide(event)
        path = _own(self, event, "ended")
        try:
            if path and result.decision.value == "approve":
                names = os.listdir(os.path.dirname(path))
                was_used = any(name.endswith("_blocks") for name in names)  # not by many stops that begin at once
                if was_used and os.path.basename(path) not in names:
                    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            os._exit(2)
        except OSError:
            pass
        return result


@mutant("hook-stale-lock-taken-over-by-two", "SH-02", "a lock file that is old is removed by whoever saw that it is",
        level="L3", under="hook-l3-order-left")  # fmt: skip
class HookStaleLockTakenOverByTwo(StopHook):
    def decide(self, event: Mapping[str, Any]) -> "CheckResult":
        result = super().decide(event)
        lock = os.path.join(self.home(), STATE, "left.lock")
        try:
            take(lock)
        except OSError:
            return result
        try:
            os.unlink(lock)
        except FileNotFoundError:
            os._exit(2)
        except OSError:
            pass
        return result


def _own(hook: StopHook, event: Mapping[str, Any], ending: str) -> str:
    """A file of the mutant's own for that session; none for an id that is no plain word."""
    session = hook.arguments(event).session_id or ""
    return os.path.join(hook.home(), STATE, f".{session}.{ending}") if session.replace("-", "").isalnum() else ""


def _unlinked(hook: StopHook, event: Mapping[str, Any], ending: str) -> str:
    """As ``_own``, but none where the directory is a link: what is written there would land elsewhere (SH-06)."""
    path = _own(hook, event, ending)
    return path if path and not os.path.islink(os.path.dirname(path)) else ""


def _named(path: str) -> str:
    """The number in that file; ValueError when it holds none, OSError when it cannot be read."""
    with open(path, encoding="ascii") as file:
        return str(int(file.read()))


def _whole_lines(path: str, most: int) -> int:
    """The lines before the first torn one; ``most`` when somebody else wrote there."""
    try:
        with open(path, "rb") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return 0
    if any(set(line) - set(LINE) for line in lines):
        return most
    return next((number for number, line in enumerate(lines) if line != LINE.strip()), len(lines))


def _write_synced(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _replace(path: str, text: str, *, synced: bool) -> None:
    """Puts a whole file in place; OSError when that fails, and then nothing is left of it."""
    try:
        if synced:
            _write_synced(f"{path}.new", text)
        else:
            with open(f"{path}.new", "w", encoding="ascii") as file:
                file.write(text)
        os.replace(f"{path}.new", path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(f"{path}.new")
        raise


def _first_made(places: list[str]) -> str:
    """The first of these files that could be made, with this process in it; OSError when none could."""
    for place in places:
        with contextlib.suppress(FileExistsError), open(place, "x", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
            return place
    raise BlockingIOError("there are enough already")


def _is_alive(place: str) -> bool:
    try:
        with open(place, encoding="ascii") as file:
            os.kill(int(file.read() or 0), 0)
    except (OSError, ValueError):
        return False
    return True


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)
