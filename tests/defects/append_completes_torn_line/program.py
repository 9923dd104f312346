#!/usr/bin/env python3
"""Keeps a log of one record a line. Usage: program.py op|recover|check DIR"""

import os
import sys


def append(directory, record):
    with open(f"{directory}/log", "ab+") as log:
        if log.tell() > 0:
            log.seek(-1, os.SEEK_END)
            if log.read(1) != b"\n":
                record = b"\n" + record
        log.write(record + b"\n")
        log.flush()
        os.fsync(log.fileno())


def op(directory):
    append(directory, b"second")


def recover(directory):
    append(directory, b"recovered")


def fail(sentence):
    print(sentence)
    sys.exit(1)


def check(directory):
    with open(f"{directory}/log", "rb") as file:
        lines = file.read().split(b"\n")
    if lines[0] != b"first":
        fail("The first record is lost.")
    for line in lines:
        for record in (b"second", b"recovered"):
            if line.endswith(record) and line != record:
                fail(f"The record {record.decode()} is lost in a torn line.")


if __name__ == "__main__":
    {"op": op, "recover": recover, "check": check}[sys.argv[1]](sys.argv[2])
