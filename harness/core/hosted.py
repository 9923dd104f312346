"""What was seen of an implementation under a real host, as values: its sessions, and what is found in them."""

from typing import Literal

import msgspec

HostEnd = Literal["exited", "hung", "interrupted", "stopped"]


class HostStop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One stop of a session.

    ``blocked``: the host went on; ``predicted``: what we said it would do. With ``unsettled`` that hangs on how much of
    its transcript the host had written when the hook read it, and either was permitted. The end of the hook is that of
    the same call made once more by us: ``exit_code``, ``timed_out``, and an excerpt of its standard error.
    ``transcript`` says whether there was one at the path the hook was told.
    """

    blocked: bool
    predicted: bool
    exit_code: int | None
    timed_out: bool
    stderr: str
    transcript: bool
    unsettled: bool = False


class HostStory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One session: the ``story`` its model told, under which ``condition``; in ``calm`` ones nothing goes wrong.

    ``end`` is ``exited`` when the host ended by itself, ``stopped`` when we did after more blocks than are allowed,
    ``interrupted`` when its user did. ``children_left`` are names, without those that the host leaves by itself.
    """

    story: str
    condition: str
    title: str
    calm: bool
    end: HostEnd
    stops: tuple[HostStop, ...]
    children_left: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    duration_s: float = 0.0

    @property
    def name(self) -> str:
        """The story, and the condition where it is not the calm one."""
        return self.story if self.calm else f"{self.story} ({self.condition})"

    @property
    def as_predicted(self) -> bool:
        """Whether the host did at every stop what we said."""
        return all(stop.unsettled or stop.blocked == stop.predicted for stop in self.stops)


class HostFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something the implementation did wrong in a session: the clause it violates, the story, and a sentence."""

    clause: str
    story: str
    text: str


HostOutcome = Literal["as_predicted", "not_strict", "fails", "differs", "untested"]


class HostedRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every session of a hook under one host version.

    ``outcome``: ``as_predicted`` when every stop was and nothing is violated; ``not_strict`` when only a SHOULD is;
    ``fails`` when a MUST is; ``differs`` when a stop was not as predicted, and then nothing is said of the hook;
    ``untested`` when the sessions broke off, for the reason in ``message``, and nothing wrong was seen before.
    """

    host: str
    version: str
    target: str
    outcome: HostOutcome
    stories: tuple[HostStory, ...]
    findings: tuple[HostFinding, ...]
    message: str = ""
