"""Names of breakers, which are keys of one file and never paths. Level L1.

Of each name one breaker opens while a neighbour, whose name a careless reader takes for the same, stays CLOSED.
"""

import unicodedata
from collections.abc import Iterator

from harness.core.scenario import Scenario
from harness.systems.circuit_breaker.contract import LONGEST_NAME
from harness.systems.circuit_breaker.workload.breaker_steps import (
    COOLDOWN_S,
    PERMITTED,
    Allowed,
    calm,
    scenario,
)

CLAUSES = ("LK-CB-01", "LK-CB-09", "LK-CB-13")
_WIDE = "s\u00e9ance-\u65e5\u672c-\U0001f642-\u202egnp"
_ANY: Allowed = ({},)

# name, what is said of it, the breaker's name, its neighbour's
NAMES: tuple[tuple[str, str, str, str], ...] = (
    ("slashes", "has slashes", "a/b//c/", "a/b/c"),
    ("upwards", "leads upwards", "../../outside/x", "x"),
    ("dots", "is two dots", "..", "."),
    ("absolute", "is an absolute path", "/etc/passwd", "etc/passwd"),
    ("backslash", "has a backslash", "a\\b", "a/b"),
    ("nul", "has a NUL", "api\x00claude", "api"),
    ("long", "has 10,000 characters", "x" * LONGEST_NAME, "x" * (LONGEST_NAME - 1)),
    ("long-slashes", "has 10,000 characters, many of them slashes", "ab/c" * (LONGEST_NAME // 4), "ab/c"),
    ("unicode", "has wide and right-to-left characters", _WIDE, _WIDE[:-1]),
    ("composed", "is composed, and its neighbour is not", "caf\u00e9", unicodedata.normalize("NFD", "caf\u00e9")),
    ("case", "differs from another in its case", "API/Claude", "api/claude"),
    ("space", "ends in white space", "api/claude ", "api/claude"),
    ("blank", "is white space", " \t", " "),
    ("lines", "has line breaks", "api\nclaude\u2028x\r", "api"),
    ("quotes", "has quotes and braces", '{"a": ["b"]}', "a"),
    ("schema", "is a word of JSON Schema", "$schema", "type"),
    ("prototype", "is a word of JavaScript", "__proto__", "constructor"),
    ("field", "is the name of a field", "state", "failure_count"),
    ("number", "is a number", "0", "00"),
    ("null", "is the word null", "null", "true"),
)  # fmt: skip
# to these another process has to find back
_RESTARTED = ("slashes", "nul", "long", "unicode", "lines")


def name_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    for word, said, name, neighbour in NAMES:
        story = calm(name).fail(neighbour).trip().ask().look()
        if word in _RESTARTED:
            story.restart().look().ask()
        clauses = (*CLAUSES, "LK-CB-10")
        yield scenario(
            f"name-{word}", f"The name of a breaker {said}.", clauses, story.look(neighbour).ask(neighbour), PERMITTED
        )
    for word, name in (("nul", "api\x00claude"), ("long", "x" * LONGEST_NAME), ("unicode", _WIDE)):
        story = calm(name).trip().later(COOLDOWN_S).healed().look().ask()
        yield scenario(
            f"name-{word}-recovers", "A breaker of such a name opens, is probed, and closes.",
            ("LK-CB-01", "LK-CB-10", "LK-CB-14", "LK-CB-19"), story, PERMITTED,
        )  # fmt: skip
    yield scenario(
        "name-empty", "A name is empty: it is served as any other, or refused.", ("LK-CB-09", "LK-CB-13"),
        calm("").ask().look().trip("api/full").ask("api/full").look(""), _ANY,
    )  # fmt: skip
    many = calm()
    for number in range(40):
        many.fail(f"many/{number}", 2)
    many.fail("many/7").ask("many/7")
    yield scenario(
        "name-many", "There are forty breakers in one file, and one of them opens.", (*CLAUSES, "LK-CB-11"),
        many.ask("many/8"), PERMITTED,
    )  # fmt: skip
