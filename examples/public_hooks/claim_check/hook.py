"""Stop hook: blocks once when the last test run failed, or code changed after it, since the last prompt."""

import json
import os
import re
import sys

TESTS = re.compile(r"\b(pytest|npm test|cargo test|go test|make test)\b")
EDITS = {"Edit", "MultiEdit", "Write", "NotebookEdit"}


def parts(line):
    message = json.loads(line).get("message") or {}
    content = message.get("content")
    if isinstance(content, str):
        return message.get("role"), [{"type": "text", "text": content}]
    return message.get("role"), content or []


def complaint(path):
    running, passed, failed, edited = set(), False, False, False
    with open(path, encoding="utf-8") as lines:
        for line in filter(str.strip, lines):
            role, content = parts(line)
            if role == "user" and any(part["type"] == "text" for part in content):
                running, passed, failed, edited = set(), False, False, False
            for part in content:
                if part["type"] == "tool_use" and TESTS.search(str(part["input"].get("command", ""))):
                    running.add(part["id"])
                elif part["type"] == "tool_use" and part["name"] in EDITS:
                    edited = True
                elif part["type"] == "tool_result" and part["tool_use_id"] in running:
                    failed, edited = bool(part.get("is_error")), False
                    passed = not failed
    if failed:
        return "The last test run failed."
    return "Code changed after the last passing test run." if passed and edited else ""


def decide(event):
    if not isinstance(event, dict) or event.get("stop_hook_active"):
        return {}
    path = event.get("transcript_path")
    if not isinstance(path, str) or not os.path.isfile(path):
        return {}
    why = complaint(path)
    return {"decision": "block", "reason": f"{why} Run the tests again; if they fail, say so."} if why else {}


def main():
    try:
        answer = decide(json.load(sys.stdin))
    except Exception:
        answer = {}
    sys.stdout.write(json.dumps(answer))


main()
