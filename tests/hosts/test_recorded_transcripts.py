"""What the workload has of transcripts is what the hosts really write: kinds of lines, their keys, their order.

The values are not compared: ids and times change from run to run, and the words in the workload are ours.
"""

import json
import re

import pytest

from harness.cli.host import rig_for
from harness.hosts import installed
from harness.hosts.kind import STOP, HookSetting
from harness.hosts.story import Story, ToolCall, Turn
from harness.systems.stop_gate import hosts
from harness.systems.stop_gate.workload.recorded import CONVERSATIONS, RECORDED, words

# what is not compared, by host: the place of a kind of lines, or what stands at a path in a line; and why
LEFT_OUT = {
    "claude-code": {
        "place of atis-latch": "written anew by a timer, between any two lines",
        "place of last-prompt": "as before",
        "shape.tools": "the tools that the host offers, each with a description and a schema of its own",
        "attachment.tools": "the same tools once more",
        "modelUsage": "its keys are names of models",
    },
    "codex": {"payload.state": "settings and instructions of the host, by the names of its features"},
    "qwen-code": {},
    "gemini-cli": {},
}
SAYS_KIND = frozenset({"type", "subtype", "role", "operation", "event.name"})
NO_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')


def todo(states):
    items = [{"text": step, "status": state} for step, state in zip(words.STEPS, states, strict=True)]
    return ToolCall("todo", {"items": items})


STORY = Story(
    "recorded",
    "A list of work, a file, a stop that is blocked, a command, the list again, a stop",
    words.ASKED,
    (
        Turn(words.LISTED, (todo(words.OPEN),)),
        Turn(words.WRITES, (ToolCall("write_file", {"path": words.FILE, "content": words.CONTENT}),)),
        Turn(words.WROTE),
        Turn(words.TESTS, (ToolCall("shell", {"command": words.COMMAND}),)),
        Turn(words.TICKS, (todo(words.DONE),)),
        Turn(words.ANSWERED),
    ),
)
# hosts differ in what they say of a second stop, so the hook remembers that it blocked
BLOCKS_ONCE = f"""mkdir "$HOME/held" 2>/dev/null || exit 0
printf '%s' '{json.dumps({"decision": "block", "reason": words.HELD})}'
"""


def shape(value, left_out, path=()):
    """Keys in their order, and the values that say of which kind something is; each shape once in a list."""
    if ".".join(path) in left_out:
        return "left out"
    if isinstance(value, dict):
        return {
            key: inner if key in SAYS_KIND and isinstance(inner, str) else shape(inner, left_out, (*path, key))
            for key, inner in value.items()
        }
    if isinstance(value, list):
        shapes = [shape(inner, left_out, path) for inner in value if isinstance(inner, dict)]
        return [each for number, each in enumerate(shapes) if each not in shapes[:number]]
    return None


def written(lines, host):
    """The shapes of the lines in their order, and of those that have no place of their own."""
    left_out = LEFT_OUT[host]
    ordered, anywhere = [], set()
    for line in map(json.loads, lines):
        text = json.dumps(shape(line, left_out))  # as a text, so that the order of keys counts
        if f"place of {line.get('type')}" in left_out:
            anywhere.add(text)
        else:
            ordered.append(text)
    return ordered, anywhere


def has_spaces(line):
    return any(character.isspace() for character in NO_STRINGS.sub("", line))


def at(value, path):
    """What stands at a path in a line; None where nothing does."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


@pytest.mark.tools
@pytest.mark.parametrize("name", list(RECORDED))
def test_a_host_writes_the_lines_that_are_recorded(name):
    host = installed.find(installed.kind_named(name), installed.real_folder())
    with rig_for(host) as rig:
        session = rig.play(STORY, {STOP: HookSetting(("sh", "-c", BLOCKS_ONCE), 20.0)})
        first, *_, last = session.calls
        begun, whole = (rig.roots_hidden(data.decode()).splitlines() for data in (first.transcript, last.later))
    recorded = RECORDED[name]
    assert (True, False) == session.blocked()
    assert written(recorded.lines, name) == written(whole, name)
    assert [] == [line for line in whole if has_spaces(line)]
    # a host may lag behind with what it writes before a stop, but is not ahead of it
    ordered, _ = written(begun, name)
    unfinished, _ = written(recorded.unfinished, name)
    assert unfinished[: len(ordered)] == ordered


def test_every_host_that_tells_its_hooks_of_a_transcript_is_recorded():
    telling = {host.host for host in hosts.hosts() if host.conduct and host.conduct.transcript != "none"}
    assert telling == set(RECORDED) == set(LEFT_OUT)


@pytest.mark.parametrize("name", list(RECORDED))
def test_what_is_left_out_stands_in_what_is_recorded(name):
    lines = [json.loads(line) for line in RECORDED[name].lines]
    kinds = {f"place of {line.get('type')}" for line in lines}
    assert [] == [
        what for what in LEFT_OUT[name] if what not in kinds and not any(at(line, what) is not None for line in lines)
    ]


@pytest.mark.parametrize("name", list(RECORDED))
def test_both_stops_of_a_recorded_session_stand_in_it_as_hosts_write_lines(name):
    recorded = RECORDED[name]
    assert recorded.first_stop < recorded.last_stop <= len(recorded.lines)
    assert words.WROTE in "".join(recorded.unfinished)
    assert words.HELD not in "".join(recorded.unfinished)
    assert words.ANSWERED in "".join(recorded.finished)
    assert [] == [line for line in recorded.lines if has_spaces(line)]


def test_a_recorded_conversation_has_the_lines_of_a_whole_session_and_no_call():
    known = set().union(*written(RECORDED["claude-code"].lines, "claude-code"))
    for lines in CONVERSATIONS.values():
        assert set() == set().union(*written(lines, "claude-code")) - known
        assert '"type":"tool_use"' not in "".join(lines)
