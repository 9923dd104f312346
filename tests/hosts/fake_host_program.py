"""An agent CLI as small as can be: it asks the scripted model, calls its Stop hooks, and goes on after a block.

What it does wrong is said in its settings, ``does``. Run as a program; the standard library only.
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

HOME = Path(os.environ["HOME"])
SETTINGS = json.loads((HOME / "settings.json").read_text())
DOES = set(SETTINGS["does"])
TRANSCRIPT = HOME / "transcript.jsonl"
EPHEMERAL = "--no-transcript" in sys.argv
ATTEMPTS = 3


def ask(messages):
    """The content of the model's next answer; what goes wrong is tried again."""
    where = urllib.parse.urlsplit(SETTINGS["model"])
    body = json.dumps({"model": "fake", "messages": messages, "tools": [{"name": "any"}]})
    for attempt in range(ATTEMPTS):
        connection = http.client.HTTPConnection(where.hostname, where.port)
        try:
            connection.request("POST", "/v1/messages", body, {"content-type": "application/json"})
            answer = json.loads(connection.getresponse().read())
            return answer["content"]
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            if attempt + 1 == ATTEMPTS:
                raise
        finally:
            connection.close()
    return None


def begin(hook, given):
    """A running hook and the files it writes to."""
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 - read when the hook has ended
    words = ["sh", "-c", hook["command"]]
    running = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=out, stderr=err, start_new_session=True)
    running.stdin.write(json.dumps(given).encode())
    running.stdin.flush()
    if "keeps standard input open" not in DOES:
        running.stdin.close()
    return running, out, err


def ended(running, out, err, timeout_s):
    """Why the session has to go on, or None."""
    try:
        code = running.wait(timeout_s)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        return None
    out.seek(0)
    err.seek(0)
    if code == 2:
        return err.read().decode() or "go on"
    try:
        said = json.loads(out.read())
    except ValueError:
        return None
    blocks = code == 0 and isinstance(said, dict) and said.get("decision") == "block" and said.get("continue", True)
    return said.get("reason", "go on") if blocks else None


def stop(text, active):
    """The reasons of all hooks that block."""
    given = {
        "session_id": "fake-session",
        "transcript_path": None if EPHEMERAL else str(TRANSCRIPT),
        "cwd": os.getcwd(),
        "hook_event_name": "Stop",
        "stop_hook_active": active,
        "last_assistant_message": text,
    }
    hooks = SETTINGS["hooks"]
    running = [(begin(hook, given), hook["timeout"]) for hook in hooks]
    reasons = [ended(*each, timeout_s) for each, timeout_s in running]
    return [reason for reason in reasons if reason]


def keep(role, content):
    """A line of the transcript, unless there is none."""
    if not EPHEMERAL:
        with TRANSCRIPT.open("a") as file:
            file.write(json.dumps({"type": role, "message": {"role": role, "content": content}}) + "\n")
    return {"role": role, "content": content}


def main():
    """One session."""
    if "fails at the start" in DOES:
        sys.exit("fake-host: there is no licence")
    if "leaves a child" in DOES:
        subprocess.Popen(["sleep", "300"], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    messages = [keep("user", sys.argv[1])]
    blocks = 0
    while True:
        content = ask(messages)
        messages.append(keep("assistant", content))
        calls = [part["id"] for part in content if part["type"] == "tool_use"]
        if calls:
            messages.append(
                keep("user", [{"type": "tool_result", "tool_use_id": call, "content": "done"} for call in calls])
            )
            continue
        if "hangs" in DOES:
            signal.pause()
        if "calls no hook" in DOES:
            return
        if "asks hooks once" in DOES and blocks:
            return
        reasons = stop(content[0]["text"], blocks > 0)
        if "talks about hooks" in DOES:
            print("hook: it was called", file=sys.stderr)
            print("a line of its own")
        if "crashes after a hook" in DOES:
            os.kill(os.getpid(), signal.SIGABRT)
        if "always goes on" in DOES and not blocks:
            reasons = ["go on"]
        if not reasons or "ignores blocks" in DOES or blocks == SETTINGS["cap"]:
            return
        blocks += 1
        messages.append(keep("user", " ".join(reasons)))


if __name__ == "__main__":
    main()
