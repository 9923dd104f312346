"""What was seen of one session of a real host."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.core.hosted import HostEnd
from harness.hosts.kind import STOP
from harness.hosts.model.lines import Request


class HookCall(msgspec.Struct, frozen=True):
    """One call of a hook: which ``hook`` of the session it was, and the bytes, variables and folder it was given.

    ``transcript`` is what stood at the path it was told just before the hook began; None when it was told none, or none
    was there. ``later`` is what stood there at the next call of that path, or when the host had ended: hosts write on
    while their hooks run, so what a hook reads may be anything between the two. ``closed``: the host closed the
    hook's standard input.
    """

    hook: str
    stdin: bytes
    transcript: bytes | None
    later: bytes | None
    closed: bool
    environment: Mapping[str, str]
    cwd: str

    @property
    def fields(self) -> Mapping[str, Any]:
        """Standard input as the object it should be; empty when it is none."""
        try:
            found = msgspec.json.decode(self.stdin)
        except msgspec.DecodeError:
            return {}
        return found if isinstance(found, dict) else {}


class HostSession(msgspec.Struct, frozen=True):
    """One session: how it ended, every call of a hook in order, every request to the model in order.

    ``end`` is ``exited`` when the host ended by itself, ``hung`` when it was killed after the time-out,
    ``stopped`` when enough had been seen. ``stdout`` and
    ``stderr`` are what it printed, with placeholders for paths. ``children_left`` names processes that outlived it.
    """

    host: str
    story: str
    end: HostEnd
    exit_code: int | None
    signal: int | None
    calls: tuple[HookCall, ...]
    requests: tuple[Request, ...]
    stdout: str
    stderr: str
    children_left: tuple[str, ...]
    duration_s: float

    def calls_of(self, hook: str) -> tuple[HookCall, ...]:
        """The calls of one hook, in order."""
        return tuple(call for call in self.calls if call.hook == hook)

    def blocked(self, hook: str = STOP) -> tuple[bool, ...]:
        """For each stop that was decided, in order, whether the host went on.

        It asks its hooks again only when it did. Of a session that ended by itself the last stop was no block; of any
        other nobody knows what it was.
        """
        stops = len(self.calls_of(hook))
        last = (False,) if self.end == "exited" else ()
        return (*(True,) * (stops - 1), *last) if stops else ()
