"""Hooks that ask a host one question each: what it makes of an exit code, an output, a child, a time-out. Data.

A probe does what it is about at the first stop of a session and lets the second one pass, so that whether it was called
twice tells whether the first was a block.
"""

from typing import Final

import msgspec

LATE: Final = "sleep 8"  # far beyond a time-out of 1 s; a host that kills only the shell waits for its end
BLOCK: Final = '{"decision":"block","reason":"probe: go on"}'
_PASSING: Final = """if grep -Eq '"stop_hook_active": ?true'; then exit 0; fi
"""


class Probe(msgspec.Struct, frozen=True):
    """A question: ``rule`` names it in the table of facts, ``title`` asks it, ``body`` is the hook's shell text.

    ``unpredicted`` says why the hook target does not predict what a host makes of it; "" where it does.
    """

    rule: str
    title: str
    body: str
    timeout_s: float = 20.0
    unpredicted: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The hook's command."""
        return ("sh", "-c", _PASSING + self.body)


def _say(text: str) -> str:
    return f"printf '%s' '{text}'"


_ANSWERS: Final = (
    Probe("block", "exit 0 with a block and its reason", _say(BLOCK)),
    Probe("silence", "exit 0 with nothing", "exit 0"),
    Probe("empty_object", "exit 0 with {}", _say("{}")),
    Probe("approve", "exit 0 with the decision approve", _say('{"decision":"approve"}')),
    Probe("unknown_decision", "exit 0 with a decision nobody knows", _say('{"decision":"halt","reason":"probe"}')),
    Probe("block_without_reason", "exit 0 with a block and no reason", _say('{"decision":"block"}')),
    Probe("block_with_blank_reason", "exit 0 with a block whose reason is blank",
          _say('{"decision":"block","reason":" "}')),
    Probe("block_with_unknown_field", "a block with a field that no host knows",
          _say('{"decision":"block","reason":"probe","x_note":1}')),
    Probe("block_and_continue_false", "a block beside continue: false",
          _say('{"continue":false,"stopReason":"probe","decision":"block","reason":"probe"}')),
    Probe("continue_false", "continue: false alone", _say('{"continue":false,"stopReason":"probe"}')),
    Probe("text", "exit 0 with a text", "echo all is well"),
    Probe("text_before_block", "a line of text, then a block", f"echo checking; {_say(BLOCK)}"),
    Probe("text_after_block", "a block, then a line of text", f"{_say(BLOCK)}; echo; echo checked"),
    Probe("two_blocks", "two blocks, a line each", f"{_say(BLOCK)}; echo; {_say(BLOCK)}"),
    Probe("block_in_an_array", "a block inside an array", _say(f"[{BLOCK}]")),
    Probe("block_in_white_space", "a block between empty lines", f"echo; echo; {_say(BLOCK)}; echo; echo"),
    Probe("block_over_lines", "a block written over several lines",
          _say('{\n  "decision": "block",\n  "reason": "probe: go on"\n}')),
    Probe("block_after_byte_order_mark", "a block after a byte order mark", rf"printf '\357\273\277'; {_say(BLOCK)}"),
    Probe("block_twice_named", "an object that names decision twice, block last",
          _say('{"decision":"approve","decision":"block","reason":"probe"}')),
    Probe("block_beside_warnings", "a block, and warnings on standard error", f"echo warning >&2; {_say(BLOCK)}"),
    Probe("additional_context", "additionalContext without a decision",
          _say('{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"probe: more to know"}}')),
    Probe("permission_denied", "permissionDecision: deny without a decision",
          _say('{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"deny",'
               '"permissionDecisionReason":"probe: go on"}}')),
    Probe("system_message", "systemMessage without a decision", _say('{"systemMessage":"probe: a word to the user"}')),
    Probe("suppress_output", "suppressOutput without a decision", _say('{"suppressOutput":true}')),
)  # fmt: skip
_CODES: Final = (
    Probe("exit_2", "exit 2 with a text on standard error", "echo 'probe: go on' >&2; exit 2"),
    Probe("exit_2_silent", "exit 2 with nothing on standard error", "exit 2"),
    Probe("exit_2_blank", "exit 2 with an empty line on standard error", "echo >&2; exit 2"),
    Probe("exit_2_with_approve", "exit 2 with approve on standard output and a text on standard error",
          "echo 'probe: go on' >&2; printf '{\"decision\":\"approve\"}'; exit 2"),
    Probe("exit_2_with_block_on_stdout", "exit 2 with a block on standard output and nothing on standard error",
          f"{_say(BLOCK)}; exit 2"),
    Probe("exit_1", "exit 1 with a text on standard error", "echo 'probe: broken' >&2; exit 1"),
    Probe("exit_1_with_block", "exit 1 with a block on standard output", f"{_say(BLOCK)}; exit 1"),
    Probe("exit_3", "exit 3", "echo 'probe: broken' >&2; exit 3"),
    Probe("exit_3_with_block", "exit 3 with a block on standard output", f"{_say(BLOCK)}; exit 3"),
    Probe("not_found", "a command that does not exist (the shell's 127)", "probe-that-is-not-there"),
    Probe("killed", "death by a signal", "kill -KILL $$"),
    Probe("killed_after_block", "a block, then death by a signal", f"{_say(BLOCK)}; kill -KILL $$"),
)  # fmt: skip
_TIMES: Final = (
    Probe("timeout", "no exit within its time-out", LATE, 1.0),
    Probe("block_then_timeout", "a block, then no exit within the time-out", f"{_say(BLOCK)}; {LATE}", 1.0),
    Probe("child", "a child in the background that holds nothing",
          "sleep 30 </dev/null >/dev/null 2>&1 &"),
    Probe("child_with_stdout", "a block, and a child that holds standard output past the time-out",
          f"{_say(BLOCK)}; sleep 30 &", 2.0,
          "a child left behind is killed after 0.25 s, so what a host that waits for it would do is not seen"),
    Probe("child_at_timeout", "a child in the hook's group when the time-out comes",
          f"sleep 30 </dev/null >/dev/null 2>&1 & {LATE}", 1.0),
    Probe("own_session_at_timeout", "a child with a session of its own when the time-out comes",
          f"setsid sleep 30 </dev/null >/dev/null 2>&1 & {LATE}", 1.0),
)  # fmt: skip
PROBES: Final = (*_ANSWERS, *_CODES, *_TIMES)

MOST_BLOCKS: Final = 30


def _cap(block: str) -> tuple[str, ...]:
    return ("sh", "-c", f"""n=$(cat "$HOME/blocks" 2>/dev/null || echo 0); [ "$n" -lt {MOST_BLOCKS} ] || exit 0
echo $((n + 1)) > "$HOME/blocks"; {block}""")  # fmt: skip


CAP: Final = {"block": _cap(_say(BLOCK)), "exit_2": _cap("echo 'probe: go on' >&2; exit 2")}
"""By the rule by which it blocks: what blocks that many times in a row, so that a host that has a cap shows it, and one
that has none ends all the same."""
