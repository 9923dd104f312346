"""The words of the session that every host was given, and what its transcript is made of."""

import json
from typing import Any, Final

import msgspec

from harness.systems.stop_gate.workload import gate_steps

SESSION: Final = gate_steps.SESSION
ASKED: Final = "Please add a retry to the importer."
LISTED: Final = "I write down what is to be done."
WRITES: Final = "I write the retry."
WROTE: Final = "The retry is written."
HELD: Final = "The list of work has an open item."
TESTS: Final = "I run the tests."
TICKS: Final = "I tick off what is done."
ANSWERED: Final = "The importer retries three times now."
STEPS: Final = ("Add the retry", "Run the tests")
OPEN: Final = ("in_progress", "pending")
DONE: Final = ("completed", "completed")
FILE: Final = "importer.py"
CONTENT: Final = "RETRIES = 3\n"
COMMAND: Final = "echo 3 tests pass"
PRINTED: Final = "3 tests pass"

QUESTION: Final = "How often does the importer try again?"
PLAIN: Final = "It tries three times, then it gives up."
OPEN_END: Final = "There are two importers here. Which of them do you mean?"

OWN: Final = "Here the host has words of its own."
MODEL: Final = "scripted"
PROJECT: Final = "{project}"
HOOK: Final = "{project}/stop-hook"
START_S: Final = 1772366340  # 2026-03-01T11:59:00Z


class Recorded(msgspec.Struct, frozen=True):
    """A session of one host: ``lines`` when it is over, and how many of them stand there at its first and last stop."""

    lines: tuple[str, ...]
    first_stop: int
    last_stop: int

    @property
    def unfinished(self) -> tuple[str, ...]:
        """What stands there at the first stop: the list of work has open items."""
        return self.lines[: self.first_stop]

    @property
    def finished(self) -> tuple[str, ...]:
        """What stands there at the last stop: a hook held the session once, and all is done."""
        return self.lines[: self.last_stop]


def written(value: dict[str, Any]) -> str:
    """One line as every host writes it: no spaces, no escapes."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def time_of(number: int) -> str:
    """The time at which line ``number`` was written."""
    return f"2026-03-01T11:59:{number:02}.000Z"


def call_of(number: int) -> str:
    """The id of tool call ``number``."""
    return f"call_{number}"
