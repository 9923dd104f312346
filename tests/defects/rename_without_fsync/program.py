#!/usr/bin/env python3
"""Puts a pending configuration in force. Usage: program.py op|recover|check DIR"""

import os
import sys

OLD, NEW = b"limit 10\n", b"limit 20\n"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def install(directory, wanted):
    temporary = f"{directory}/config.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(wanted)
        os.rename(temporary, f"{directory}/config")
    except OSError:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    handle = os.open(directory, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def op(directory):
    install(directory, read(f"{directory}/pending"))
    os.unlink(f"{directory}/pending")


def recover(directory):
    if os.path.exists(f"{directory}/config.tmp"):
        os.unlink(f"{directory}/config.tmp")


def fail(sentence):
    print(sentence)
    sys.exit(1)


def check(directory):
    config = read(f"{directory}/config") if os.path.exists(f"{directory}/config") else b""
    if config not in (OLD, NEW):
        fail("The configuration is neither the old one nor the new one.")
    if config == OLD and not os.path.exists(f"{directory}/pending"):
        fail("The pending configuration is gone, and not in force.")


if __name__ == "__main__":
    {"op": op, "recover": recover, "check": check}[sys.argv[1]](sys.argv[2])
