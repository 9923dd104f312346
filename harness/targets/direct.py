"""An implementation called in this very process, on a private directory: for our own tests and benchmarks.

Nothing is contained here and no verdict rests on it; people's code is reached through ``carrier: in_process``.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, NoReturn, Self

import msgspec

from harness.core import struct_types
from harness.core.fault import Fault, Injection
from harness.core.history import EntryType, FileFact, InputFact
from harness.core.scenario import Operation, Scenario
from harness.errors import MachineError
from harness.faults import clock
from harness.faults.catalogue import checked, inject
from harness.ports.clock import to_seconds
from harness.sandbox import Action, Ended, Roots, Surroundings, Symlink
from harness.sandbox import files as room_files
from harness.sandbox.room import Seen
from harness.targets import world
from harness.targets.room_session import RoomSession, ToldTime
from harness.targets.session import Reply, each_text

MOST_TOGETHER = 8  # operations at once, each on a thread of its own
NEED_A_SANDBOX = frozenset(
    f"filesystem.{kind}"
    for kind in (
        "read_only", "full", "no_inodes", "busy", "full_device", "not_writable", "vanishing", "growing",
    )
)  # fmt: skip
# create(config) gives the implementation; it has a method an operation, of arguments and the time in seconds
Create = Callable[[Mapping[str, Any]], Any]


class DirectRoom:
    """A directory in memory with the roots of a sandbox. Faults that need mounts or capabilities are refused."""

    def __init__(self) -> None:
        memory = "/dev/shm"  # noqa: S108 - private below it by mkdtemp; 20 times faster than a disk
        self.base = tempfile.mkdtemp(prefix="windtunnel-", dir=memory if os.path.isdir(memory) else None)
        base = self.base
        places = {name: f"{base}/{name}" for name in ("home", "project", "tmp", "outside", "tools")}
        self.roots = Roots(places["home"], places["project"], places["tmp"], places["outside"], tools=places["tools"])
        self.surroundings = Surroundings()
        self._tops = (self.roots.home, self.roots.project, self.roots.tmp, self.roots.outside)
        self._actions = room_files.Actions(frozenset(self._tops), frozenset(), confined=False)
        for top in (*self._tops, self.roots.tools):
            os.mkdir(top)

    def renew(self) -> None:
        """Empties all roots."""
        self.surroundings = Surroundings()
        for top in (*self._tops, self.roots.tools):
            room_files.empty(top)

    def surround(self, change: Surroundings) -> None:
        """See Room.surround: here no process is started."""
        del change
        self._refuse("the surroundings of a process")

    def meddle(self, argv: Sequence[str]) -> str:
        """See Room.meddle."""
        self._refuse(" ".join(argv))

    def watch(self, path: str) -> tuple[str, ...]:
        """See Room.watch."""
        self._refuse(path)

    def apply(self, actions: Sequence[Action]) -> None:
        """See Room.apply."""
        for action in actions:
            placed = msgspec.structs.replace(action, path=self.roots.resolve(action.path))
            if isinstance(placed, Symlink):
                placed = msgspec.structs.replace(placed, target=self.roots.resolve(placed.target))
            try:
                self._actions.apply(placed)
            except OSError as error:
                raise MachineError(f"a fault cannot be put at {action.path}: {error.strerror}") from error

    def read(self, path: str, limit: int) -> InputFact:
        """See Room.read."""
        return self.read_each([path], limit)[path]

    def snapshot(self) -> dict[str, FileFact]:
        """All files, by placeholder path."""
        found: dict[str, FileFact] = {}
        for top, name in zip(self._tops, ("{home}", "{project}", "{tmp}", "{outside}"), strict=True):
            for path, state in room_files.walk(top):
                found[name + path[len(top) :]] = room_files.fact(path, state)
        return found

    def look(self, paths: Sequence[str], limit: int) -> Seen:
        """See Room.look."""
        return Seen(self.snapshot(), self.read_each(paths, limit))

    def read_each(self, paths: Sequence[str], limit: int) -> dict[str, InputFact]:
        """See Room.read_each."""
        return dict(zip(paths, room_files.read(list(map(self.roots.resolve, paths)), limit), strict=True))

    def limit_space(self, path: str, size_bytes: int, free_bytes: int = 0, inodes: int | None = None) -> str:
        """See Room.limit_space."""
        del size_bytes, free_bytes, inodes
        self._refuse(path)

    def read_only(self, path: str) -> str:
        """See Room.read_only."""
        self._refuse(path)

    def busy(self, path: str) -> str:
        """See Room.busy."""
        self._refuse(path)

    def full_device(self, path: str) -> str:
        """See Room.full_device."""
        self._refuse(path)

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str,
        stdin: bytes | None = b"",
        timeout_s: float,
        surrounded: bool = False,
    ) -> Ended:
        """See Room.run."""
        del env, stdin, timeout_s, argv, surrounded
        self._refuse(cwd)

    def close(self) -> None:
        """Removes the directory."""
        shutil.rmtree(self.base, ignore_errors=True)

    def _refuse(self, path: str) -> NoReturn:
        raise MachineError(f"a fault at {path} needs a sandbox; in this process there is none")


class DirectSession(RoomSession, ToldTime):
    """A session (see Session) whose implementation is an object of this process."""

    def __init__(self, profile: str, create: Create) -> None:
        self._room = DirectRoom()
        RoomSession.__init__(self, self._room)
        ToldTime.__init__(self)
        self.profile = profile
        self._create = create
        self._config: Mapping[str, Any] = {}
        self._instances: dict[int, Any] = {}
        struct_types.build()
        self._pool = ThreadPoolExecutor(MOST_TOGETHER)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown()
        self._room.close()

    def reset(self, scenario: Scenario) -> None:
        """See Session.reset."""
        self._now_s = to_seconds(scenario.world.clock)
        self._room.renew()
        self._room.apply(world.actions(scenario.world, self._now_s, {}))
        self._config = {"home": self._room.roots.home, **scenario.world.config}
        self._instances = {}

    def uncontained(self) -> tuple[str, ...]:
        """See Session.uncontained."""
        return ("Nothing is contained in this process.",)

    def contained(self) -> bool:
        """See Session.contained."""
        return False

    def abort(self) -> None:
        """See Session.abort; nothing runs on here."""

    def inject(self, fault: Fault, seed: int) -> Injection:
        """See Session.inject; what only a process without capabilities can meet is refused.

        The clock is an argument: it can be another one, but not stand still or step while an operation runs.
        """
        complete = checked(fault, self._room)
        if fault.name == "filesystem.unreadable":
            return Injection(fault, armed=False, proof="this process may ignore modes; a sandbox drops what lets it")
        if fault.name in NEED_A_SANDBOX:  # before anything of it is put in place
            return Injection(fault, armed=False, proof=f"{fault.name} needs a sandbox; in this process there is none")
        if fault.family in ("process", "syscall"):
            return Injection(fault, armed=False, proof=f"{fault.name} strikes a process; here none is started")
        if fault.family == "clock":
            kind = fault.name.partition(".")[2]
            if not clock.shift_s(kind, complete.params, self._now_s):
                return Injection(fault, armed=False, proof=f"{fault.name} is met by a process; here none is started")
            self._follow(Injection(complete, armed=True))
            return Injection(fault, armed=True, proof="moved")
        return inject(fault, self._room, seed)

    def move_clock(self, by_s: float) -> None:
        """See Session.move_clock."""
        self._move(by_s)

    def perform(self, operations: Sequence[tuple[int, Operation]]) -> list[Reply]:
        """See Session.perform; several at once run on threads of their own."""
        if len(operations) == 1:
            return [self._call(*operations[0])]
        for process, _ in operations:
            self._instance(process)
        return list(self._pool.map(lambda pair: self._call(*pair), operations))

    def _call(self, process: int, operation: Operation) -> Reply:
        args = each_text(operation.args, self._room.roots.resolve)
        result = getattr(self._instance(process), operation.name)(args, to_seconds(self.now()))
        return Reply(EntryType.OK, each_text(msgspec.to_builtins(result), self._room.roots.hide))

    def _instance(self, process: int) -> Any:
        if process not in self._instances:
            self._instances[process] = self._create(self._config)
        return self._instances[process]
