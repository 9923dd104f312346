#!/usr/bin/env python3
"""Stop hook: a session that wants to end with open todo items is asked once to look at them again.

A guard must never be the reason why somebody cannot stop: whatever goes wrong ends in
"approve" (no output, exit 0). Each time a session is held, one byte is added to its tally.
"""
import fcntl
import hashlib
import json
import os
import select
import signal
import stat
import sys
import time

MAX_BLOCKS = 1
MAX_BYTES = 10 * 1024 * 1024
MAX_BAD_LINES = 10


def warn(text):
    if sys.stderr is not None:  # print() would fall back to stdout when stderr is closed
        os.write(2, f"todo-guard: {text}\n".encode("utf-8", "replace"))


def refuse(name):
    raise ValueError(f"{name} is not JSON")


def parse(data):
    # float, because int() refuses numbers of thousands of digits
    return json.loads(data.decode("utf-8-sig"), parse_int=float, parse_constant=refuse)


def read_event():
    """One JSON object from stdin. The host may keep stdin open, so stop at the closing brace."""
    data, deadline = b"", time.monotonic() + 2
    while len(data) < MAX_BYTES and select.select([0], [], [], max(0, deadline - time.monotonic()))[0]:
        chunk = os.read(0, 65536)
        data += chunk
        try:
            if not chunk or data.rstrip().endswith(b"}"):
                return parse(data)
        except ValueError:
            if not chunk:
                raise
    raise ValueError("no complete JSON object on stdin")


def read_regular(path, limit):
    """Never waits: a FIFO opens at once with O_NONBLOCK and is then refused."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"not a regular file: {path!r}")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(f"too large: {path!r}")
    return data


def tool_inputs(entry):
    if isinstance(entry.get("toolCalls"), list):  # Gemini CLI
        return [call.get("args") for call in entry["toolCalls"]]
    body = entry.get("message") or entry.get("payload") or entry  # Claude Code, Codex, flat
    if body.get("type") == "function_call":
        return [parse(body["arguments"].encode())]
    if body.get("role") == "model" and isinstance(body.get("parts"), list):  # Qwen Code
        return [part["functionCall"].get("args") for part in body["parts"] if "functionCall" in part]
    if body.get("role") != "assistant" or not isinstance(body.get("content"), list):
        return []
    return [p.get("input") for p in body["content"] if isinstance(p, dict) and p.get("type") == "tool_use"]


def todo_lists(entry):
    found = [i.get("todos", i.get("plan")) for i in tool_inputs(entry) if isinstance(i, dict)]  # a plan: Codex
    return [each for each in found if isinstance(each, list)]


def open_items(transcript):
    todos, bad = [], 0
    for number, line in enumerate(transcript.split(b"\n"), 1):
        try:
            entry = parse(line) if line.strip() else None
        except (ValueError, RecursionError):
            bad += 1
            if bad > MAX_BAD_LINES:
                raise ValueError("too many unreadable lines in the transcript") from None
            warn(f"line {number} is not JSON, skipped")
            continue
        try:
            found = todo_lists(entry)
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
            continue  # JSON, but no message
        todos = found[-1] if found else todos
    return [t for t in todos if isinstance(t, dict) and t.get("status") in ("pending", "in_progress")]


def times_held(tally):
    try:
        return os.stat(tally).st_size
    except FileNotFoundError:
        return 0


def add_to(tally, held):
    handle = os.open(tally, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    os.write(handle, b"x")
    os.close(handle)
    text = read_regular(tally, 64)
    if text.strip(b"x") or len(text) <= held:
        raise OSError("the tally is damaged, or did not rise")


def main():
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))  # a full pipe, a slow disk: let the session end
    signal.alarm(3)
    event = read_event()
    transcript = event.get("transcript_path", event.get("transcriptPath"))
    session = event.get("session_id", event.get("sessionId")) or transcript
    active = event.get("stop_hook_active", event.get("stopHookActive"))

    home = os.environ["HOME"]
    folder = os.path.join(home, ".cache", "racing-python")
    if not os.path.isabs(home) or not os.path.isdir(home) or os.path.islink(folder):
        raise OSError("no place for the tally")
    os.makedirs(folder, exist_ok=True)
    key = hashlib.sha256(str(session).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    tally = os.path.join(folder, key)
    items = open_items(read_regular(transcript, MAX_BYTES))
    names = "; ".join(str(t.get("content") or t.get("step") or t.get("description"))[:80] for t in items[:3])
    reason = f"{len(items)} open todo item(s): {''.join(c for c in names if c.isprintable())}. Finish or remove them."

    lock = os.open(f"{tally}.lock", os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    held = times_held(tally)
    if not items or held == MAX_BLOCKS or (active and not held):  # active, yet not counted: the count was lost
        if held:
            os.unlink(tally)
        return
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # another stop of this session holds it just now: no need to
    add_to(tally, held)  # nothing is held that has not been counted first
    if sys.stdout is not None:
        os.write(1, json.dumps({"decision": "block", "reason": reason}).encode() + b"\n")


if __name__ == "__main__":
    try:
        main()
    except BaseException as error:
        try:
            warn(f"stop approved: {error!r}")
        except BaseException:
            pass
    os._exit(0)  # no flush at exit, which would turn a broken pipe into exit code 120
