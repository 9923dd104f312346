"""Two certificates, or the results of two runs, side by side: what was gained and lost, and what moved."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from harness.core.verdict import LEVELS, ClauseVerdict
from harness.errors import FileFormatError, UsageError
from harness.ports.named_file import read_named
from harness.report.certificate import MOST_BYTES, NAME, Certificate
from harness.report.files import RESULT

NO_LEVEL: Final = "no level"
_GOOD: Final = ClauseVerdict.CONFORMS.value


class Side(NamedTuple):
    """One of the two. ``documents`` are the digests of the catalogues, "" where nobody knows."""

    target: str
    windtunnel: str
    implementation: str
    suite: str
    documents: Mapping[str, str]
    levels: Mapping[str, str]
    clauses: Mapping[str, str]


class Difference(NamedTuple):
    """What is otherwise in the new one: levels and clauses as (name, old, new), and what else moved, in sentences."""

    gained: tuple[tuple[str, str, str], ...]
    lost: tuple[tuple[str, str, str], ...]
    other: tuple[tuple[str, str, str], ...]
    moved: tuple[str, ...]


def read(path: Path) -> Side:
    """A certificate, a result.json, or a directory with one of them. UsageError, FileFormatError when it is none."""
    if path.is_dir():
        found = next((path / name for name in (NAME, RESULT) if (path / name).is_file()), None)
        if found is None:
            raise UsageError(f"{path} has neither {NAME} nor {RESULT}; name a certificate or the report of a run")
        path = found
    try:
        raw = msgspec.json.decode(read_named(path, MOST_BYTES))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path} is cut short or no JSON: {error}") from error
    try:
        return _of_certificate(raw) if isinstance(raw, dict) and "predicate" in raw else _of_result(raw)
    except (msgspec.ValidationError, KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(
            f"{path} is neither a certificate nor a result of this version of windtunnel: {error}"
        ) from error


def _of_certificate(raw: Any) -> Side:
    content = msgspec.convert(raw, Certificate).predicate.windtunnel
    return Side(
        content.target,
        content.windtunnel,
        content.implementation_digest,
        content.suite_digest,
        content.documents,
        {name: said.level or NO_LEVEL for name, said in content.systems.items()},
        {id_: found.verdict.value for said in content.systems.values() for id_, found in said.clauses.items()},
    )


def _of_result(raw: Any) -> Side:
    systems = raw["systems"]
    return Side(
        raw["target"],
        "",
        raw["implementation_digest"],
        raw["suite_digest"],
        {},
        {name: result["level"] or NO_LEVEL for name, result in systems.items()},
        {id_: found["verdict"] for result in systems.values() for id_, found in result["clauses"].items()},
    )


def compared(old: Side, new: Side) -> Difference:
    """What the new one has otherwise."""
    gained: list[tuple[str, str, str]] = []
    lost: list[tuple[str, str, str]] = []
    other: list[tuple[str, str, str]] = []
    for name in sorted({*old.levels, *new.levels}):
        was, is_ = old.levels.get(name, "not run"), new.levels.get(name, "not run")
        if was != is_:
            (gained if _rank(is_) > _rank(was) else lost).append((f"{name} level", was, is_))
    for clause in sorted({*old.clauses, *new.clauses}):
        was, is_ = old.clauses.get(clause, "not run"), new.clauses.get(clause, "not run")
        if was != is_:
            (gained if is_ == _GOOD else lost if was == _GOOD else other).append((clause, was, is_))
    return Difference(tuple(gained), tuple(lost), tuple(other), tuple(_moved(old, new)))


def _rank(level: str) -> int:
    return LEVELS.index(level) if level in LEVELS else -1


def _moved(old: Side, new: Side) -> Iterator[str]:
    if old.target != new.target:
        yield f"the target is another: {old.target}, then {new.target}"
    if old.implementation != new.implementation:
        yield f"the implementation has changed: {old.implementation[:16]}, then {new.implementation[:16]}"
    if old.suite != new.suite:
        yield f"the suite has changed: {old.suite[:16]}, then {new.suite[:16]}"
    both = old.documents.keys() & new.documents.keys()
    changed = sorted(name for name in both if old.documents[name] != new.documents[name])
    if changed:
        yield f"what is read out of the documents has changed: {', '.join(changed)}"
    if old.windtunnel and new.windtunnel and old.windtunnel != new.windtunnel:
        yield f"windtunnel is another: {old.windtunnel}, then {new.windtunnel}"
