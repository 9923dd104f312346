"""A program that puts itself under a filter as kernels before Linux 5.19 do: a signal makes a notified call come twice.

Its arguments: the descriptor to send the listener through, and the filter, as hexadecimal digits.
"""

import array
import ctypes
import os
import signal
import socket
import struct
import sys

FILTER_MODE, NEW_LISTENER, NUMBER = 1, 8, {"x86_64": 317, "aarch64": 277}[os.uname().machine]


class Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


code = bytes.fromhex(sys.argv[2])
buffer = ctypes.create_string_buffer(code, len(code))
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
program = Program(len(code) // 8, ctypes.addressof(buffer))
listener = libc.syscall(NUMBER, FILTER_MODE, NEW_LISTENER, ctypes.byref(program))
assert listener >= 0, os.strerror(ctypes.get_errno())
caught = []
signal.signal(signal.SIGUSR1, lambda number, frame: caught.append(number))
signal.siginterrupt(signal.SIGUSR1, False)
with socket.socket(fileno=int(sys.argv[1])) as line:
    line.sendmsg([struct.pack("i", 0)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))])
os.mkdir("made")
print(len(caught))
