#!/usr/bin/env python3
"""Makes a worker the leader when the lease has run out. Usage: program.py op|recover|check DIR [WORKER]"""

import os
import sys
import time

LASTING = "9999999999\n"  # until it is given up


def op(directory, worker):
    lease = f"{directory}/lease"
    if os.path.exists(lease):
        with open(lease, encoding="ascii") as file:
            ends = file.read()
        if int(ends or 0) > time.time():
            return
        os.unlink(lease)
    try:
        with open(lease, "x", encoding="ascii") as file:
            file.write(LASTING)
    except FileExistsError:
        return
    with open(f"{directory}/leads.{worker}", "wb"):
        pass


def recover(directory, _):
    leaders = [name for name in os.listdir(directory) if name.startswith("leads.")]
    if os.path.exists(f"{directory}/lease") and not leaders:
        os.unlink(f"{directory}/lease")


def check(directory, _):
    if {"leads.a", "leads.b"} <= set(os.listdir(directory)):
        print("Both workers lead.")
        sys.exit(1)


if __name__ == "__main__":
    verb, state, who = (*sys.argv[1:], "a")[:3]
    {"op": op, "recover": recover, "check": check}[verb](state, who)
