#!/usr/bin/env python3
"""Stop hook: checks the todo list before a session ends.

A session is blocked three times at most, counted in ~/.cache/blocks-on-parse-error.
"""
import hashlib
import json
import os
import select
import signal
import stat
import sys
import time

STATE = ".cache/blocks-on-parse-error"
LIMIT = 3
MAX_SIZE = 10 * 1024 * 1024


class Unverified(Exception):
    pass


def read_input():
    data, end = b"", time.monotonic() + 2
    while len(data) < MAX_SIZE and select.select([0], [], [], max(0, end - time.monotonic()))[0]:
        chunk = os.read(0, 65536)
        data += chunk
        try:
            return json.loads(data.decode("utf-8"), parse_int=float)
        except ValueError:
            if not chunk:
                break
    return {}


def read_file(path):
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_SIZE:
            raise OSError("not a transcript")
        return file.read()


def todo_lists(path):
    for number, line in enumerate(read_file(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line.decode("utf-8"), parse_int=float)
        except (ValueError, RecursionError):
            # The latest todo list may be in this line, so we cannot say that the work is done.
            raise Unverified(f"Line {number} of the transcript cannot be parsed, so open work cannot be ruled out.") from None
        body = entry.get("message") or entry.get("payload") or entry if isinstance(entry, dict) else None
        if isinstance(body, dict) and body.get("name") == "update_plan":
            yield codex_plan(body)
        if not isinstance(body, dict) or body.get("role") != "assistant":
            continue
        for part in body["content"] if isinstance(body.get("content"), list) else ():
            if isinstance(part, dict) and part.get("type") == "tool_use" and isinstance(part.get("input"), dict):
                todos = part["input"].get("todos")
                if isinstance(todos, list):
                    yield [t for t in todos if isinstance(t, dict)]


def codex_plan(call):
    try:
        return [step for step in json.loads(call["arguments"], parse_int=float)["plan"] if isinstance(step, dict)]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise Unverified("A plan cannot be parsed, so open work cannot be ruled out.") from None


def reason_to_go_on(path):
    try:
        todos = ([], *todo_lists(path))[-1]
    except Unverified as problem:
        return str(problem)
    left = sum(t.get("status") in ("pending", "in_progress") for t in todos)
    return f"{left} item(s) of your todo list are not completed." if left else None


def count_up(session):
    """Counts this block; raises when that is not possible."""
    home = os.environ["HOME"]
    folder = os.path.join(home, STATE)
    if not os.path.isdir(home) or not os.path.isabs(home) or os.path.islink(folder):
        raise OSError("no place for the counter")
    os.makedirs(folder, exist_ok=True)
    file = os.path.join(folder, hashlib.sha256(repr(session).encode()).hexdigest()[:24])
    count = int(read_file(file)) if os.path.lexists(file) else 0
    if not 0 <= count < LIMIT:
        return False
    with open(f"{file}.{os.getpid()}", "x") as new:
        new.write(str(count + 1))
    os.replace(new.name, file)
    return int(read_file(file)) > count


def main():
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.alarm(3)
    event = read_input()
    reason = reason_to_go_on(event.get("transcript_path") or event["transcriptPath"])
    if reason and count_up(event.get("session_id") or event.get("sessionId")) and sys.stdout:
        os.write(1, json.dumps({"decision": "block", "reason": reason}).encode())


try:
    main()
except Exception as error:
    if sys.stderr:
        print(f"todo_check: {error!r}", file=sys.stderr)
os._exit(0)
