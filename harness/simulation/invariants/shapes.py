"""What state files hold, as far as it is looked at. Pure: bytes in, what stands there out, None for damaged ones."""

from typing import Any, Literal

import msgspec

Data = bytes | bytearray


class QueuedTask(msgspec.Struct):
    """A task of a queue."""

    task_id: str


class _Queue(msgspec.Struct):
    tasks: list[QueuedTask]


class _Breaker(msgspec.Struct):
    state: str


class Phase(msgspec.Struct):
    """The record of a phase."""

    phase_id: str
    status: Literal["pending", "running", "complete", "failed", "blocked"]  # AB-STA-04
    attempt: int
    max_attempts: int


class Config(msgspec.Struct):
    """The part of the phase runner's config.json that says which plan it drives."""

    plan_path: str
    phase_ids: list[str] = []


class _Context(msgspec.Struct):
    session_id: str | None = None


class Record(msgspec.Struct):
    """A record of the error log."""

    id: str
    message: str
    context: _Context


class _Errors(msgspec.Struct):
    errors: list[Record]


class _Request(msgspec.Struct):
    task_id: str


class Recorded(msgspec.Struct):
    """A line of the ledger."""

    task_id: str


_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_QUEUE = msgspec.json.Decoder(_Queue)
_TASKS = msgspec.json.Decoder(list[QueuedTask])
_BREAKERS = msgspec.json.Decoder(dict[str, _Breaker])
_PHASE = msgspec.json.Decoder(Phase)
_CONFIG = msgspec.json.Decoder(Config)
_ERRORS = msgspec.json.Decoder(_Errors)
_RECORDS = msgspec.json.Decoder(list[Record])
_REQUEST = msgspec.json.Decoder(_Request)
_REQUESTS = msgspec.json.Decoder(list[_Request])
_RECORDED = msgspec.json.Decoder(Recorded)


def _decoded(decoder: Any, data: Data) -> Any:
    try:
        return decoder.decode(data)
    except (ValueError, RecursionError):  # msgspec's errors, bytes that are no UTF-8, and what is nested too deep
        return None


def is_object(data: Data) -> bool:
    """Is it one JSON object?"""
    return _decoded(_OBJECT, data) is not None


def queue(data: Data) -> list[str] | None:
    """The ids of the tasks of a queue file, an object with a ``tasks`` array or a bare array."""
    if data.lstrip()[:1] == b"[":
        tasks = _decoded(_TASKS, data)
    else:
        found = _decoded(_QUEUE, data)
        tasks = None if found is None else found.tasks
    return None if tasks is None else [task.task_id for task in tasks]


def breakers(data: Data) -> dict[str, str] | None:
    """The states of the breakers, by name."""
    found = _decoded(_BREAKERS, data)
    return None if found is None else {name: breaker.state for name, breaker in found.items()}


def phase(data: Data) -> Phase | None:
    """The record of a phase."""
    found: Phase | None = _decoded(_PHASE, data)
    return found


def config(data: Data) -> Config | None:
    """Which plan is driven."""
    found: Config | None = _decoded(_CONFIG, data)
    return found


def errors(data: Data) -> list[Record] | None:
    """The records of errors.json, an object with an ``errors`` array or a bare array."""
    found: list[Record] | None
    if data.lstrip()[:1] == b"[":
        found = _decoded(_RECORDS, data)
    else:
        whole = _decoded(_ERRORS, data)
        found = None if whole is None else whole.errors
    return found


def requests(data: Data) -> set[str] | None:
    """The tasks that wait for a human: one request, or a list of them."""
    if data.lstrip()[:1] == b"[":
        found = _decoded(_REQUESTS, data)
    else:
        one = _decoded(_REQUEST, data)
        found = None if one is None else [one]
    return None if found is None else {request.task_id for request in found}


def recorded(line: Data) -> str | None:
    """The task of a line of the ledger."""
    found = _decoded(_RECORDED, line)
    return None if found is None else str(found.task_id)
