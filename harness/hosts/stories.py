"""The stories that hosts are given, as data; each is known by a prompt of its own."""

from typing import Final

from harness.hosts.story import Story, ToolCall, Turn


def _shell(command: str) -> ToolCall:
    return ToolCall("shell", {"command": command})


def _todo(first: str, second: str) -> ToolCall:
    items = [
        {"text": "Fix the back-off in retry.py", "status": first},
        {"text": "Run the tests", "status": second},
    ]
    return ToolCall("todo", {"items": items})


PLAIN: Final = Story(
    "plain",
    "The model answers at once",
    "Fix the retry helper in retry.py.",
    (Turn("I edited the retry helper in retry.py: it waits longer after each attempt."),),
)
TOOLS: Final = Story(
    "tools",
    "The model runs a command, then answers",
    "Find the retry helper and fix it.",
    (
        Turn("I look for the helper.", (_shell("ls -a"),)),
        Turn("I edited the retry helper that I found."),
    ),
)
FILES: Final = Story(
    "files",
    "The model writes a file, then answers",
    "Write a retry helper to retry.py.",
    (
        Turn("I write the helper.", (ToolCall("write_file", {"path": "retry.py", "content": "DELAY_S = 1\n"}),)),
        Turn("I wrote the retry helper to retry.py."),
    ),
)
OPEN_TODO: Final = Story(
    "open_todo",
    "The list of work has open items, and stays so",
    "Fix the back-off in retry.py and run its tests.",
    (
        Turn("I write down what is to be done.", (_todo("in_progress", "pending"),)),
        Turn("I looked at the back-off in retry.py."),
    ),
    last=Turn("I looked at the back-off in retry.py again."),
)
TODO_AFTER_BLOCK: Final = Story(
    "todo_after_block",
    "The list of work has open items at the first stop, and none at the second",
    "Fix the back-off in retry.py, then run its tests.",
    (
        Turn("I write down what is to be done.", (_todo("in_progress", "pending"),)),
        Turn("I looked at the back-off in retry.py."),
        Turn("I edited the back-off and ran the tests.", (_todo("completed", "completed"),)),
    ),
)
IDENTICAL: Final = Story(
    "identical",
    "Every answer is the same",
    "Make the retry helper wait longer.",
    last=Turn("The retry helper waits longer now."),
)


def calls_between_stops(stops: int) -> Story:
    """Each of that many turns runs a command, then answers: who blocks after work blocks as often."""
    return Story(
        "calls_between_stops",
        "Each continued turn runs a command, then answers",
        "Fix the retry helper and keep its tests green.",
        tuple(
            Turn(text, calls)
            for part in range(1, stops + 1)
            for text, calls in (
                (f"I look at part {part}.", (_shell(f"echo part {part}"),)),
                (f"I edited part {part} of retry.py.", ()),
            )
        ),
    )


CALLS_BETWEEN_STOPS: Final = calls_between_stops(5)
LONG: Final = Story(
    "long",
    "Sixty commands with big outputs before the answer",
    "Go through every module and fix the retry helpers.",
    # a host that hears the same words again and again takes it for a loop
    tuple(
        Turn(
            " ".join(f"Line {line * 61 % 1009} of module {n} is read." for line in range(150)),
            (_shell(f"seq {n} {n + 2000}"),),
        )
        for n in range(60)
    ),
)
SUBAGENT: Final = Story(
    "subagent",
    "A subagent runs a command and answers, then the model answers",
    "Have somebody look at the jitter of the retry helper.",
    (
        Turn(
            "I hand it on.",
            (
                ToolCall(
                    "subagent",
                    {"title": "Look at the jitter", "prompt": "Say how the jitter in retry.py is made."},
                    Story(
                        "jitter",
                        "The subagent's part",
                        "Say how the jitter in retry.py is made.",
                        (Turn("I look for the jitter.", (_shell("echo jitter"),)),),
                        last=Turn("The jitter is a random share of the delay."),
                    ),
                ),
            ),
        ),
        Turn("The jitter is a random share of the delay, says the subagent."),
    ),
)
INTERRUPTED: Final = Story(
    "interrupted",
    "The stream of the first answer is cut in the middle, once",
    "Fix the deadline in retry.py.",
    (Turn("I edited the deadline in retry.py: it is given by the caller.", cut="stream"),),
)
REFUSED: Final = Story(
    "refused",
    "The provider answers 500 once, then goes on",
    "Fix the jitter in retry.py.",
    (Turn("I edited the jitter in retry.py.", error=500),),
)
HELD: Final = Story(
    "held",
    "The model never answers",
    "Fix the logging in retry.py.",
    last=Turn("I edited the logging in retry.py.", hold=True, times=1_000_000),
)
STORIES: Final = (
    PLAIN,
    TOOLS,
    FILES,
    OPEN_TODO,
    TODO_AFTER_BLOCK,
    IDENTICAL,
    CALLS_BETWEEN_STOPS,
    LONG,
    SUBAGENT,
    INTERRUPTED,
    REFUSED,
    HELD,
)
TOLD: Final = (PLAIN, TOOLS, FILES, CALLS_BETWEEN_STOPS, OPEN_TODO, TODO_AFTER_BLOCK, SUBAGENT)
"""What a hook is tried with: stories in which nothing goes wrong, and which are short."""
