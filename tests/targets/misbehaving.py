"""A fake implementation over stdio that does everything wrong that has a name, each when it is asked for it by name.

``python misbehaving.py [MESSAGE NAME [TIMES]]``: the operation ``toy/NAME`` is answered as MISBEHAVIOURS says, any
other properly. With a MESSAGE (initialize, reset, open, shutdown) that one is answered so; with TIMES only by as many
processes: a file in the folder that FOLDER names counts them.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Call = dict[str, Any]
PROPER = {"protocolVersion": 1, "implementation": {"name": "misbehaving", "version": "1"}, "systems": {"toy": {}}}
LINE_LIMIT = 16 * 1024 * 1024
STDERR_LIMIT = 64 * 1024 * 1024


def say(text: str | bytes, stream: int = 1) -> None:
    """All of it on standard output, past every buffer."""
    data = memoryview(text.encode() if isinstance(text, str) else text)
    while data:
        data = data[os.write(stream, data) :]


def line(call: Call, **members: Any) -> str:
    """An answer with those members beside the usual ones."""
    return json.dumps({"jsonrpc": "2.0", "id": call["id"], **members}) + "\n"


def raw(call: Call, text: str) -> None:
    """That text, with the call's id in place of ID."""
    say(text.replace("ID", str(call["id"])))


def properly(call: Call) -> None:
    """What a sound implementation says."""
    usual: Call = {"pid": os.getpid(), "params": call["params"]}
    say(line(call, result=PROPER if call["method"] == "initialize" else usual if "/" in call["method"] else {}))


def refuse(call: Call) -> None:
    """There is no such method."""
    say(line(call, error={"code": -32601, "message": "no such method"}))


def exactly(size: int) -> Callable[[Call], None]:
    """An answer whose line has so many bytes, with its end."""

    def answer(call: Call) -> None:
        empty = len(line(call, result={"text": ""}))
        say(line(call, result={"text": "x" * (size - empty)}))

    return answer


def flood(text: str, stream: int = 1) -> Callable[[Call], None]:
    """That text, without end."""

    def answer(call: Call) -> None:
        del call
        while True:
            say(text * 4096, stream)

    return answer


def hang() -> None:
    """For longer than anybody waits."""
    time.sleep(1000)


def last_words(code: int) -> None:
    """Something on standard error, then the end."""
    say("my last words", 2)
    os._exit(code)


def begun(call: Call) -> bytes:
    """The first half of an answer."""
    whole = line(call, result={"text": "x" * 40}).encode()
    return whole[: len(whole) // 2]


def in_pieces(call: Call) -> None:
    """An answer of which each byte is written by itself, as far as that matters, and long enough for several reads."""
    text = line(call, result={"text": "é" * 100_000}).encode()
    for at in range(60):
        say(text[at : at + 1])
    for at in range(60, len(text), 7_777):
        say(text[at : at + 7_777])


def late(call: Call) -> None:
    """A proper answer, and once that was taken another: seen before the next call, or in its place."""
    properly(call)
    say(line(call, result={}))


def orphaned(call: Call) -> None:
    """It ends, and leaves a child in a session of its own that keeps all streams open."""
    del call
    subprocess.Popen([sys.executable, "-S", "-E", "-c", "import time; time.sleep(1000)"], start_new_session=True)
    os._exit(0)


# by name: what is done, the code it has to be given, and a part of what has to be said of it
MISBEHAVIOURS: dict[str, tuple[Callable[[Call], object], str, str]] = {
    "noise": (lambda call: say("hello\n"), "noise", "'hello' - was it meant for stderr?"),
    "noise_first": (lambda call: (say("DEBUG: asked\n"), properly(call)), "noise", "DEBUG: asked"),
    "number": (lambda call: say("5\n"), "noise", "was it meant for stderr?"),
    "cut_json": (lambda call: say('{"jsonrpc": "2.0",\n'), "bad_json", "is no JSON"),
    "not_a_number": (lambda call: raw(call, '{"jsonrpc": "2.0", "id": ID, "result": NaN}\n'), "bad_json", "NaN"),
    "huge_float": (
        lambda call: raw(call, '{"jsonrpc": "2.0", "id": ID, "result": 1e999}\n'), "bad_json", "out of range",
    ),
    "lone_surrogate": (
        lambda call: raw(call, '{"jsonrpc": "2.0", "id": ID, "result": "\\ud800"}\n'), "bad_json", "ud800",
    ),
    "not_utf8": (
        lambda call: say(b'{"jsonrpc": "2.0", "id": %d, "result": "\xff"}\n' % call["id"]), "bad_utf8", "not UTF-8",
    ),
    "utf16": (lambda call: say(line(call, result={}).encode("utf-16")), "bad_utf8", "not UTF-8 at byte 0"),
    "byte_order_mark": (lambda call: say("\ufeff" + line(call, result={})), "noise", "was it meant for stderr?"),
    "deep": (lambda call: say(line(call, result=[]).replace("[]", "[" * 200 + "]" * 200)), "too_deep", "100 levels"),
    "bottomless": (lambda call: say("[" * 100_000 + "\n"), "too_deep", "100 levels"),
    "batch": (lambda call: say(f"[{line(call, result=1).strip()}]\n"), "batch", "a batch came instead of one answer"),
    "empty_object": (lambda call: say("{}\n"), "not_protocol", "is no answer of JSON-RPC 2.0"),
    "no_version": (
        lambda call: say(json.dumps({"id": call["id"], "result": {}}) + "\n"), "not_protocol", "field `jsonrpc`",
    ),
    "version_one": (lambda call: say(line(call, jsonrpc="1.0", result={})), "not_protocol", "Invalid enum value '1.0'"),
    "result_and_error": (
        lambda call: say(line(call, result={}, error={"code": 1, "message": "no"})), "not_protocol", "both a result",
    ),
    "neither": (lambda call: say(line(call)), "not_protocol", "neither a result nor an error"),
    "error_is_text": (lambda call: say(line(call, error="no")), "not_protocol", "$.error"),
    "error_without_code": (lambda call: say(line(call, error={"message": "no"})), "not_protocol", "field `code`"),
    "unknown_member": (lambda call: say(line(call, result={}, mood="fine")), "not_protocol", "unknown field `mood`"),
    "a_call_of_its_own": (
        lambda call: say('{"jsonrpc": "2.0", "method": "log", "params": {}}\n'), "not_protocol", "unknown field `method`",
    ),
    "wrong_id": (lambda call: say(line(call, id=77, result={})), "wrong_id", "the answer has id 77, the call had "),
    "null_id": (lambda call: say(line(call, id=None, result={})), "wrong_id", "the answer has id None"),
    "text_id": (lambda call: say(line(call, id=str(call["id"]), result={})), "wrong_id", "the answer has id '"),
    "refused_with_wrong_id": (
        lambda call: say(line(call, id=77, error={"code": 1, "message": "no"})), "wrong_id", "the answer has id 77",
    ),
    "earlier_id": (lambda call: say(line(call, id=1, result={})), "extra_reply", "a second answer to call 1"),
    "twice_at_once": (lambda call: say(line(call, result={}) * 2), "extra_reply", "more than one answer"),
    "a_line_after": (lambda call: say(line(call, result={}) + "Done.\n"), "noise", "Done."),
    "half_a_line_after": (lambda call: say(line(call, result={}) + '{"jsonrpc"'), "extra_reply", '{"jsonrpc"'),
    "partial_then_silence": (lambda call: (say(begun(call)), hang()), "unfinished", "a line was begun and not ended"),
    "no_newline": (lambda call: (say(line(call, result={}).strip()), hang()), "unfinished", "not ended"),
    "half_an_answer_then_killed": (
        lambda call: (say(begun(call)), os.kill(os.getpid(), 9)), "cut_off", "half way through its answer, killed by SIGKILL",
    ),
    "half_an_answer_then_exit": (lambda call: (say(begun(call)), os._exit(0)), "cut_off", "with exit code 0"),
    "exit": (lambda call: last_words(3), "died", "with exit code 3; its standard error ends: my last words"),
    "killed": (lambda call: os.kill(os.getpid(), 9), "died", "killed by SIGKILL"),
    "aborted": (lambda call: os.kill(os.getpid(), 6), "died", "killed by SIGABRT"),
    "silent_exit": (lambda call: os._exit(0), "silent_exit", "it ended without an answer, with exit code 0"),
    "orphan_left": (orphaned, "silent_exit", "with exit code 0"),
    "closed_output": (lambda call: (os.close(1), hang()), "closed_stdout", "and lives on"),
    "hang": (lambda call: hang(), "timed_out", "no answer within"),
    "hang_without_stderr": (lambda call: (os.close(2), hang()), "timed_out", "no answer within"),
    "blank_lines": (lambda call: (say("\n \r\n"), hang()), "timed_out", "no answer within"),
    "flood": (flood("x"), "flooded", "more than 16,777,216 bytes came without a newline"),
    "flood_of_lines": (flood("x\n"), "noise", "'x' - was"),
    "flood_of_answers": (
        lambda call: flood(line(call, result={}))(call), "extra_reply", "more than one answer",
    ),
    "flood_of_complaints": (flood("y\n", 2), "flooded_stderr", "more than 67,108,864 bytes came on standard error"),
    "line_too_long": (exactly(LINE_LIMIT + 1), "flooded", "without a newline"),
}  # fmt: skip
# what is unusual, and yet an answer
SOUND: dict[str, Callable[[Call], object]] = {
    "in_pieces": in_pieces,
    "longest_line": exactly(LINE_LIMIT - 65_536),
    "carriage_return": lambda call: say(line(call, result={}).replace("\n", "\r\n")),
    "blank_lines_around": lambda call: say("\n\n" + line(call, result={}) + "\n"),
    "members_in_another_order": lambda call: raw(call, '{"result": {}, "id": ID, "jsonrpc": "2.0"}\n'),
    "id_as_float": lambda call: raw(call, '{"jsonrpc": "2.0", "id": ID.0, "result": {}}\n'),
    "same_member_twice": lambda call: raw(call, '{"jsonrpc": "2.0", "id": 0, "id": ID, "result": {}}\n'),
    "null_result": lambda call: say(line(call, result=None)),
    "huge_number": lambda call: raw(call, '{"jsonrpc": "2.0", "id": ID, "result": {"n": 1' + "0" * 4000 + "}}\n"),
    "complaints": lambda call: (say("z" * 1_000_000, 2), properly(call)),
    "proper": properly,
}
OTHERS: dict[str, Callable[[Call], object]] = {
    "refuse": refuse,
    "late": late,
    "later": lambda call: (properly(call), time.sleep(0.05), say(line(call, result={}))),
    "noise_later": lambda call: (properly(call), time.sleep(0.05), say("Done.\n")),
    "gone_after": lambda call: (properly(call), os._exit(0)),
    "deaf_after": lambda call: (os.close(0), properly(call), hang()),
    "another_name": lambda call: say(
        line(call, result={**PROPER, "implementation": {"name": "other", "version": "1"}})
    ),
    "no_restart": lambda call: say(line(call, result={**PROPER, "restart": False})),
    "busy_after": lambda call: (properly(call), hang()),
}


def behaviour(name: str) -> Callable[[Call], object]:
    """What to do when asked for that by name; ``proper`` for a name that means nothing else."""
    if name in MISBEHAVIOURS:
        return MISBEHAVIOURS[name][0]
    return SOUND.get(name) or OTHERS.get(name, properly)


def serve(words: list[str]) -> None:
    """Answers until standard input ends."""
    message, name, times = (*words, *[""] * 3)[:3]
    while text := sys.stdin.buffer.readline():
        call = json.loads(text)
        if call["method"] == message and (not times or _one_of(int(times))):
            behaviour(name)(call)
        else:
            behaviour(call["method"].removeprefix("toy/") if "/" in call["method"] else "proper")(call)
        if call["method"] == "shutdown":
            return


def _one_of(times: int) -> bool:
    for number in range(times):
        try:
            Path(os.environ["FOLDER"], f"misbehaved-{number}").touch(exist_ok=False)
        except FileExistsError:
            continue
        return True
    return False


if __name__ == "__main__":
    serve(sys.argv[1:])
