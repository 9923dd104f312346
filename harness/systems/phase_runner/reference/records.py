"""What is kept of a phase and of a run, as JSON; only reading raises. Fields that a person removed are null."""

import functools
from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec

from harness.ports import clock
from harness.systems.phase_runner.contract import Range
from harness.systems.phase_runner.contract.words import VERSION, Status

LATEST_S: Final = 253_402_300_799.0  # the last second of the year 9999: RFC 3339 has no later ones
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class DamagedError(Exception):
    """What stands there is no record; the message says why."""


class NewerError(Exception):
    """What stands there is of a version that is not known."""


WORKING: Final = "working"  # its sub-agent runs
VERIFYING: Final = "verifying"  # its claim is verified
WAITING: Final = "waiting"  # it failed, and is retried when its siblings have returned


class Times(msgspec.Struct, frozen=True):
    """See contract.records.Timestamps."""

    started: str | None = None
    completed: str | None = None
    failed: str | None = None
    duration_seconds: float | None = None
    last_updated: str | None = None


class Neighbours(msgspec.Struct, frozen=True):
    """See contract.records.Dependencies."""

    depends_on: tuple[str, ...] = ()
    parallel_with: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()


class Execution(msgspec.Struct, frozen=True):
    """See contract.records.Execution."""

    subagent_id: str | None = None
    subagent_model: str | None = None
    tasks_total: int | None = None
    tasks_completed: int | None = None


class Verification(msgspec.Struct, frozen=True):
    """See contract.records.Verification."""

    subagent_claimed: bool | None = None
    fresh_verification: bool | None = None
    verified_at: str | None = None


class CommitNote(msgspec.Struct, frozen=True):
    """The commit of a phase. ``lines`` are those that were modified, by the path of the file as it was given."""

    message: str = ""
    type: str | None = None
    scope: str | None = None
    files_created: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    files_deleted: tuple[str, ...] = ()
    committed: bool = False
    commit_sha: str | None = None
    lines: Mapping[str, tuple[Range, ...]] = {}


class Record(msgspec.Struct, frozen=True):
    """phase-<id>.json, see contract.records.PhaseRecord.

    ``stage`` is what a running phase waits for; ``batch`` the number of the batch, from 1, in which it was launched.
    """

    phase_id: str
    phase_name: str
    status: Status
    attempt: Annotated[int, msgspec.Meta(ge=0)]
    max_attempts: int
    timestamps: Times | None = None
    dependencies: Neighbours | None = None
    execution: Execution | None = None
    quality_gates: Mapping[str, Any] | None = None
    verification: Verification | None = None
    commit: CommitNote | None = None
    plan_updates: Any = None
    error: Mapping[str, Any] | None = None
    stage: str | None = None
    batch: int | None = None


class Totals(msgspec.Struct, frozen=True):
    """See contract.records.Totals."""

    total: int
    completed: int = 0
    failed: int = 0
    pending: int = 0


class Config(msgspec.Struct, frozen=True):
    """config.json, see contract.records.ConfigRecord; ``phase_ids`` are those of the plan, in its order."""

    version: str
    plan_path: str
    commit_mode: str
    started_at: str
    last_updated: str
    phases: Totals
    stack: Any = None
    commands: Mapping[str, str] | None = None
    phase_ids: tuple[str, ...] = ()


class Turn(msgspec.Struct, frozen=True):
    """run.json: which process changed this run last, and whether a start is on its way.

    ``number`` is one more with each process that takes over. ``clearing``: all that is there is being deleted;
    ``starting``: the records are being made. After either only a start goes on.
    """

    version: str = VERSION
    number: int = 0
    at: str = ""
    clearing: bool = False
    starting: bool = False


REQUIRED: Final = ("phase_id", "phase_name", "status", "attempt", "max_attempts")


def record_of(data: bytes, phase_id: str) -> Record:
    """The record of that phase; DamagedError when this is none (AB-COR-01)."""
    try:
        found = msgspec.json.decode(data.removeprefix(BYTE_ORDER_MARK), type=Record)
    except msgspec.ValidationError:
        found = _readable_part(data)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise DamagedError(f"no JSON: {error}") from error
    if found.phase_id != phase_id:
        raise DamagedError(f"it is the record of another phase, {found.phase_id[:80]!r}")
    return found


def _readable_part(data: bytes) -> Record:
    """The record without those of its optional fields that cannot be read."""
    try:
        fields = msgspec.json.decode(data.removeprefix(BYTE_ORDER_MARK), type=dict[str, Any])
        return msgspec.convert({name: fields[name] for name in REQUIRED}, Record)
    except KeyError as error:
        raise DamagedError(f"it has no {error}") from error
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise DamagedError(f"no valid record: {error}") from error


def config_of(data: bytes) -> Config:
    """config.json; DamagedError when this is none, NewerError when it is of a later version."""
    found: Config = _versioned(data, Config)
    return found


def turn_of(data: bytes) -> Turn:
    """run.json; DamagedError and NewerError as above."""
    found: Turn = _versioned(data, Turn)
    return found


class _Version(msgspec.Struct, frozen=True):
    version: str | int | float


def _versioned(data: bytes, type_: type[Any]) -> Any:
    plain_data = data.removeprefix(BYTE_ORDER_MARK)
    try:
        version = msgspec.json.decode(plain_data, type=_Version).version
        if version != VERSION:
            raise NewerError(f"version {str(version)[:80]} is not known, only {VERSION}")
        return msgspec.json.decode(plain_data, type=type_)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise DamagedError(f"no valid content: {error}") from error


def encoded(value: Any) -> bytes:
    """The value as JSON that can be read again."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(plain(msgspec.to_builtins(value)))


def plain(value: Any) -> Any:
    """The value with what no text in UTF-8 can hold (lone surrogates) written out."""
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, dict):
        return {writable(name): plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def writable(text: str) -> str:
    """The text with lone surrogates written out."""
    return text.encode("utf-8", "backslashreplace").decode()


@functools.lru_cache(maxsize=1)
def stamp(now_s: float) -> str:
    """The time in UTC, RFC 3339; beyond the years 1970 to 9999 their first or last second."""
    return clock.to_text(min(max(now_s, 0.0), LATEST_S))
