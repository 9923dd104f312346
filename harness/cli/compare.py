"""``windtunnel replay --against``: the first step at which two implementations part."""

import shutil
from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Any

import click
import msgspec

from harness.core.history import Completed, FileFact, History
from harness.report.text import as_line

# what people read, and every implementation words as it likes; whether there is any is compared all the same
PROSE = ("continuation_prompt", "summary", "prompt", "message")
# what is told beside a result
ASIDE = ("log", "stdout_excerpt", "stderr_excerpt")
NARROWEST, WIDEST = 60, 160
FILES_SHOWN = 10


def parted(ours: History, theirs: History) -> tuple[int, Completed | None, Completed | None] | None:
    """The number (from 1, resets not counted) and both sides of the first operation that ended differently."""
    pairs = zip_longest(_operations(ours), _operations(theirs))
    for number, (one, other) in enumerate(pairs, start=1):
        if one is None or other is None or decisive(one) != decisive(other):
            return number, one, other
    return None


def decisive(done: Completed) -> Any:
    """What of an operation's end two implementations have to agree on: no prose, no logs."""
    if done.end is None:
        return None
    return done.end.type.value, _reduced(done.end.value)


def show(first: str, second: str, ours: History, theirs: History, *, whole: bool) -> int:
    """Says where they part, with ``whole`` side by side; 0 when they do not, 1 when they do."""
    first, second, found = as_line(first), as_line(second), parted(ours, theirs)
    if found is None:
        count = len(_operations(ours))
        many = f"all {count} operations" if count > 1 else "the one operation"
        click.echo(f"they do not part: {first} and {second} end {many} alike")
        return 0
    number, one, other = found
    done = one or other
    assert done is not None  # noqa: S101 - one of two sides is there, or they would not part
    click.echo(f"they part at operation {number}: {done.begin.op}")
    click.echo(f"args: {_json(done.begin.value)}")
    if standing := _standing(done):
        click.echo(f"under: {', '.join(standing)}")
    if whole:
        for line in _side_by_side(first, second, one, other):
            click.echo(line)
        for line in _files(first, second, one, other):
            click.echo(line)
    else:
        click.echo(f"{first}: {_json(_end(one))}\n{second}: {_json(_end(other))}")
    return 1


def as_data(first: str, second: str, ours: History, theirs: History) -> dict[str, Any]:
    """The same as builtins: how many operations there were, and where they part, all of it."""
    found = parted(ours, theirs)
    told: dict[str, Any] = {"operations": len(_operations(ours)), "parts_at": None}
    if found is None:
        return told
    number, one, other = found
    done = one or other
    assert done is not None  # noqa: S101 - one of two sides is there, or they would not part
    left, right = _after(one), _after(other)
    parts_at = {
        "operation": number,
        "op": done.begin.op,
        "args": msgspec.to_builtins(done.begin.value),
        "under": _standing(done),
        "ends": [{"target": name, **_of_end(side)} for name, side in ((first, one), (second, other))],
        "files": [
            {"path": path, "found": [_told(left.get(path)), _told(right.get(path))]} for path in _differing(left, right)
        ],
    }
    return {**told, "parts_at": parts_at}


def _of_end(done: Completed | None) -> dict[str, Any]:
    """How an operation ended; without a type where nothing was answered."""
    if done is None or done.end is None:
        return {"type": None, "value": None}
    return {"type": done.end.type.value, "value": msgspec.to_builtins(done.end.value)}


def _standing(done: Completed) -> list[str]:
    """The faults that were proven to stand when it was called."""
    return list(dict.fromkeys(each.fault.name for each in done.begin.faults if each.armed and each.proof))


def _operations(history: History) -> list[Completed]:
    return [done for done in history.operations() if done.begin.op != "reset"]


def _reduced(value: Any, name: str = "") -> Any:
    if name in PROSE and isinstance(value, str):
        return "some text" if value else None
    if isinstance(value, Mapping):
        # what is empty may be said or left out
        told = {key: each for key, each in value.items() if key not in ASIDE and each not in (None, "", [], (), {})}
        return {key: _reduced(each, key) for key, each in told.items()}
    if isinstance(value, list | tuple):
        return [_reduced(each) for each in value]
    return value


def _end(done: Completed | None) -> Mapping[str, Any]:
    if done is None or done.end is None:
        return {"no": "answer"}
    return {"": done.end.type.value, **done.end.value} if done.end.type.value != "ok" else done.end.value


def _side_by_side(first: str, second: str, one: Completed | None, other: Completed | None) -> Iterable[str]:
    width = (min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST) - 3) // 2
    left, right = _end(one), _end(other)
    rows = [(first, second), ("-" * width, "-" * width)]
    for name in dict.fromkeys([*left, *right]):
        rows.append((_field(name, left), _field(name, right)))
    for a, b in rows:
        mark = " " if a == b or (a, b) == rows[0] else "|"
        for x, y in zip_longest(_cut(a, width), _cut(b, width), fillvalue=""):
            yield f"{x:<{width}} {mark} {y}".rstrip()


def _field(name: str, value: Mapping[str, Any]) -> str:
    return f"{name}: {_json(value[name])}" if name in value else ""


def _cut(text: str, width: int) -> list[str]:
    return [text[start : start + width] for start in range(0, len(text), width)] or [""]


def _files(first: str, second: str, one: Completed | None, other: Completed | None) -> Iterable[str]:
    """The files that only one of them has now, or that hold something else."""
    left, right = _after(one), _after(other)
    paths = _differing(left, right)
    if paths:
        yield "files that differ:"
    for path in paths[:FILES_SHOWN]:
        yield f"  {path}: {_told(left.get(path))} ({first}), {_told(right.get(path))} ({second})"
    if len(paths) > FILES_SHOWN:
        yield f"  and {len(paths) - FILES_SHOWN} more"


def _differing(left: Mapping[str, FileFact], right: Mapping[str, FileFact]) -> list[str]:
    return [path for path in sorted({*left, *right}) if _content(left.get(path)) != _content(right.get(path))]


def _after(done: Completed | None) -> Mapping[str, FileFact]:
    return {} if done is None or done.end is None else done.end.files


def _content(fact: FileFact | None) -> Any:
    return None if fact is None else (fact.kind, fact.sha256)


def _told(fact: FileFact | None) -> str:
    if fact is None:
        return "not there"
    return f"file of {fact.size} bytes" if fact.kind == "file" else fact.kind


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
