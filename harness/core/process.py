"""One process call and its end, as values: what a system says to a process, and what a target saw of it."""

from collections.abc import Mapping

import msgspec


class Call(msgspec.Struct, frozen=True):
    """What a process is given. ``environment`` is added to the base environment of the sandbox."""

    stdin: bytes = b""
    keep_stdin_open: bool = False
    environment: Mapping[str, str] = msgspec.field(default_factory=dict)
    close_stdout: bool = False
    close_stderr: bool = False


class ProcessEnd(msgspec.Struct, frozen=True):
    """How a process ended: ``start_error`` is an errno name when it never began; ``children_left`` are names."""

    exit_code: int | None
    signal: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: bool = False
    flooded: bool = False
    children_left: tuple[str, ...] = ()
    start_error: str = ""
