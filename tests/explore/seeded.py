"""Small programs with one known defect each, and their correct twins, as functions of a directory."""

import contextlib
import fcntl
import json
import os
import time

OLD, NEW = 7, 8


def load(directory):
    """The counter, which is what a recovery reads; whatever it cannot read it raises."""
    with open(f"{directory}/s.json", "rb") as file:
        return json.load(file)["n"]


def counted(directory):
    return json.dumps({"n": load(directory) + 1})


def sync_directory(directory):
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(directory, text, sync=True):
    with open(f"{directory}/s.tmp", "w", encoding="utf-8") as file:
        file.write(text)
        if sync:
            file.flush()
            os.fsync(file.fileno())


def atomic(directory):
    write_whole(directory, counted(directory))
    os.replace(f"{directory}/s.tmp", f"{directory}/s.json")
    sync_directory(directory)


def truncates_in_place(directory):
    text = counted(directory)
    with open(f"{directory}/s.json", "w", encoding="utf-8") as file:
        file.write(text)


def renames_without_sync(directory):
    write_whole(directory, counted(directory), sync=False)
    os.replace(f"{directory}/s.tmp", f"{directory}/s.json")
    sync_directory(directory)


def forgets_the_directory(directory):
    write_whole(directory, counted(directory))
    os.replace(f"{directory}/s.tmp", f"{directory}/s.json")


def removes_before_it_renames(directory):
    write_whole(directory, counted(directory))
    os.unlink(f"{directory}/s.json")
    os.rename(f"{directory}/s.tmp", f"{directory}/s.json")
    sync_directory(directory)


def reports(directory):
    """Failure is an answer, never an exception."""
    try:
        atomic(directory)
    except OSError as error:
        return f"not counted: {error.strerror}"
    return "counted"


def excepts_too_little(directory):
    try:
        atomic(directory)
    except PermissionError as error:
        return f"not counted: {error.strerror}"
    return "counted"


def swallows(directory):
    with contextlib.suppress(OSError):
        atomic(directory)
    return "counted"


# a log of JSON lines


def records(directory):
    """Every whole record of the log; a torn last line is no record."""
    with open(f"{directory}/log", "rb") as file:
        lines = file.read().split(b"\n")
    found = []
    for line in lines:
        with contextlib.suppress(ValueError):
            found.append(json.loads(line))
    return found


def append(directory, record):
    with open(f"{directory}/log", "ab") as file:
        file.write(json.dumps(record).encode() + b"\n")


def complete_and_append(directory, record):
    with open(f"{directory}/log", "a+b") as file:
        file.seek(0, os.SEEK_END)
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(json.dumps(record).encode() + b"\n")


# two at once


def check_then_touch(directory):
    if os.path.exists(f"{directory}/semaphore"):
        return "taken"
    with open(f"{directory}/semaphore", "w", encoding="utf-8"):
        return "got"


def create_exclusively(directory):
    try:
        os.close(os.open(f"{directory}/semaphore", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return "taken"
    return "got"


def increment(directory, name):
    with open(f"{directory}/count", encoding="utf-8") as file:
        value = int(file.read())
    with open(f"{directory}/count.{name}", "w", encoding="utf-8") as file:
        file.write(str(value + 1))
    os.replace(f"{directory}/count.{name}", f"{directory}/count")


def increment_under_flock(directory, name):
    with open(f"{directory}/lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        increment(directory, name)


def increment_under_exclusive_file(directory, name):
    while True:
        try:
            os.close(os.open(f"{directory}/lock", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            time.sleep(0.01)
    increment(directory, name)
    os.unlink(f"{directory}/lock")


def take_stale_lock(directory, name):
    """Removes a lock whose holder is gone; between the look and the removal another may have taken it."""
    try:
        with open(f"{directory}/lock", encoding="utf-8") as file:
            stale = file.read() == "dead"
    except FileNotFoundError:
        stale = False
    if stale:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{directory}/lock")
    try:
        descriptor = os.open(f"{directory}/lock", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except FileExistsError:
        return "taken"
    os.write(descriptor, name.encode())
    os.close(descriptor)
    return "got"


def take_lock_by_flock(directory, name):
    """The kernel forgets the dead: nothing is ever stale."""
    file = open(f"{directory}/lock", "w", encoding="utf-8")  # noqa: SIM115 - it is held until the process ends
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return "taken"
    return file


def lock_two(directory, first, second):
    with open(f"{directory}/{first}", "w", encoding="utf-8") as one:
        fcntl.flock(one, fcntl.LOCK_EX)
        with open(f"{directory}/{second}", "w", encoding="utf-8") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
