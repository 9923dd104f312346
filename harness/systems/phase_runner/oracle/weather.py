"""The files of a run, as faults strike them. Pure."""

from collections.abc import Collection, Iterable
from typing import Final

from harness.core.fault import Fault
from harness.systems.file_faults import RESTARTING, SYSCALL, Files, Takes, is_below, paths_of, row
from harness.systems.phase_runner.contract.words import (
    COMMITS_PATH,
    CONFIG_PATH,
    EXECUTION_LOG_PATH,
    PHASES_DIRECTORY,
    STATE_DIRECTORY,
)

HOME: Final = "{home}"  # not only .autobuild: a lock may lie beside what a fresh start deletes
FILES: Final = Files({
    "config": CONFIG_PATH, "execution_log": EXECUTION_LOG_PATH, "commits": COMMITS_PATH,
    "records": f"{PHASES_DIRECTORY}/phase",
}, HOME)  # fmt: skip
_RESTARTING: Final = RESTARTING - {SYSCALL}


def disturbs(faults: Iterable[Fault]) -> bool:
    """Do faults that take what is in a file, or hide it, strike the state, or what it lies in?"""
    return any(
        is_below(path, STATE_DIRECTORY) or is_below(STATE_DIRECTORY, path)
        for fault in faults
        if row(fault.name).takes & (Takes.CONTENT | Takes.SIGHT)
        for path in paths_of(fault)
    )


def struck_by(paths: Collection[str], faults: Iterable[Fault]) -> set[str]:
    """Those of the paths that faults strike, or whose directory they do."""
    places = [place for fault in faults for place in paths_of(fault)]
    return {path for path in paths if any(is_below(path, place) for place in places)}


def restarts(before: Iterable[Fault], now: Iterable[Fault]) -> bool:
    """May another process answer now than before?"""
    stood = list(before)
    return any(each.name == "process.killed" for each in stood) or _lasting(stood) != _lasting(now)


def _lasting(faults: Iterable[Fault]) -> list[Fault]:
    """Those that begin or end with a process, and strike no single operation."""
    return [each for each in faults if each.family in _RESTARTING and each.name != "process.killed"]
