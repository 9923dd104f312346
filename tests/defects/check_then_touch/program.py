#!/usr/bin/env python3
"""Lets one worker, and no other, run a task. Usage: program.py op|recover|check DIR [WORKER]"""

import os
import sys


def op(directory, worker):
    if os.path.exists(f"{directory}/claim"):
        return
    with open(f"{directory}/claim", "wb"):
        pass
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
