#!/usr/bin/env python3
"""Enters a worker's pending line in a shared ledger. Usage: program.py op|recover|check DIR [WORKER]"""

import os
import sys


def read(path):
    with open(path, "rb") as file:
        return file.read()


def save(path, data, temporary):
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.rename(temporary, path)
    handle = os.open(os.path.dirname(path), os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def op(directory, worker):
    line = read(f"{directory}/pending.{worker}")
    ledger = read(f"{directory}/ledger")
    save(f"{directory}/ledger", ledger + line, f"{directory}/ledger.{worker}")
    os.unlink(f"{directory}/pending.{worker}")


def recover(directory, _):
    for worker in ("a", "b"):
        if os.path.exists(f"{directory}/ledger.{worker}"):
            os.unlink(f"{directory}/ledger.{worker}")


def fail(sentence):
    print(sentence)
    sys.exit(1)


def check(directory, _):
    lines = read(f"{directory}/ledger").split(b"\n")
    if lines[0] != b"start" or not set(lines) <= {b"start", b"a", b"b", b""}:
        fail("The ledger is damaged.")
    for worker in ("a", "b"):
        if worker.encode() not in lines and not os.path.exists(f"{directory}/pending.{worker}"):
            fail(f"The line of worker {worker} is neither pending nor in the ledger.")


if __name__ == "__main__":
    verb, state, who = (*sys.argv[1:], "a")[:3]
    {"op": op, "recover": recover, "check": check}[verb](state, who)
