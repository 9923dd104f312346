"""What a fault may take from a stop gate: one row a fault, with its reason. Pure.

Damage to content shows in what an operation was given to read, storage that fails shows by its path. The rows here
say the rest: under which fault an unfinished session has to be held all the same, and under which a sound gate may
just as well let it end (it may let it end by the core principle, and hold it because the fault took nothing it needs).
"""

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from harness.core.fault import Fault, Injection
from harness.systems.standing import on_the_way
from harness.systems.stop_gate.contract import CONFIG_PATH, GATE
from harness.systems.stop_gate.oracle import struck

KILLED = "process.killed"
GROWN = "jsonl.grown"  # the session went on: no damage
GROWING = "filesystem.growing"
MOVING = frozenset({"filesystem.vanishing", GROWING})  # what they strike is another thing from one moment to the next
ASIDE = "/.windtunnel"  # where the harness puts what it takes away for a moment
TIMELESS = frozenset({"clock.frozen", "clock.jump"})  # no time limit can be measured by such a clock
# faults of storage after which a path can be read and written as before, or be made anew
WRITABLE = frozenset(
    f"filesystem.{kind}" for kind in ("missing", "parent_missing", "empty", "aged", "garbled", "leftover")
)
# faults of storage that hide nothing of what stands behind them: the harness sees there what the process sees
OPEN_TO_SEE = WRITABLE | frozenset(
    f"filesystem.{kind}" for kind in ("read_only", "full", "no_inodes", "not_writable", "busy", "full_device")
)


class Held(StrEnum):
    """Who has to hold an unfinished session under a fault, among hooks."""

    BY_NOBODY = "nobody"
    BY_FOLLOWERS = "followers of document 004"
    BY_EVERY_HOOK = "every hook"


class Row(msgspec.Struct, frozen=True):
    """What one fault leaves: ``gate`` when a gate has to answer as without it; ``hook`` says which hooks have to."""

    gate: bool
    hook: Held
    why: str


_NOBODY, _FOLLOWERS, _EVERY = Held.BY_NOBODY, Held.BY_FOLLOWERS, Held.BY_EVERY_HOOK
_NO_STREAM = Row(False, _NOBODY, "without its streams a hook cannot read the question, say the answer, or warn")
_NO_MEMORY = Row(False, _NOBODY, "who cannot remember its blocks lets a session end rather than hold it for ever")
_OWN_HOME = Row(True, _NOBODY, "a gate is told its home; a hook loses the place where it remembers its blocks")
_OTHER_TIME = Row(True, _FOLLOWERS, "only a semaphore's age hangs on time in document 004; other hooks may use dates")

ROWS: dict[str, Row] = {
    "jsonl.blank_lines": Row(True, _EVERY, "blank lines say nothing, and every other line is still there"),
    "jsonl.*": Row(True, _NOBODY, "shows in the transcript; a line that a hook does not know may make it give up"),
    "json_document.*": Row(True, _NOBODY, "shows in the configuration; a hook without settings may do nothing"),
    "filesystem.*": Row(True, _NOBODY, "shows in what is read, or in the way of what is written; a hook may need both"),
    "identifier.*": Row(True, _NOBODY, "shows in the arguments; a hook may have only the id to bound its blocks by"),
    "clock.time_zone": Row(True, _EVERY, "no verdict on a session hangs on where its user lives"),
    "clock.frozen": _OTHER_TIME,
    "clock.back": _OTHER_TIME,
    "clock.forward": _OTHER_TIME,
    "clock.year_1970": _OTHER_TIME,
    "clock.year_2038": _OTHER_TIME,
    "clock.year_9999": Row(True, _NOBODY, "the last year that libraries know: the time after it cannot be computed"),
    "clock.jump": Row(True, _NOBODY, "a limit of time may be over in a moment, and then the session may end"),
    "process.restarted": Row(True, _EVERY, "a hook begins anew at every call; a gate keeps its state in files"),
    "process.killed": Row(False, _NOBODY, "what was cut off says nothing, and what it left behind may be half of it"),
    "process.slow_disk": Row(False, _NOBODY, "a limit of time may be over before the session is read"),
    "process.paused": Row(False, _NOBODY, "a limit of time may be over before the session is read"),
    "process.few_descriptors": Row(False, _NOBODY, "neither transcript nor memory can be opened"),
    "process.file_size": _NO_MEMORY,
    "process.lock_held": Row(False, _NOBODY, "who cannot get its lock in time may let the session end"),
    "environment.odd_locale": Row(True, _EVERY, "a language changes texts for people, not what a session deserves"),
    "environment.stdout_slow": Row(True, _EVERY, "the pipe is drained in the end, and takes the block then"),
    "environment.no_home": _OWN_HOME,
    "environment.empty_home": _OWN_HOME,
    "environment.missing_home": _OWN_HOME,
    "environment.read_only_home": _NO_MEMORY,
    "environment.odd_umask": _NO_MEMORY,
    "environment.no_tmpdir": Row(True, _NOBODY, "a hook may need a temporary file"),
    "environment.no_path": Row(False, _NOBODY, "the programs it calls are not found"),
    "environment.nothing": Row(False, _NOBODY, "no home, no path, and none of its settings"),
    "environment.deleted_cwd": Row(False, _NOBODY, "asking where it is fails"),
    "environment.stdin_closed": _NO_STREAM,
    "environment.stdout_closed": _NO_STREAM,
    "environment.stdout_full": _NO_STREAM,
    "environment.stderr_closed": _NO_STREAM,
    "environment.stderr_full": _NO_STREAM,
    "collaborator.*": Row(False, _NOBODY, "a program it reads the session with may be the one that fails"),
    "syscall.errno": Row(False, _NOBODY, "what hangs on that path may have failed with the call: struck.py"),
    "syscall.killed": Row(False, _NOBODY, "what was cut off says nothing"),
    "syscall.torn": Row(False, _NOBODY, "what was cut off says nothing"),
    "syscall.power": Row(False, _NOBODY, "what was cut off says nothing"),
    "syscall.delayed": Row(False, _NOBODY, "a limit of time may be over before the session is read"),
    "network.*": Row(False, _NOBODY, "a service it asks about the session may be the one that fails"),
}
UNKNOWN = Row(False, _NOBODY, "nobody has said what this fault takes")


def row(name: str) -> Row:
    """The row of the fault of that name."""
    return ROWS.get(name) or ROWS.get(f"{name.partition('.')[0]}.*") or UNKNOWN


def excuse(profile: str, name: str) -> str:
    """Why an unfinished session may be let go under the fault of that name; "" when it has to be held."""
    found = row(name)
    held = found.gate if profile == GATE else found.hook is _EVERY
    return "" if held else found.why


def leaves_gate(injection: Injection) -> bool:
    """Has a gate to answer as without this fault, as far as its arguments and files are the same?"""
    return row(injection.fault.name).gate


def holds(injection: Injection, *, follower: bool) -> bool:
    """Has a hook to hold an unfinished session under this fault? ``follower``: it declares to follow document 004."""
    if injection.fault.name == struck.ERRNO and follower and struck.at(injection.fault, CONFIG_PATH):
        return True  # who cannot read its configuration goes on with the defaults (4.2)
    who = row(injection.fault.name).hook
    return who is _EVERY or (follower and who is _FOLLOWERS)


def held_after(fault: Fault, *, follower: bool) -> bool:
    """Has a hook to hold an unfinished session when this fault struck another stop before, and stands no more?

    One that struck a single call is over, and whatever it left on disk must not have put the guard to sleep.
    """
    return fault.family == struck.FAMILY or holds(Injection(fault, armed=True, proof="before"), follower=follower)


def moving(path: str, standing: Iterable[Injection]) -> frozenset[str]:
    """The names of the faults under which that path comes, goes or grows while an operation runs."""
    return frozenset(each.fault.name for each in standing if each.fault.name in MOVING and on_the_way(each, path))


def stirred(path: str, standing: Iterable[Injection]) -> bool:
    """May the harness itself have changed that path, or something beside it, while an operation ran?"""
    struck = [each.fault.path for each in standing if each.fault.name in MOVING]
    return any(place is not None and (path.startswith(place.rstrip("/")) or ASIDE in path) for place in struck)
