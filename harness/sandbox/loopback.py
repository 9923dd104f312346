"""The loopback interface of a network namespace of our own, which begins its life down."""

import fcntl
import socket
import struct
from contextlib import suppress
from typing import Final

_GET_FLAGS: Final = 0x8913  # SIOCGIFFLAGS
_SET_FLAGS: Final = 0x8914
_UP: Final = 0x1
_REQUEST: Final = struct.Struct("16sh14x")  # struct ifreq, of which the flags are used
_NAME: Final = b"lo"


def bring_up() -> None:
    """Have 127.0.0.1 work; where it does already, as with the machine's own network, nothing is changed."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as asking:
        answer = fcntl.ioctl(asking, _GET_FLAGS, _REQUEST.pack(_NAME, 0))
        _, flags = _REQUEST.unpack(answer)
        if not flags & _UP:
            fcntl.ioctl(asking, _SET_FLAGS, _REQUEST.pack(_NAME, flags | _UP))
