"""Starting a Python module of ours by forking the agent, which has imported it. Used by the agent only.

A fresh interpreter takes ten times as long. The child is a process like any other: its own session, streams,
variables and limits, no capability, nothing of the agent's open. Only what has no fault around it is started so.
"""

import gc
import io
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Final, NoReturn

from harness.sandbox import filtered, privileges, wire

_FIRST_OTHER: Final = 3  # descriptor after the three streams
_LAST_OTHER: Final = 4096
_STAND_IN: Final = "harness.sandbox"  # see launch: in the agent's place of the package


class Warm:
    """The module that is kept imported, if any."""

    def __init__(self) -> None:
        self._main: Callable[[list[str]], object] | None = None

    def prepare(self, request: wire.Prepare) -> None:
        """Imports the module, and has it import what it will need for these words. ImportError as of that."""
        module = import_module(request.module)
        module.prepare(list(request.words))
        self._main = module.main
        gc.collect()
        gc.freeze()  # a collection in a child would copy every page

    def spawn(self, request: wire.Spawn, fds: list[int]) -> int:
        """Starts it with the words of ``request``; the process id."""
        pid = os.fork()
        if pid == 0:
            self._become(request, fds)
        return pid

    def _become(self, request: wire.Spawn, fds: list[int]) -> NoReturn:
        code = 1
        try:
            _stand_alone(request, fds)
            if request.filter:
                _be_supervised(request.filter)
            words = [os.fsdecode(word) for word in request.argv[request.warm_from :]]
            sys.argv = [os.fsdecode(request.argv[request.warm_from - 1]), *words]
            if self._main is None:
                raise RuntimeError("nothing was prepared")
            self._main(words)
            code = 0
        except SystemExit as end:
            code = _exit_code(end)
        except BaseException:  # noqa: BLE001 - what an interpreter does with it
            traceback.print_exc()
        finally:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            os._exit(code)


def _exit_code(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    sys.stderr.write(f"{end.code}\n")
    return 1


def _stand_alone(request: wire.Spawn, fds: list[int]) -> None:
    """Nothing of the agent's is left, as after exec."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    for each in filtered.CATCHABLE:
        signal.signal(each, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for each in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(each, signal.SIG_IGN)  # as an interpreter does
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    line = os.dup(fds[_FIRST_OTHER]) if request.filter else -1
    for n, fd in enumerate(fds[:_FIRST_OTHER]):
        os.dup2(fd, n)
    if request.filter:
        os.dup2(line, _FIRST_OTHER, inheritable=False)
    os.closerange(_FIRST_OTHER + bool(request.filter), _LAST_OTHER)
    privileges.leave()
    os.environb.clear()
    os.environb.update(request.env)
    sys.stdin, sys.stdout, sys.stderr = (_text(n, mode) for n, mode in ((0, "rb"), (1, "wb"), (2, "wb")))
    sys.modules.pop(_STAND_IN, None)


def _be_supervised(filter_: bytes) -> None:
    """Under that filter from here on; its listener goes to the harness through the descriptor after the streams."""
    program, code = filtered.program_of(filter_)
    with socket.socket(fileno=_FIRST_OTHER) as line:
        filtered.give_away(line, program)
    del code  # which the kernel read until then


def _text(fd: int, mode: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(os.fdopen(fd, mode, closefd=False), encoding="utf-8", write_through=True)
