"""Starting a program under a seccomp filter whose listener goes to the harness. Used by the agent only.

posix_spawn cannot install a filter, so this forks; the agent has one thread, and between fork and exec nothing is
imported and nothing of Python's is shared. From the filter to exec no call is made that could be notified: this process
cannot be looked into as long as it is the agent's copy.
"""

import array
import ctypes
import errno
import os
import signal
import socket
import struct
from contextlib import suppress
from typing import Final, NoReturn

from harness.sandbox import wire

_PR_SET_NO_NEW_PRIVS: Final = 38
_SET_MODE_FILTER: Final = 1
_NEW_LISTENER: Final = 8
_WAIT_KILLABLE: Final = 32  # a signal that is no death does not make a notified call come twice (Linux 5.19)
_CALLS: Final = {"x86_64": 317, "aarch64": 277, "riscv64": 277}  # seccomp(2)
_INSTRUCTION_BYTES: Final = 8
CATCHABLE: Final = tuple(set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
_WORD: Final = struct.Struct("i")  # an error number; to the harness 0 with the listener

_libc: Final = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def spawn(path: bytes, request: wire.Spawn, fds: list[int]) -> int:
    """Start ``path`` with the descriptors of ``request``; its process id. OSError when it cannot be started."""
    program, code = program_of(request.filter)
    told, tell = socket.socketpair()  # a pipe would be written to by a call that may be notified
    with told:
        with tell, socket.socket(fileno=os.dup(fds[3])) as line:
            pid = os.fork()
            if pid == 0:
                _become(path, request, fds, program, line, tell)
        report = told.recv(_WORD.size)  # ends when exec closes the other side
    del code
    if report:
        os.waitpid(pid, 0)
        (number,) = _WORD.unpack(report)
        raise OSError(number, os.strerror(number))
    return pid


def program_of(filter_: bytes) -> tuple[_Program, object]:
    """The filter as the kernel takes it, and the bytes it points to, to be kept as long."""
    code = ctypes.create_string_buffer(filter_, len(filter_))
    return _Program(len(filter_) // _INSTRUCTION_BYTES, ctypes.addressof(code)), code


def _become(
    path: bytes, request: wire.Spawn, fds: list[int], program: _Program, line: socket.socket, tell: socket.socket
) -> NoReturn:
    number = errno.EINVAL
    try:
        os.setsid()
        for each in CATCHABLE:
            signal.signal(each, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for n, fd in enumerate(fds[:3]):
            if n in request.full:
                fd = os.open("/dev/full", os.O_WRONLY if n else os.O_RDONLY)
            os.dup2(fd, n)
        for n in request.closed:
            with suppress(OSError):
                os.close(n)
        give_away(line, program)
        os.execve(path, request.argv, request.env)  # noqa: S606  # the command under test, as it was given
    except OSError as error:
        number = error.errno or number
    finally:
        tell.send(_WORD.pack(number))
        os._exit(127)


def give_away(line: socket.socket, program: _Program) -> None:
    """Install the filter and send its listener, which exec closes here; OSError, told there too, when refused."""
    try:
        listener = _install(program)
    except OSError as error:
        with suppress(OSError):  # whoever listened may have heard it from an earlier start, and gone
            line.send(_WORD.pack(error.errno or errno.EINVAL), socket.MSG_NOSIGNAL)
        raise
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))
    line.sendmsg([_WORD.pack(0)], [rights], socket.MSG_NOSIGNAL)  # SIGPIPE would look like a program's own end


def _install(program: _Program) -> int:
    """The listener of the filter, installed for this process and all it will start."""
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    call = _CALLS.get(os.uname().machine)
    if call is None:
        raise OSError(errno.ENOSYS, "no seccomp here")
    for flags in (_NEW_LISTENER | _WAIT_KILLABLE, _NEW_LISTENER):
        listener: int = _libc.syscall(call, _SET_MODE_FILTER, flags, ctypes.byref(program))
        if listener >= 0:
            return listener
        if ctypes.get_errno() != errno.EINVAL:
            break
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number))
