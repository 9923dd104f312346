"""The form of a diagnosis, field by field: DR-OUT-01 to DR-OUT-07 and DR-OUT-09. Pure. Source: 001 Output Diagnosis."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from harness.systems.diagnosis.contract import WHYS, Approach
from harness.systems.stateless import number

Raw = Mapping[str, Any]
ULID: Final = re.compile(r"(?P<prefix>diag_)?(?P<ulid>[0-7][0-9A-HJKMNP-TV-Z]{25})", re.IGNORECASE)
_RANGE: Final = re.compile(r"\s*\d+(\.\d+)?\s*(-|\u2013|\.\.|to)\s*\d+(\.\d+)?\s*")
FEWEST: Final = 3  # alternatives


def is_text(value: object) -> bool:
    """Is it a text that says something?"""
    return isinstance(value, str) and bool(value.strip())


def is_share(value: object) -> bool:
    """Is it a number within 0.0 and 1.0?"""
    found = number(value)
    return found is not None and 0.0 <= found <= 1.0


def is_texts(value: object) -> bool:
    """Is it a list of texts, none of them empty?"""
    return isinstance(value, list | tuple) and all(map(is_text, value))


def instant(value: object) -> datetime | None:
    """The time of an ISO 8601 text with a date and a time; None for anything else."""
    if not isinstance(value, str) or "T" not in value:
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None


def field(raw: object, name: str) -> Any:
    """A field of what should be an object; None when it is none, or has no such field."""
    return raw.get(name) if isinstance(raw, Mapping) else None


def alternatives(diagnosis: Raw) -> tuple[Raw, ...]:
    """Those of the alternatives that are objects with a strategy."""
    found = diagnosis.get("alternatives")
    if not isinstance(found, list | tuple):
        return ()
    return tuple(each for each in found if isinstance(each, Mapping) and is_text(each.get("strategy")))


def tools_named(alternative: Raw) -> tuple[str, ...]:
    """The tools that it names."""
    found = alternative.get("tools")
    return tuple(each for each in found if isinstance(each, str)) if isinstance(found, list | tuple) else ()


def asks(strategy: object, diagnosis: Raw) -> bool:
    """Is that strategy to ask the user: an alternative without tools, or ask_user by name?"""
    named = [each for each in alternatives(diagnosis) if each["strategy"] == strategy]
    return strategy == Approach.ASK_USER.value if not named else not any(map(tools_named, named))


def confidence_of(strategy: object, diagnosis: Raw) -> float | None:
    """The confidence of the alternative of that name; None when there is none."""
    found = (each.get("confidence") for each in alternatives(diagnosis) if each["strategy"] == strategy)
    return number(next(found, None))


def whys(diagnosis: Raw) -> tuple[str, ...]:
    """The five whys in order; none at all when one is missing."""
    chain = diagnosis.get("whyChain")
    found = [field(chain, name) for name in WHYS]
    return tuple(found) if all(map(is_text, found)) else ()


def wrong_id(diagnosis: Raw) -> str:
    """What is wrong with the id, "" when nothing is."""
    found = diagnosis.get("id")
    return "" if isinstance(found, str) and ULID.fullmatch(found) else f"id {found!r}"


def wrong_time(diagnosis: Raw) -> str:
    """What is wrong with the form of the timestamp."""
    found = diagnosis.get("timestamp")
    return "" if instant(found) is not None else f"timestamp {found!r}"


def wrong_whys(diagnosis: Raw) -> str:
    """What is wrong with the why chain."""
    chain = diagnosis.get("whyChain")
    if not isinstance(chain, Mapping) or set(chain) != set(WHYS):
        return f"whyChain {chain!r}"
    empty = [name for name in WHYS if not is_text(chain[name])]
    return f"{empty[0]} {chain[empty[0]]!r}" if empty else ""


def wrong_cause(diagnosis: Raw) -> str:
    """What is wrong with the root cause."""
    return _wrong("rootCause", diagnosis.get("rootCause"), category=is_text, description=is_text, confidence=is_share)


def wrong_classification(diagnosis: Raw) -> str:
    """What is wrong with the form of the classification."""
    found = diagnosis.get("errorClassification")
    return _wrong("errorClassification", found, type=is_text, severity=is_text, canRecover=_is_bool)


def wrong_alternatives(diagnosis: Raw, *, ranges: bool) -> str:
    """What is wrong with the alternatives; ``ranges``: estimatedIterations may be a range."""
    found = diagnosis.get("alternatives")
    if not isinstance(found, list | tuple):
        return f"alternatives {found!r}"
    iterations = is_range if ranges else is_count
    for place, each in enumerate(found):
        wrong = _wrong(
            f"alternatives[{place}]",
            each,
            strategy=is_text,
            tools=is_texts,
            description=is_text,
            confidence=is_share,
            estimatedIterations=iterations,
        )
        if wrong:
            return wrong
    different = {(each["strategy"], each["description"]) for each in found}
    return "" if len(different) >= FEWEST else f"{len(different)} different alternatives"


def wrong_plan(plan: object, *, highest: bool) -> str:
    """What is wrong with a recovery plan; ``highest``: its priority has to be 1."""
    wrong = _wrong(
        "recoveryPlan",
        plan,
        priority=_is_one if highest else _is_priority,
        strategy=is_text,
        steps=lambda steps: isinstance(steps, list | tuple),
        fallbackChain=is_texts,
    )
    if wrong or not isinstance(plan, Mapping):
        return wrong
    for place, step in enumerate(plan["steps"]):
        wrong = _wrong(f"steps[{place}]", step, action=is_text, tool=_is_tool, args=_is_object, expectedOutcome=is_text)
        if wrong:
            return wrong
    return ""


def wrong_learning(diagnosis: Raw) -> str:
    """What is wrong with the learning opportunity."""
    found = diagnosis.get("learningOpportunity")
    return _wrong(
        "learningOpportunity",
        found,
        pattern=is_text,
        rule=is_text,
        applicableTaskTypes=is_texts,
        generalizability=is_share,
    )


def incomplete(diagnosis: Raw) -> str:
    """What is missing from a diagnosis, or has another form than the document's, in the widest reading."""
    plan, hopeless = diagnosis.get("recoveryPlan"), field(diagnosis.get("errorClassification"), "canRecover") is False
    found = (
        wrong_id(diagnosis),
        wrong_time(diagnosis),
        wrong_whys(diagnosis),
        wrong_cause(diagnosis),
        wrong_classification(diagnosis),
        wrong_alternatives(diagnosis, ranges=True),
        "" if plan is None and hopeless else wrong_plan(plan, highest=False),
        wrong_learning(diagnosis),
    )
    return next(filter(None, found), "")


def steps_of(plan: object) -> tuple[Raw, ...]:
    """The steps of a plan that are objects, in order."""
    found = field(plan, "steps")
    return tuple(each for each in found if isinstance(each, Mapping)) if isinstance(found, list | tuple) else ()


def is_count(value: object) -> bool:
    """Is it a finite number of at least zero?"""
    found = number(value)
    return found is not None and 0.0 <= found < float("inf")


def is_range(value: object) -> bool:
    """Is it such a number, or two of them, from one to the other?"""
    if isinstance(value, str):
        return _RANGE.fullmatch(value) is not None
    return is_count(value) or (isinstance(value, Sequence) and len(value) > 0 and all(map(is_count, value)))


def _wrong(name: str, raw: object, **fields: Callable[[object], bool]) -> str:
    """The first field that has not its form, "" when all have."""
    if not isinstance(raw, Mapping):
        return f"{name} {raw!r}"
    for each, is_sound in fields.items():
        if each not in raw:
            return f"{name} without {each}"
        if not is_sound(raw[each]):
            return f"{name}.{each} {raw[each]!r}"
    return ""


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_tool(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_one(value: object) -> bool:
    return number(value) == 1.0


def _is_priority(value: object) -> bool:
    found = number(value)
    return found is not None and found >= 1.0 and found == int(found)
