"""The files as an operation found them: errors.json, metadata, the plan, statuses of tasks. Pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from harness.core.history import InputFact
from harness.systems.error_log.contract import PARTIAL_MARK

OBJECT: Final = "object"
LIST: Final = "list"
_LONGEST_INTEGER: Final = 4000
_FAILED_MARK: Final = re.compile(r"\[\s*failed\s*\]", re.IGNORECASE)
_COMPLETED_MARK: Final = re.compile(r"\[\s*(completed|complete|done)\s*\]", re.IGNORECASE)
_MARK: Final = re.compile(r"\[[^\[\]]*\]")
_HEADING: Final = re.compile(r"\ufeff?\s{0,3}#{1,6}(\s|$)")
_WORD: Final = re.compile(r"\[[^\[\]]{2,}\]")
_STATUS_LINE: Final = re.compile(r"\W*status\b", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"\bphase\s*(\d+)\b", re.IGNORECASE)
_STATUS: Final = re.compile(
    r"not[ _-]started|researching|researched|planning|planned|implementing|implemented|completed|blocked|abandoned",
    re.IGNORECASE,
)


class Errors(msgspec.Struct, frozen=True):
    """errors.json: its ``shape``, its records and what is no record, in order, and what stands beside them."""

    shape: str
    records: tuple[Mapping[str, Any], ...]
    others: tuple[Any, ...] = ()
    beside: Mapping[str, Any] = {}


def decoded(fact: InputFact | None, *, lenient: bool = False) -> Any:
    """The JSON document in a file; None when there is no such file, or it is none.

    ``lenient``: as some readers have it, behind a byte order mark and with numbers that are none.
    """
    if fact is None or fact.kind != "file" or fact.data is None:
        return None
    try:
        text = fact.data.decode("utf-8-sig" if lenient else "utf-8")
        return json.loads(text, parse_int=_integer, parse_constant=float if lenient else _refused)
    except (RecursionError, ValueError):
        return None


def _refused(word: str) -> None:
    raise ValueError(word)


def _integer(digits: str) -> int | str:
    """The number; of one that is longer than Python reads, its digits."""
    return int(digits) if len(digits) <= _LONGEST_INTEGER else digits


def errors(fact: InputFact | None, *, lenient: bool = False) -> Errors | None:
    """errors.json in either of its shapes; None when it is neither."""
    found = decoded(fact, lenient=lenient)
    beside: Mapping[str, Any] = {}
    shape = LIST
    if isinstance(found, dict):
        shape, beside = OBJECT, {name: value for name, value in found.items() if name != "errors"}
        found = found.get("errors")
    if not isinstance(found, list):
        return None
    records = tuple(each for each in found if isinstance(each, dict))
    return Errors(shape, records, tuple(each for each in found if not isinstance(each, dict)), beside)


def metadata(fact: InputFact | None) -> Mapping[str, Any] | None:
    """The metadata; None when it is no JSON object with a status, or there is none."""
    found = decoded(fact)
    return found if isinstance(found, dict) and isinstance(found.get("status"), str) else None


def stage(raw: Mapping[str, Any] | None) -> str | None:
    """The resume point in metadata."""
    progress = (raw or {}).get("partial_progress")
    found = progress.get("stage") if isinstance(progress, dict) else None
    return found if isinstance(found, str) and found.strip() else None


def lines(fact: InputFact | None) -> tuple[str, ...] | None:
    """The lines of a text file; None when there is no such file, or its content is not known."""
    if fact is None or fact.kind != "file" or fact.data is None:
        return None
    return tuple(fact.data.decode(errors="replace").splitlines())


def of_phase(plan: Sequence[str], phase: str, phases: Sequence[str]) -> tuple[str, ...]:
    """The lines of a plan that speak of that phase: by its name, or by its number among ``phases``."""
    plain = _plain(phase)
    number = phases.index(phase) + 1 if phase in phases else None
    named = tuple(line for line in plan if plain and plain in _plain(_MARK.sub(" ", line)))
    if named:
        return named
    return tuple(line for line in plan if number in {int(each) for each in _NUMBERED.findall(line)})


def section(plan: Sequence[str], phase: str, phases: Sequence[str]) -> tuple[str, ...]:
    """The lines of a plan that speak of that phase, and what stands below its headings, up to the next ones."""
    spoken = set(of_phase(plan, phase, phases))
    found: list[str] = []
    below = False
    for line in plan:
        heading = _HEADING.match(line) is not None
        below = line in spoken if heading else below
        if below or line in spoken:
            found.append(line)
    return tuple(found)


def is_mark(line: str) -> bool:
    """Is that a heading, or a line with a mark, of more than a character as a box has, or one that tells a status?"""
    return bool(_HEADING.match(line) or _WORD.search(line) or _STATUS_LINE.match(line))


def unmarked(line: str) -> str:
    """A line without its marks."""
    return _MARK.sub("", line).strip()


def raw_lines(fact: InputFact | None) -> tuple[str, ...]:
    """The lines of a text file that are not blank, so that lines alike are alike byte for byte."""
    data = (fact.data if fact is not None and fact.kind == "file" else None) or b""
    return tuple(line.decode("latin-1") for line in data.split(b"\n") if line.strip())


def read(line: str) -> str:
    """A raw line as it reads."""
    return line.encode("latin-1").decode(errors="replace").rstrip("\r")


def is_partial(line: str) -> bool:
    """Is the phase of that line marked [PARTIAL]?"""
    return PARTIAL_MARK in line


def is_failed(line: str) -> bool:
    """Is the phase of that line marked as failed?"""
    return _FAILED_MARK.search(line) is not None


def is_completed(line: str) -> bool:
    """Is the phase of that line marked as completed?"""
    return _COMPLETED_MARK.search(line) is not None


def statuses(fact: InputFact | None) -> frozenset[str] | None:
    """The words for the status of tasks that a file has, whatever else is in it; None when its text is not known."""
    text = lines(fact)
    if text is None:
        return None
    return frozenset(re.sub("[ -]", "_", found.lower()) for line in text for found in _STATUS.findall(line))


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, wherever it stands."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts(each)


def leaves(value: Any) -> Iterator[str]:
    """Every text and every number in a JSON value, as text."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from leaves(each)
    else:
        yield from texts(value)


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every object in a JSON value, the outermost first."""
    if isinstance(value, Mapping):
        yield value
        for each in value.values():
            yield from objects(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from objects(each)


def same(one: Any, other: Any) -> bool:
    """Are these the same JSON value? (true is not 1.)"""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    both_none = one != one and other != other  # noqa: PLR0124 - numbers that are none
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other or both_none)


def _plain(text: str) -> str:
    return re.sub(r"[^\w]+", "", text).lower()
