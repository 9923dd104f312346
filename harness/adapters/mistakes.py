"""What an adapter can do wrong: for each, what the protocol says about it and what to do, which make one sentence."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple


class Verdict(StrEnum):
    """What an exchange showed. ``note``: the protocol permits it, and it may surprise."""

    OK = "ok"
    MISTAKE = "mistake"
    NOTE = "note"


class Finding(NamedTuple):
    """What one exchange showed, in a sentence; a mistake has the code of its rule.

    ``again``: the same mistake was explained at an exchange before.
    """

    exchange: str
    verdict: Verdict
    says: str
    code: str = ""
    again: bool = False


class Rule(NamedTuple):
    """What the protocol says, and what somebody does who broke it; both go on within a sentence."""

    says: str
    do: str


REST: Final = "the rest"  # of the exchanges, where nothing further can be played
_GOES_ON: Final = "what cannot be done is answered by an error, and the process goes on"
_CATCH: Final = "catch what your code raises, and answer with the code -32000"
RULES: Final[Mapping[str, Rule]] = {
    "noise": Rule("standard output has answers and nothing else", "print logs to standard error"),
    "bad_json": Rule("an answer is one line of whole JSON", "let a JSON library write it"),
    "bad_utf8": Rule("every line is UTF-8", "encode what you write as UTF-8, whatever the locale is"),
    "too_deep": Rule("an answer has at most 100 levels", "give what the schema of the result has"),
    "not_protocol": Rule(
        'an answer has the members jsonrpc ("2.0"), id, and either result or error (code and message)',
        "write these and no others",
    ),
    "batch": Rule("a call is answered by one object", "write it without an array around it"),
    "wrong_id": Rule("an answer has the id of its call", "give `id` back as it came, a number"),
    "extra_reply": Rule("a call is answered once", "look for what writes the second answer"),
    "schema_violation": Rule("a result is what its schema has", "look it up in docs/schemas"),
    "unfinished": Rule("a message is a line", "write a newline after each answer"),
    "buffered": Rule("a call is answered before the next is made", "flush standard output after each line"),
    "inconsistent": Rule("a process started anew introduces itself alike", "say the same at each initialize"),
    "flooded": Rule("a line has at most 16 MiB", "look for what writes without end"),
    "flooded_stderr": Rule("standard error has at most 64 MiB a call", "log less"),
    "closed_stdout": Rule("standard output is open as long as the process lives", "do not close it"),
    "misread": Rule(
        "a message is a line of UTF-8 that a newline ends and nothing else, such as U+2028",
        "split the input at newlines alone, and decode it as UTF-8",
    ),
    "not_read": Rule("standard input is read until its end", "read the next line when a call is answered"),
    "died": Rule(_GOES_ON, _CATCH),
    "silent_exit": Rule(_GOES_ON, "read on until shutdown or the end of standard input"),
    "cut_off": Rule(_GOES_ON, _CATCH),
    "timed_out": Rule("every call is answered in time", "answer, with an error if need be, and flush the line"),
    "not_offered": Rule("the version is one of protocolVersions", "speak version 1, and refuse all others"),
    "unknown_system": Rule("`systems` has names of systems", "see `windtunnel list systems`"),
    "unknown_clause": Rule("`not_implemented` has clauses of its system", "see `windtunnel list clauses`"),
    "unknown_group": Rule("`groups` has groups of its system", "see `windtunnel list systems --json`"),
    "unclaimed": Rule("`systems` names what can be asked", "name it there, or leave out --system"),
    "refused": Rule("reset and open are answered by {}", "prepare for the directory, and answer {}"),
    "well_formed_refused": Rule("-32602 is for wrong arguments, and these are of the schema", "take them"),
    "accepted": Rule("a missing argument is refused with -32602", "look for each one before you use it"),
    "no_error": Rule("an unknown method is answered by the error -32601", "look the method up before you call it"),
    "wrong_code": Rule("unknown methods have the code -32601 and wrong arguments -32602", "answer with that code"),
    "out_of_order": Rule("calls are answered in their order", "answer the first line before you read the second"),
    "too_early": Rule("a call is a whole line", "read on until its newline comes"),
    "not_fresh": Rule("nothing of before may show after reset", "make all you keep anew at reset"),
    "not_ended": Rule("the process ends after shutdown and at the end of standard input", "leave the loop then"),
}


def sentence(code: str, sent: str, came: str) -> str:
    """What was sent, what came, what the protocol says and what to do."""
    rule = RULES[code]
    return f"sent {sent}; {came}; the protocol says that {rule.says}, so {rule.do}."
