"""What document 004 lets a check answer: the permitted outcomes of one session in one world. Pure.

The order is the document's: skip variable and ``enabled``, semaphore (7.1), the transcript's rules (1), the prompt
rule (7.2), the analysis (3, 8.2) within its limits (3.3, 3.4, 4.4). What the document leaves open gives several
outcomes; an observation is right when it fits one of them.
"""

from collections.abc import Sequence
from enum import StrEnum
from itertools import accumulate
from typing import Any

import msgspec

from harness.core.history import FileFact, InputFact
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import CheckArguments, CheckerOutcome, Consideration, Severity
from harness.systems.stop_gate.oracle import transcript as reading
from harness.systems.stop_gate.oracle import weather
from harness.systems.stop_gate.oracle.transcript import Answer3, Transcript

BLOCKS_BEFORE_MERCY = 2  # a block is followed by another check (7.1); any later bound is permitted (PS-LOOP-04)
SLACK_S = 0.5  # real seconds that a loaded machine may take beyond what it was asked to
LONGEST_NAME, LONGEST_PATH = 255, 4095  # in bytes: what common systems take
GROWTH_BYTES = 1024 * 1024  # more than a transcript grows by while one check reads it
DEFAULT_CHECKER_S = contract.CHECKER_LIMIT_S
DEFAULT_WHOLE_S = contract.ANALYSIS_LIMIT_S


class Outcome(StrEnum):
    """One way a check may end."""

    SKIPPED = "skipped"
    DISABLED = "disabled"
    ALREADY_RAN = "already_ran"
    MISSING = "transcript_missing"
    UNREADABLE = "unreadable transcript"
    TOO_LARGE = "transcript_too_large"
    TOO_MANY_INVALID = "too many invalid lines"
    EMPTY = "empty_transcript"
    PROMPT = "power_steering_prompt"
    TIMEOUT = "timeout"
    BLOCK = "block"
    ONLY_WARNINGS = "only_warnings"
    SATISFIED = "everything satisfied"
    APPROVE = "approval of a check that could not be made"


FIXED_REASONS = frozenset(
    {Outcome.ALREADY_RAN, Outcome.MISSING, Outcome.TOO_LARGE, Outcome.EMPTY, Outcome.PROMPT, Outcome.TIMEOUT,
     Outcome.ONLY_WARNINGS}
)  # fmt: skip
ANALYSED = frozenset({Outcome.BLOCK, Outcome.ONLY_WARNINGS, Outcome.SATISFIED})
ENDED_WELL = frozenset({Outcome.ONLY_WARNINGS, Outcome.SATISFIED})
READ = ANALYSED | {Outcome.PROMPT, Outcome.TIMEOUT}
RAISING = frozenset({CheckerOutcome.RAISES, CheckerOutcome.EXITS, CheckerOutcome.INTERRUPTS, CheckerOutcome.RECURSES})
HANGING = frozenset({CheckerOutcome.HANGS, CheckerOutcome.HANGS_SWALLOWING})


def fits(outcome: Outcome, decision: str, reasons: Sequence[str]) -> bool:
    """Is this answer that outcome? Undocumented outcomes have free reasons."""
    if (decision == "block") is not (outcome is Outcome.BLOCK):
        return False
    if outcome in FIXED_REASONS:
        return list(reasons) == [outcome.value]
    if outcome is Outcome.SATISFIED:
        return not any(list(reasons) == [fixed.value] for fixed in FIXED_REASONS)
    return True


class Semaphore(StrEnum):
    """What stands at the semaphore's place when a check begins."""

    NONE = "none"
    FRESH = "fresh"
    STALE = "stale"
    FUTURE = "future"
    GONE = "gone"  # a link to nothing, within the runtime directory
    LINK = "link"  # any other link
    MAYBE = "maybe"  # a fallback or replaced id may or may not have one


class Config(msgspec.Struct, frozen=True):
    """The configuration as the document reads it.

    ``enabled`` and ``timeouts`` hold every value that may be in force (None: the default limit); ``bad`` are known
    keys with an invalid value, ``unknown`` the keys that are not known, ``raw`` the object when it is usable.
    """

    state: str  # missing, unusable, usable or unsure
    enabled: frozenset[bool] = frozenset({True})
    timeouts: frozenset[int | None] = frozenset({None})
    bad: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()
    raw: dict[str, Any] = {}


class Facts(msgspec.Struct, frozen=True):
    """Everything a check's outcome depends on.

    ``may_approve`` when something else may rightly stop the analysis; ``blocks`` counts the earlier blocks of the
    session. ``moving`` names the faults under which the transcript changes while it is read: then ``transcript`` is
    None, and ``once`` is what it was at one moment, if that is known.
    """

    args: CheckArguments
    input: InputFact | None
    transcript: Transcript | None
    config: Config
    semaphore: Semaphore
    scale: float = 1.0
    may_approve: bool = False
    blocks: int = 0
    moving: frozenset[str] = frozenset()
    once: Transcript | None = None


def is_safe(session_id: str | None) -> bool:
    """Is the id a plain name that every implementation can use in a file name as it is?"""
    if not session_id or len(session_id) > 100 or not session_id.isascii() or ".." in session_id:
        return False
    return session_id[0].isalnum() and all(character.isalnum() or character in "._-" for character in session_id)


def read_config(fact: InputFact | None, *, is_link: bool = False) -> Config:
    """What the configuration file says (4.1 to 4.4)."""
    if fact is None or fact.kind == "missing":
        return Config("missing")
    if fact.kind != "file":
        return Config("unusable")
    if fact.data is None:
        return Config("unsure", frozenset({True, False}), frozenset({None, 1, 300}))
    bom = fact.data.startswith(b"\xef\xbb\xbf")
    try:
        text = fact.data.decode("utf-8-sig" if bom else "utf-8")
    except UnicodeDecodeError:
        return Config("unusable")
    parsed = reading.parse(text)
    if parsed is None:
        return Config("unusable")
    doubtful = bom or is_link or parsed.doubtful or parsed.duplicates
    if not isinstance(parsed.value, dict):
        return Config("unsure" if parsed.doubtful else "unusable")
    usable = _object_config(parsed.value)
    if not doubtful:
        return usable
    both = frozenset({True, False}) if parsed.duplicates else usable.enabled | {True}
    return Config("unsure", both, usable.timeouts | {None})


def _object_config(raw: dict[str, Any]) -> Config:
    known = set(contract.CONFIG_DEFAULTS)
    bad: set[str] = set()
    enabled = raw.get("enabled", True)
    if not isinstance(enabled, bool):
        bad.add("enabled")
        enabled = True
    timeout: int | None = None
    if "timeout_seconds" in raw:
        low, high = contract.TIMEOUT_SECONDS_RANGE
        value = raw["timeout_seconds"]
        if type(value) is int and low <= value <= high:  # true is no integer here
            timeout = value
        else:
            bad.add("timeout_seconds")
    return Config(
        "usable", frozenset({enabled}), frozenset({timeout}), frozenset(bad), frozenset(set(raw) - known), raw
    )


def semaphore_state(fact: FileFact | None, now_s: float) -> Semaphore:
    """The state of a semaphore, by its age at ``now_s`` (2.3)."""
    if fact is None:
        return Semaphore.NONE
    if fact.kind in ("symlink", "link"):
        return Semaphore.LINK
    if fact.kind != "file":
        return Semaphore.MAYBE
    age = now_s - fact.mtime_s
    if age < -0.001:
        return Semaphore.FUTURE
    rounding = 0.001  # a modification time is a float
    return Semaphore.FRESH if age <= contract.SEMAPHORE_LIFETIME_S + rounding else Semaphore.STALE


def skip_variable(args: CheckArguments) -> Answer3:
    """Does the environment skip the check? Values but 1, 0 and the empty one are open (Recovery Procedures)."""
    value = args.environment.get(contract.SKIP_VARIABLE, "")
    if value in ("", "0"):
        return Answer3.NO
    return Answer3.YES if value == "1" else Answer3.MAYBE


def outcomes(facts: Facts) -> frozenset[Outcome]:
    """Every outcome the document permits for this check."""
    found: set[Outcome] = set()
    skip = skip_variable(facts.args)
    if skip is not Answer3.NO:
        found.add(Outcome.SKIPPED)
    if skip is Answer3.YES:
        return frozenset(found)
    if False in facts.config.enabled:
        found.add(Outcome.DISABLED)
    if facts.config.enabled == {False}:
        return frozenset(found)
    if facts.may_approve:
        found.add(Outcome.APPROVE)
    if facts.semaphore not in (Semaphore.NONE, Semaphore.STALE, Semaphore.GONE):
        found.add(Outcome.APPROVE if facts.semaphore is Semaphore.LINK else Outcome.ALREADY_RAN)
    if facts.semaphore is Semaphore.FRESH:
        return frozenset(found)
    found |= _after_semaphore(facts)
    if Outcome.BLOCK in found and facts.blocks >= BLOCKS_BEFORE_MERCY:
        found.add(Outcome.APPROVE)
    return frozenset(found)


def _after_semaphore(facts: Facts) -> set[Outcome]:
    fact = facts.input
    if fact is None or _is_no_path(facts.args.transcript_path):
        return {Outcome.UNREADABLE, Outcome.MISSING}
    if facts.moving:
        return _of_moving(facts, fact)
    if fact.kind == "missing":
        return {Outcome.MISSING}
    if fact.kind != "file":
        return {Outcome.UNREADABLE}
    if fact.size > contract.TRANSCRIPT_LIMIT_BYTES:
        return {Outcome.TOO_LARGE}
    if facts.transcript is None or facts.transcript.murky:
        return {Outcome.UNREADABLE, Outcome.TOO_MANY_INVALID, Outcome.EMPTY, Outcome.PROMPT} | analysis(facts)
    return _of_lines(facts, facts.transcript)


def _is_no_path(path: str) -> bool:
    """Can no file have that name, or is it not absolute, so that nobody knows which file is meant?"""
    if not path.startswith(("/", "{")) or "\x00" in path or len(path) > LONGEST_PATH:
        return True
    return any(len(part.encode("utf-8", "surrogatepass")) > LONGEST_NAME for part in path.split("/"))


def _of_moving(facts: Facts, fact: InputFact) -> set[Outcome]:
    """What may be said of a transcript that comes and goes, or grows: whatever one of its moments deserves."""
    found = analysis(facts)
    if facts.once is None:
        found |= {Outcome.UNREADABLE, Outcome.TOO_MANY_INVALID, Outcome.EMPTY, Outcome.PROMPT}
    else:
        found |= _of_lines(facts, facts.once)
        if facts.once.invalid_at_most >= contract.INVALID_LINES_TOLERATED:
            found.add(Outcome.TOO_MANY_INVALID)  # the line that is being written may be half there
    if facts.moving != {weather.GROWING}:
        found |= {Outcome.MISSING, Outcome.UNREADABLE}
    if fact.size + GROWTH_BYTES > contract.TRANSCRIPT_LIMIT_BYTES:
        found.add(Outcome.TOO_LARGE)
    return found


def _of_lines(facts: Facts, transcript: Transcript) -> set[Outcome]:
    found: set[Outcome] = set()
    if any(reading.Kind.UNDECODABLE in line.possible or line.hard for line in transcript.lines):
        found.add(Outcome.APPROVE)
    if transcript.invalid_at_most > contract.INVALID_LINES_TOLERATED:
        found.add(Outcome.TOO_MANY_INVALID)
    if transcript.invalid_at_least > contract.INVALID_LINES_TOLERATED:
        return found
    if not transcript.sure_messages:
        found.add(Outcome.EMPTY)
    if not transcript.possible_messages:
        return found
    marks = {transcript.last_has_mark(assistant_only=True), transcript.last_has_mark(assistant_only=False)}
    if marks != {Answer3.NO}:
        found.add(Outcome.PROMPT)
    if marks == {Answer3.YES}:
        return found
    return found | analysis(facts)


def analysis(facts: Facts) -> set[Outcome]:
    """How the analysis itself may end, whatever the earlier rules say, under both readings of timeout_seconds."""
    found: set[Outcome] = set()
    for timeout in facts.config.timeouts:
        found |= analysis_within(facts, whole_s=timeout or DEFAULT_WHOLE_S)
        if timeout is not None:
            found |= analysis_within(facts, checker_s=timeout)
    return found


def analysis_within(
    facts: Facts, *, checker_s: float = DEFAULT_CHECKER_S, whole_s: float = DEFAULT_WHOLE_S
) -> set[Outcome]:
    """How the analysis may end when these (unscaled) limits hold."""
    asked = facts.args.considerations
    if asked is None:
        return {Outcome.BLOCK, Outcome.ONLY_WARNINGS, Outcome.SATISFIED}
    slack = SLACK_S / facts.scale
    surely = [item for item in asked if fails(item, checker_s, slack) is Answer3.YES]
    perhaps = [item for item in asked if fails(item, checker_s, slack) is Answer3.MAYBE]
    found = {_verdict(surely), _verdict(surely + perhaps), *(_verdict([*surely, item]) for item in perhaps)}
    waits = [waiting_s(item, checker_s) for item in asked]
    if sum(waits) > 0 and sum(waits) + slack > whole_s:
        found.add(Outcome.TIMEOUT)
        if sum(waits) > whole_s + 0.5:  # beyond rounding; waiting longer than asked only adds to it
            found = {Outcome.TIMEOUT}
            if _blocked_before(asked, waits, checker_s, whole_s, slack):
                found.add(Outcome.BLOCK)  # whether a gate looks on after its first failed blocker is not said
    if facts.args.off_main_thread:
        found.add(Outcome.APPROVE)
    return found


def waiting_s(item: Consideration, checker_s: float) -> float:
    """How long (unscaled) a consideration takes before it answers or is abandoned."""
    if item.outcome in HANGING:
        return checker_s
    return min(item.seconds, checker_s) if item.outcome is CheckerOutcome.SLOW else 0.0


def fails(item: Consideration, checker_s: float, slack: float) -> Answer3:
    """Does the consideration count as failed?"""
    if item.outcome is CheckerOutcome.FAILED:
        return Answer3.YES
    if item.outcome is not CheckerOutcome.SLOW or item.seconds > checker_s + slack:
        return Answer3.NO
    return Answer3.YES if item.seconds + slack <= checker_s else Answer3.MAYBE


def _verdict(failed: Sequence[Consideration]) -> Outcome:
    if any(item.severity is Severity.BLOCKER for item in failed):
        return Outcome.BLOCK
    return Outcome.ONLY_WARNINGS if failed else Outcome.SATISFIED


def _blocked_before(
    asked: Sequence[Consideration], waits: Sequence[float], checker_s: float, whole_s: float, slack: float
) -> bool:
    """Did a blocker fail before the limit of the whole was reached?"""
    timely = zip(asked, (end <= whole_s for end in accumulate(waits)), strict=True)
    return any(
        in_time and item.severity is Severity.BLOCKER and fails(item, checker_s, slack) is not Answer3.NO
        for item, in_time in timely
    )


def reached(asked: Sequence[Consideration]) -> tuple[Consideration, ...]:
    """The considerations up to and including the first failed blocker: those that every gate calls."""
    for position, item in enumerate(asked):
        if item.severity is Severity.BLOCKER and item.outcome in (CheckerOutcome.FAILED, CheckerOutcome.SLOW):
            return tuple(asked[: position + 1])
    return tuple(asked)
