#!/usr/bin/env python3
"""Lets one worker, and no other, run a task. Usage: program.py op|recover|check DIR [WORKER]"""

import os
import sys


def op(directory, worker):
    try:
        os.close(os.open(f"{directory}/claim", os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    with open(f"{directory}/ran.{worker}", "wb"):
        pass


def recover(directory, _):
    ran = [name for name in os.listdir(directory) if name.startswith("ran.")]
    if os.path.exists(f"{directory}/claim") and not ran:
        os.unlink(f"{directory}/claim")


def check(directory, _):
    if {"ran.a", "ran.b"} <= set(os.listdir(directory)):
        print("Both workers ran the task.")
        sys.exit(1)


if __name__ == "__main__":
    verb, state, who = (*sys.argv[1:], "a")[:3]
    {"op": op, "recover": recover, "check": check}[verb](state, who)
