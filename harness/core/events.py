"""The words systems use to each other: one frozen event a thing that happened, joined by a correlation id.

A session's history is a stream of these; any system can be exchanged as long as it keeps to them.
"""

from typing import Any

import msgspec

from harness.core.digest import sha256_of


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", forbid_unknown_fields=True):
    """What every event carries: when (RFC 3339, UTC), and the id of the tool call or stop it belongs to."""

    at: str
    correlation_id: str


class AttemptStarted(Event, frozen=True, kw_only=True, tag="attempt_started"):
    """A tool is about to be called."""

    tool: str
    attempt: int


class AttemptSucceeded(Event, frozen=True, kw_only=True, tag="attempt_succeeded"):
    """The tool did what was asked."""

    tool: str


class FailureObserved(Event, frozen=True, kw_only=True, tag="failure_observed"):
    """The tool failed: ``kind`` is exit, signal, timeout or not_started; ``message`` is what it said."""

    tool: str
    kind: str
    message: str


class FailureRecorded(Event, frozen=True, kw_only=True, tag="failure_recorded"):
    """The failure stands in the error record, or ``stored`` is false and it is only in this stream."""

    record_id: str
    stored: bool


class StopRequested(Event, frozen=True, kw_only=True, tag="stop_requested"):
    """The session asks to end; ``repeat`` is true when the stop before this one was blocked."""

    repeat: bool


class StopAnswered(Event, frozen=True, kw_only=True, tag="stop_answered"):
    """The gate's answer to a stop: approve or block, with its reasons."""

    decision: str
    reasons: tuple[str, ...]


SessionEvent = AttemptStarted | AttemptSucceeded | FailureObserved | FailureRecorded | StopRequested | StopAnswered


def digest(events: tuple[SessionEvent, ...]) -> str:
    """The digest of a stream of events; two runs of one session on different ports have the same."""
    stream: list[Any] = [msgspec.to_builtins(event) for event in events]
    return sha256_of(stream)
