"""The words the harness and the agent inside a sandbox exchange: length-prefixed msgpack over one socket pair.

Requests are answered in order by one reply each, except ``Spawn``, which is answered by an ``Exited`` notice whenever
the process has ended, and ``Signal`` and ``Kill``, which are about one. Imported by the agent, so it stays small: every
import here is paid at each sandbox's start.
"""

import array
import socket
import struct
from collections.abc import Sequence
from typing import Final

import msgspec

from harness.core.history import FileFact, InputFact

_LENGTH: Final = struct.Struct("!I")
_CHUNK: Final = 1 << 16  # one read; what a socket buffer usually holds
_RIGHTS_BYTES: Final = socket.CMSG_SPACE(4 * 4)  # three streams of a process, and the way of its listener


class Message(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Base of everything that crosses the socket."""


class Write(Message, frozen=True, tag=True):
    """Put a regular file holding ``data`` at ``path``; ``mtime_s`` (seconds since the epoch) is now when None."""

    path: str
    data: bytes
    mode: int = 0o644
    mtime_s: float | None = None


class MakeDirectory(Message, frozen=True, tag=True):
    """Have a directory at ``path``; one that is there keeps its contents and gets ``mode``."""

    path: str
    mode: int = 0o755


class MakeFifo(Message, frozen=True, tag=True):
    """Put a FIFO at ``path``."""

    path: str


class Symlink(Message, frozen=True, tag=True):
    """Put a symbolic link at ``path``; ``target`` may hold placeholders too."""

    path: str
    target: str


class Remove(Message, frozen=True, tag=True):
    """Remove whatever is at ``path``, a tree too; nothing there is no error. A root itself is emptied."""

    path: str


class SetTime(Message, frozen=True, tag=True):
    """Set the modification time of ``path``, in seconds since the epoch; links are not followed."""

    path: str
    mtime_s: float


class Chmod(Message, frozen=True, tag=True):
    """Set the permission bits of ``path``."""

    path: str
    mode: int


Action = Write | MakeDirectory | MakeFifo | Symlink | Remove | SetTime | Chmod


class Setup(Message, frozen=True, tag=True):
    """First request: build the world. Paths are absolute; pairs are (source outside, target inside).

    ``plain_base`` is the private directory that holds all roots when there are no namespaces, "" otherwise.
    """

    home: str
    project: str
    tmp: str
    outside: str
    tools: str
    project_source: str
    prefer_copy: bool
    exposed: tuple[tuple[str, str], ...]
    writable_bytes: int
    plain_base: str


class Fresh(Message, frozen=True, tag=True):
    """Kill everything, unmount every fault, and bring all roots back to their beginning."""

    keep_processes: bool = False


class Apply(Message, frozen=True, tag=True):
    """Do the actions in order; the first that fails ends the batch."""

    actions: tuple[Action, ...]


class Read(Message, frozen=True, tag=True):
    """What a program would find at each of ``paths``; the data only of files of at most ``limit`` bytes."""

    paths: tuple[str, ...]
    limit: int


class Watch(Message, frozen=True, tag=True):
    """Look at ``path`` until it has been seen in two states, or for ``timeout_s``."""

    path: str
    timeout_s: float


class Look(Message, frozen=True, tag=True):
    """Everything in the writable roots, and as ``Read`` of ``paths``."""

    paths: tuple[str, ...]
    limit: int


class WatchRoots(Message, frozen=True, tag=True):
    """Watch the roots and the project for new entries; a descriptor travels with the answer. See emptiness."""


class LimitSpace(Message, frozen=True, tag=True):
    """Mount a small tmpfs over ``path`` and fill it; see Sandbox.limit_space."""

    path: str
    size_bytes: int
    free_bytes: int
    inodes: int | None


class Cover(Message, frozen=True, tag=True):
    """Mount over the file ``path``: /dev/full when ``full``, otherwise the file itself."""

    path: str
    full: bool


class ReadOnly(Message, frozen=True, tag=True):
    """Make ``path`` a read-only mount."""

    path: str


class Lift(Message, frozen=True, tag=True):
    """Take every fault back, last first."""


class Spawn(Message, frozen=True, tag=True):
    """Start a process; its stdin, stdout and stderr travel with the first bytes of this message.

    ``search`` is the PATH in which the command is looked up. ``closed`` and ``full`` are descriptors to start it
    without, or with /dev/full. For ``limits``, ``deleted_cwd`` and ``umask`` see Surroundings. With a ``filter`` a
    fourth descriptor travels too: the socket through which the child sends its listener. With ``warm_from`` it is the
    module that was prepared, and its words begin there in ``argv``.
    """

    run: int
    argv: tuple[bytes, ...]
    env: dict[bytes, bytes]
    cwd: bytes
    search: bytes
    closed: tuple[int, ...] = ()
    full: tuple[int, ...] = ()
    limits: dict[str, int] = {}
    deleted_cwd: bool = False
    umask: int | None = None
    filter: bytes = b""
    warm_from: int = 0


class Prepare(Message, frozen=True, tag=True):
    """Keep ``module`` imported, with what it needs for ``words``, so that it can be started by a fork."""

    module: str
    words: tuple[str, ...]


class Signal(Message, frozen=True, tag=True):
    """Send ``number`` to the main process of ``run``, if it is alive, or to its ``group``. Not answered."""

    run: int
    number: int
    group: bool = False


class Meddle(Message, frozen=True, tag=True):
    """Start something that goes on beside all runs; see Sandbox.meddle. Answered when it has begun."""

    argv: tuple[bytes, ...]
    env: dict[bytes, bytes]


class Kill(Message, frozen=True, tag=True):
    """Kill everything that ``run`` started; its ``Exited`` follows. Not answered otherwise."""

    run: int


class KillAll(Message, frozen=True, tag=True):
    """Kill everything in the sandbox; answered by the names of what was alive."""


Request = (
    Setup | Prepare | Fresh | Apply | Read | Watch | Look | WatchRoots | LimitSpace | Cover | ReadOnly | Lift
    | Spawn | Signal | Meddle | Kill | KillAll
)  # fmt: skip


class Ready(Message, frozen=True, tag=True):
    """The world stands. ``overlay``: the project is one; ``missing``: a sentence for each thing not contained."""

    overlay: bool
    missing: tuple[str, ...]


class Done(Message, frozen=True, tag=True):
    """The request was carried out. ``text`` and ``names`` hold its result, where it has one."""

    text: str = ""
    names: tuple[str, ...] = ()


class Found(Message, frozen=True, tag=True):
    """The answer to ``Read``."""

    facts: tuple[InputFact, ...]


class Seen(Message, frozen=True, tag=True):
    """The answer to ``Look``."""

    files: dict[str, FileFact]
    facts: tuple[InputFact, ...]


class Failed(Message, frozen=True, tag=True):
    """The request failed; ``machine`` when this machine refused it, otherwise it is a defect of ours."""

    message: str
    machine: bool


class Exited(Message, frozen=True, tag=True):
    """A run is over. ``children_left`` are names of processes that outlived it; they have been killed."""

    run: int
    exit_code: int | None
    signal: int | None
    children_left: tuple[str, ...]
    duration_s: float
    start_error: str
    signals: tuple[int, ...] = ()


Reply = Ready | Done | Found | Seen | Failed | Exited


_ENCODER = msgspec.msgpack.Encoder()
_REQUESTS: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_REPLIES: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def as_request(payload: bytes) -> Request:
    """The request in ``payload``; msgspec.DecodeError when it is none."""
    return _REQUESTS.decode(payload)


def as_reply(payload: bytes) -> Reply:
    """The reply in ``payload``; msgspec.DecodeError when it is none."""
    return _REPLIES.decode(payload)


class Stream:
    """One end of the socket pair. Every method may raise OSError; ``receive`` raises EOFError when the peer is gone."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._data = bytearray()
        self.descriptors: list[int] = []

    def fileno(self) -> int:
        """For poll."""
        return self._end.fileno()

    def close(self) -> None:
        """Close this end; the peer sees it at once."""
        self._end.close()

    def shutdown(self) -> None:
        """End the conversation, from any thread: whoever waits on either end meets EOFError."""
        self._end.shutdown(socket.SHUT_RDWR)

    def send(self, message: Request | Reply, fds: Sequence[int] = ()) -> None:
        """Send one message, with descriptors if any."""
        payload = _ENCODER.encode(message)
        data = _LENGTH.pack(len(payload)) + payload
        if not fds:
            self._end.sendall(data)
            return
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))
        sent = self._end.sendmsg([data], [rights])
        if sent < len(data):
            self._end.sendall(data[sent:])

    def buffered(self) -> bool:
        """Whether a whole message has arrived already, so that ``receive`` will not touch the socket."""
        size = len(self._data)
        return size >= _LENGTH.size and size >= _LENGTH.size + int.from_bytes(self._data[: _LENGTH.size], "big")

    def receive(self) -> bytes:
        """The payload of the next message; blocks until it is whole."""
        while not self.buffered():
            # CLOEXEC from the start: a descriptor that leaks into another child would keep its pipe open.
            # Not socket.recv_fds, which drops the flag.
            data, rights, _, _ = self._end.recvmsg(_CHUNK, _RIGHTS_BYTES, socket.MSG_CMSG_CLOEXEC)
            for _, _, packed in rights:
                self.descriptors.extend(array.array("i", packed))
            if not data:
                raise EOFError
            self._data += data
        end = _LENGTH.size + int.from_bytes(self._data[: _LENGTH.size], "big")
        payload = bytes(self._data[_LENGTH.size : end])
        del self._data[:end]
        return payload
