"""Plans as their texts show them. What readers of Markdown take differently is doubtful, and judged by nobody. Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from harness.systems.phase_runner.contract.words import COLUMNS, Problem, normalised

_DELIMITER: Final = re.compile(r":?-+:?")
_BREAKS: Final = re.compile(r"[\x00\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|\r(?!\n)")
_FENCES: Final = ("```", "~~~", "<")
_MARKUP: Final = re.compile(r"[*_~`<>&\[\]\\]")
_NONE: Final = ("", "-")
_NOT_BEGUN: Final = frozenset(("", "-", "pending", "todo", "not started"))
_WANTED: Final = tuple(each.lower() for each in COLUMNS)


class Row(msgspec.Struct, frozen=True):
    """One phase of a plan, by normalised ids. ``name`` is None where its cell has marks that may be taken out."""

    phase_id: str
    name: str | None
    depends_on: tuple[str, ...]
    parallel_with: tuple[str, ...]


class Plan(msgspec.Struct, frozen=True):
    """What a text is as a plan: ``rows`` with ``problems``, any of which may be the one that is told.

    Of one that ``is_doubtful`` nobody can say what it is.
    """

    rows: tuple[Row, ...] = ()
    problems: frozenset[Problem] = frozenset()
    is_doubtful: bool = False


DOUBTFUL: Final = Plan(is_doubtful=True)
Table = Sequence[Sequence[str]]


def read_plan(text: str) -> Plan:
    """The plan that stands in that text; its graph is not looked at."""
    lines = text.replace("\r\n", "\n").split("\n")
    if _BREAKS.search(text.replace("\r\n", "\n")) or any(_is_odd(line) for line in lines):
        return DOUBTFUL
    tables: list[Table] = []
    for block in _blocks(lines):
        table = _table(block)
        if table is None:
            return DOUBTFUL
        tables.append(table)
    return _chosen(tables)


def _is_odd(line: str) -> bool:
    """May it begin, or be within, something in which a table is none?"""
    return line.strip().startswith(_FENCES) or "<!--" in line or ("|" in line and line[0] in " \t")


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """The lines with bars that stand together, with what touches them on either side."""
    block: list[str] = []
    before = ""
    for line in lines:
        if "|" in line:
            if not block and before.strip() and not before.startswith("#"):
                block.append(before)
            block.append(line)
        elif block:
            if line.strip():
                block.append(line)
            yield block
            block = []
        before = line
    if block:
        yield block


def _table(block: Sequence[str]) -> Table | None:
    """The rows of a table, without the delimiters; None when these lines may be read as another thing."""
    rows = [_cells(line.strip()) for line in block]
    sound = [row for row in rows if row is not None]
    if len(sound) < max(len(rows), 2) or any(len(row) != len(sound[0]) for row in sound):
        return None
    if not all(_DELIMITER.fullmatch(cell) for cell in sound[1]):
        return None
    return [sound[0], *sound[2:]]


def _cells(line: str) -> list[str] | None:
    """The cells of a line that has a bar at each end; None when it has not."""
    parts = re.split(r"(?<!\\)\|", line)
    if len(parts) < 3 or parts[0] or parts[-1] or "\\\\|" in line:
        return None
    return [part.replace("\\|", "|").strip() for part in parts[1:-1]]


def _chosen(tables: Sequence[Table]) -> Plan:
    """The plan in these tables."""
    headers = [[cell.lower() for cell in table[0]] for table in tables]
    if any(len(set(header)) < len(header) and set(header) & set(_WANTED) for header in headers):
        return DOUBTFUL
    whole = [table for table, header in zip(tables, headers, strict=True) if set(_WANTED) <= set(header)]
    partly = [header for header in headers if "phase" in header and not set(_WANTED) <= set(header)]
    if not whole:
        none = frozenset((Problem.NO_TABLE,))
        close = any(set(header) & set(_WANTED) for header in headers)
        return Plan(problems=none | {Problem.MISSING_COLUMN} if close else none)
    if len(whole) > 1:
        return Plan(problems=frozenset((Problem.SEVERAL_TABLES,)))
    return DOUBTFUL if partly else _plan(whole[0])


def _plan(table: Table) -> Plan:
    place = {name: [cell.lower() for cell in table[0]].index(name) for name in _WANTED}
    rows: list[Row] = []
    problems: set[Problem] = set()
    for cells in table[1:]:
        phase, name, depends, parallel, _, status = (cells[place[each]] for each in _WANTED)
        lists = [_ids(cell) for cell in (depends, parallel)]
        if _MARKUP.search(phase + depends + parallel) or None in lists or status.lower() not in _NOT_BEGUN:
            return DOUBTFUL
        if not normalised(phase):
            problems.add(Problem.BAD_ID)
        named = None if _MARKUP.search(name) else name
        rows.append(Row(normalised(phase), named, lists[0] or (), lists[1] or ()))
    return Plan(tuple(rows), frozenset(problems if rows else (Problem.NO_PHASES,)))


def _ids(cell: str) -> tuple[str, ...] | None:
    """The ids of a list, each once; None when it holds what is none."""
    if cell in _NONE:
        return ()
    found = tuple(dict.fromkeys(normalised(each) for each in cell.split(",")))
    return None if "" in found else found
