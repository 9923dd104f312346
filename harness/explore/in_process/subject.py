"""What is explored in this process: an operation on a directory, and how its end is judged."""

import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple

from harness.explore.in_process.boundary import Boundary
from harness.explore.in_process.calls import Handler
from harness.explore.state_folder import settle
from harness.explore.writes import Files


class Ended(NamedTuple):
    """How an operation ended: with ``result``, with ``error``, or ``killed``."""

    result: Any = None
    error: Exception | None = None
    killed: bool = False


class Subject(NamedTuple):
    """``operate`` works below ``directory``, in which ``before`` stands; ``recover`` is what runs after a crash.

    ``judge`` looks at the directory after the operation and gives a complaint, or nothing when all is sound;
    ``survives`` does so after a crash and the recovery, told whether the operation had finished.
    """

    directory: str
    before: Files
    operate: Callable[[], object]
    judge: Callable[[Ended], str] = lambda _ended: ""
    recover: Callable[[], object] = lambda: None
    survives: Callable[[bool], str] = lambda _finished: ""


def ended(boundary: Boundary, subject: Subject, *handlers: Handler) -> Ended:
    """Runs the operation once, as a process of its own, on a fresh directory; it ends as it ends."""
    settle(subject.directory, subject.before)
    with contextlib.ExitStack() as stack:
        for handler in handlers:
            stack.enter_context(boundary.under(handler))
        return lived(boundary, subject.operate)


def lived(boundary: Boundary, function: Callable[[], object]) -> Ended:
    """``function`` as a process of its own: what it returned or raised, or that it was killed."""
    result, error = None, None
    with boundary.process() as life:
        try:
            result = function()
        except Exception as raised:  # noqa: BLE001 - whatever the code under test raises is how it ended
            error = raised
    return Ended(killed=True) if life.dead else Ended(result, error)
