#!/usr/bin/env python3
"""Moves a message on, or aside when that fails: none may be lost. Usage: program.py op|recover|check DIR"""

import os
import sys

MESSAGE = b"pay 7\n"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def store(directory, name, message):
    with open(f"{directory}/{name}", "wb") as file:
        file.write(message)
        file.flush()
        os.fsync(file.fileno())
    handle = os.open(directory, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def op(directory):
    message = read(f"{directory}/inbox")
    try:
        store(directory, "outbox", message)
    except OSError:
        store(directory, "spool", message)
    os.unlink(f"{directory}/inbox")


def recover(directory):
    for name in ("outbox", "spool"):
        if os.path.exists(f"{directory}/{name}") and read(f"{directory}/{name}") != MESSAGE:
            os.unlink(f"{directory}/{name}")


def check(directory):
    names = [name for name in ("inbox", "outbox", "spool") if os.path.exists(f"{directory}/{name}")]
    if MESSAGE not in [read(f"{directory}/{name}") for name in names]:
        print("The message is lost.")
        sys.exit(1)


if __name__ == "__main__":
    {"op": op, "recover": recover, "check": check}[sys.argv[1]](sys.argv[2])
