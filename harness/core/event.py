"""What every event is; the words themselves are in events.py, task_events.py and plan_events.py."""

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", forbid_unknown_fields=True):
    """What every event carries: when (RFC 3339, UTC), and the id of the tool call, stop or round it belongs to."""

    at: str
    correlation_id: str
