"""The seven flags: unset, on, off, at their bounds, and words that are none of these. Level L1."""

from collections.abc import Iterator, Mapping
from itertools import combinations

from harness.core.scenario import Scenario
from harness.systems.diagnosis.contract import Flag
from harness.systems.diagnosis.workload.diagnosis_steps import ANY, SILENT, Story, calm, scenario
from harness.systems.diagnosis.workload.failures import GIT, READ, REPO_BROWSER
from harness.systems.diagnosis.workload.model_texts import RIGHT

SWITCHES = ("1", "0", "", "true", "false", "on", "off", "yes", "no", "TRUE", " 1 ", "2", "-1", "maybe")
NUMBERS = ("0", "1", "-1", "x", "2.5", "", " 3 ", "1e2", "999999999999", "NaN")
DEPTHS = (*NUMBERS, "2", "3", "4", "5", "6")
TEMPERATURES = ("0", "0.0", "0.2", "1", "2", "2.5", "-0.1", "x", "", "NaN", "inf", "0,5")
TOKENS = (*NUMBERS, "1024", "1023", "4096")
ATTEMPTS = (*NUMBERS, "2", "3", "4")
_OPEN = ("2.5", " 3 ", "1e2")  # one reader takes them for a number, and another does not
_NONE_OR_DEFAULT = "-1"  # attempts: the user is asked at once, or after two


def flag_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    yield from _unset()
    yield from _switches()
    yield from _numbers()
    yield from _pairs()
    yield from _odd()


def _word(value: str) -> str:
    """The value as a part of an id."""
    known = {"": "empty", " 1 ": "blanks", " 3 ": "blanks", "TRUE": "capitals", "NaN": "not-a-number", "0,5": "comma"}
    return known.get(value, value.replace("-", "minus-").replace(".", "-").lower())


def _unset() -> Iterator[Scenario]:
    clauses = (
        "DR-CFG-01", "DR-CFG-02", "DR-CFG-03", "DR-CFG-04", "DR-CFG-05", "DR-CFG-06", "DR-CFG-07", "DR-LRN-02",
    )  # fmt: skip
    story = calm().fail(READ, model=RIGHT).gave_up(2).recovered(GIT, 3).fail(GIT)
    yield scenario("flags-unset", "No flag is set: each has its default.", clauses, story.ok(), SILENT)
    defaults = {
        Flag.ENABLED: "1", Flag.WHY_DEPTH: "5", Flag.TEMPERATURE: "0.2", Flag.MAX_TOKENS: "1024",
        Flag.MAX_RECOVERY_ATTEMPTS: "2", Flag.FAST_RECOVERY: "1", Flag.STORE_FULL: "1",
    }  # fmt: skip
    story = calm().fail(READ, model=RIGHT).gave_up(2).recovered(GIT, 3).fail(GIT)
    yield scenario(
        "flags-defaults", "Each flag is set to its default.", clauses, story.ok(), SILENT,
        flags={flag.value: value for flag, value in defaults.items()},
    )  # fmt: skip


def _reflects() -> Story:
    return calm().fail().gave_up(1).shown().ok().fail(READ)


def _learns() -> Story:
    return calm().recovered(GIT, 3).fail(GIT)


def _stores() -> Story:
    return calm().fail(GIT).tried(success=True).fail(READ).gave_up(1)


def _switches() -> Iterator[Scenario]:
    for flag, word, clause, tell in (
        (Flag.ENABLED, "enabled", "DR-CFG-01", _reflects),
        (Flag.FAST_RECOVERY, "fast", "DR-CFG-06", _learns),
        (Flag.STORE_FULL, "store", "DR-CFG-07", _stores),
    ):
        for value in SWITCHES:
            yield scenario(
                f"flag-{word}-{_word(value)}", f"{flag.value} is {value!r}.", (clause,), tell().ok(), SILENT,
                flags={flag.value: value},
            )  # fmt: skip


def _asks() -> Story:
    return calm().fail(READ, model=RIGHT).ok().fail(REPO_BROWSER, model=RIGHT)


def _reasons() -> Story:
    return calm().fail(READ).shown().fail(GIT, model=RIGHT).shown()


def _gives_up() -> Story:
    return calm().fail(READ).gave_up(4)


def _numbers() -> Iterator[Scenario]:
    for flag, word, clause, values, tell in (
        (Flag.WHY_DEPTH, "depth", "DR-CFG-02", DEPTHS, _reasons),
        (Flag.TEMPERATURE, "temperature", "DR-CFG-03", TEMPERATURES, _asks),
        (Flag.MAX_TOKENS, "tokens", "DR-CFG-04", TOKENS, _asks),
        (Flag.MAX_RECOVERY_ATTEMPTS, "attempts", "DR-CFG-05", ATTEMPTS, _gives_up),
    ):
        for value in values:
            yield scenario(
                f"flag-{word}-{_word(value)}", f"{flag.value} is {value!r}.", _clauses(clause, value),
                tell().ok(), SILENT, flags={flag.value: value},
            )  # fmt: skip


def _clauses(clause: str, value: str) -> tuple[str, ...]:
    is_open = value in _OPEN or (clause == "DR-CFG-05" and value == _NONE_OR_DEFAULT)
    return ("DR-TRG-01",) if is_open else (clause,)


# off, or as far from its default as it can be told from it
_OTHER: Mapping[Flag, tuple[str, str]] = {
    Flag.ENABLED: ("enabled", "0"),
    Flag.WHY_DEPTH: ("depth", "2"),
    Flag.TEMPERATURE: ("temperature", "0"),
    Flag.MAX_TOKENS: ("tokens", "4096"),
    Flag.MAX_RECOVERY_ATTEMPTS: ("attempts", "1"),
    Flag.FAST_RECOVERY: ("fast", "0"),
    Flag.STORE_FULL: ("store", "0"),
}
_WATCHED: Mapping[Flag, str] = {
    Flag.ENABLED: "DR-CFG-01", Flag.WHY_DEPTH: "DR-CFG-02", Flag.TEMPERATURE: "DR-CFG-03", Flag.MAX_TOKENS: "DR-CFG-04",
    Flag.MAX_RECOVERY_ATTEMPTS: "DR-CFG-05", Flag.FAST_RECOVERY: "DR-CFG-06", Flag.STORE_FULL: "DR-CFG-07",
}  # fmt: skip


def _pairs() -> Iterator[Scenario]:
    """Two flags at once, neither as it is by default: each is followed whatever the other is."""
    for one, other in combinations(_OTHER, 2):
        (word, value), (second, also) = _OTHER[one], _OTHER[other]
        watched = tuple(_WATCHED[flag] for flag in (one, other))
        story = calm().fail(READ, model=RIGHT).gave_up(2).recovered(GIT, 3).fail(GIT)
        yield scenario(
            f"flags-{word}-and-{second}", f"{one.value} is {value!r}, and {other.value} is {also!r}.",
            ("DR-CFG-01",) if Flag.ENABLED in (one, other) else watched, story.ok(), SILENT,
            flags={one.value: value, other.value: also},
        )  # fmt: skip


def _odd() -> Iterator[Scenario]:
    yield scenario(
        "flags-unknown", "A flag that nobody knows is set.", ("DR-CFG-01", "DR-TRG-01"), _reflects().ok(), SILENT,
        flags={"AUTONOMOUS_DIAGNOSTIC_COLOUR": "1"},
    )  # fmt: skip
    yield scenario(
        "flags-all-odd", "Every flag is a word that it cannot be.", ("DR-CFG-01",), _gives_up(), ANY,
        flags=dict.fromkeys((flag.value for flag in Flag), "\u00fc"),
    )  # fmt: skip
    off = {Flag.ENABLED: "0", Flag.FAST_RECOVERY: "0", Flag.STORE_FULL: "0", Flag.WHY_DEPTH: "0", Flag.TEMPERATURE: "0"}
    yield scenario(
        "flags-all-off", "Every flag that can be off is.", ("DR-CFG-01",), _learns().ok(), SILENT,
        flags={flag.value: value for flag, value in off.items()},
    )  # fmt: skip
    yield scenario(
        "flags-fast-without-store", "What was learned is used where no whole diagnosis is kept.",
        ("DR-CFG-06", "DR-CFG-07", "DR-LRN-02"), _learns().ok(), SILENT, flags={Flag.STORE_FULL.value: "0"},
    )  # fmt: skip
