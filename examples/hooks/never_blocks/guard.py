#!/usr/bin/env python3
"""Stop hook: open todo items keep the session going.

2.0: one helper, tool_calls(), now serves both this guard and our PreToolUse guard.
"""
import hashlib
import json
import os
import select
import signal
import stat
import sys
import time

CACHE = ".cache/never-blocks"
MAX_BLOCKS = 3
MAX_SIZE = 10 * 1024 * 1024
OPEN = ("pending", "in_progress")


def read_event():
    data, end = b"", time.monotonic() + 2
    while len(data) < MAX_SIZE and select.select([0], [], [], max(0, end - time.monotonic()))[0]:
        chunk = os.read(0, 65536)
        data += chunk
        if not chunk or data.rstrip().endswith(b"}"):
            break
    return json.loads(data.decode("utf-8"), parse_int=float)


def read_file(path):
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_SIZE:
            raise OSError("not a file we can read")
        return file.read()


def entries(path):
    for line in read_file(path).splitlines():
        try:
            entry = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            yield entry.get("message") or entry.get("payload") or entry


def tool_calls(entry):
    """Name and input of every tool call."""
    if isinstance(entry, dict) and entry.get("type") == "function_call":  # Codex
        yield entry.get("tool_name"), entry.get("tool_input") or {}
    content = entry.get("content") if isinstance(entry, dict) else None
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == "tool_use":
            yield part.get("tool_name"), part.get("tool_input") or {}


def open_items(path):
    todos = []
    for entry in entries(path):
        for _name, arguments in tool_calls(entry):
            todos = next((arguments[key] for key in ("todos", "plan") if isinstance(arguments.get(key), list)), todos)
    return [t for t in todos if isinstance(t, dict) and t.get("status") in OPEN]


def count_block(session):
    home = os.environ["HOME"]
    if not os.path.isabs(home) or not os.path.isdir(home):
        return False
    folder = os.path.join(home, CACHE)
    os.makedirs(folder, exist_ok=True)
    state = os.path.join(folder, hashlib.sha256(repr(session).encode()).hexdigest()[:24])
    count = int(read_file(state)) if os.path.lexists(state) else 0
    if not 0 <= count < MAX_BLOCKS:
        os.unlink(state)
        return False
    with open(f"{state}.{os.getpid()}", "x") as new:
        new.write(str(count + 1))
    os.replace(new.name, state)
    return int(read_file(state)) > count


def main():
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.alarm(3)
    event = read_event()
    items = open_items(event.get("transcript_path") or event.get("transcriptPath"))
    if items and count_block(event.get("session_id") or event.get("sessionId")) and sys.stdout:
        os.write(1, json.dumps({"decision": "block", "reason": f"{len(items)} todo item(s) are open."}).encode())


try:
    main()
except Exception as error:
    if sys.stderr:
        print(f"guard: {error!r}", file=sys.stderr)
os._exit(0)
