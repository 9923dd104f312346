"""What was seen of one session of a real host."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from harness.core.hosted import HostEnd
from harness.hosts.kind import STOP
from harness.hosts.model.lines import Request
from harness.hosts.story import Story


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
        except ValueError:  # invalid UTF-8, too
            return {}
        return found if isinstance(found, dict) else {}


class HostSession(msgspec.Struct, frozen=True):
    """One session: how it ended, every call of a hook in order, every request to the model in order.

    ``end`` is ``exited`` when the host ended by itself, ``hung`` when it was killed after the time-out,
    ``stopped`` when enough had been seen, ``interrupted`` when it ended after Ctrl-C. ``stdout`` and ``stderr`` are
    what it printed, with placeholders for paths. ``children_left`` names processes that outlived it.
    ``decided`` is set for a host whose second call shows nothing: see `decided`.
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
    decided: tuple[bool, ...] | None = None

    def calls_of(self, hook: str) -> tuple[HookCall, ...]:
        """The calls of one hook, in order."""
        return tuple(call for call in self.calls if call.hook == hook)

    def blocked(self, hook: str = STOP) -> tuple[bool, ...]:
        """For each stop that was decided, in order, whether the host went on.

        It asks its hooks again only when it did. Of a session that ended by itself the last stop was no block; of any
        other nobody knows what it was.
        """
        stops = len(self.calls_of(hook))
        if self.decided is not None:
            known = self.decided[:stops]
            return known if self.end == "exited" or any(known[-1:]) else known[:-1]
        last = (False,) if self.end == "exited" else ()
        return (*(True,) * (stops - 1), *last) if stops else ()


def decided(story: Story, requests: Sequence[Request]) -> tuple[bool, ...]:
    """Whether a host that asks its hooks only at the first stop of a conversation went on after it.

    Told from what it asked of the model once that had said its last word; one for each conversation, in the order of
    their first stops. After half an answer a host may ask for the rest, which is no block, or take it for the whole.
    """
    stories = {each.name: each for each in _with_those_of_subagents(story)}
    stopped: dict[str, Request] = {}
    went_on: dict[str, bool] = {}
    for request in requests:
        told = stories.get(request.story)
        if told is None or request.turn is None:
            continue
        if request.story in stopped:
            went_on[request.story] |= _is_asked_on(stopped[request.story], request)
        elif not told.turn(request.turn).calls:
            if request.outcome == "answered":
                stopped[request.story] = request
            if request.outcome in ("answered", "cut"):
                went_on.setdefault(request.story, False)
    return tuple(went_on.values())


def _is_asked_on(stop: Request, request: Request) -> bool:
    """Whether more was said since that stop; a host that lost half an answer may count its answers anew."""
    assert stop.turn is not None and request.turn is not None  # noqa: S101, PT018 - narrows: seen by who calls
    return request.turn > stop.turn or request.users not in ((), stop.users)


def _with_those_of_subagents(story: Story) -> Iterator[Story]:
    yield story
    for call in story.calls:
        if call.story is not None:
            yield from _with_those_of_subagents(call.story)
