"""The plan's table, out of its Markdown. Pure."""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

from harness.systems.phase_runner.contract import PlanError
from harness.systems.phase_runner.contract.words import COLUMNS, FailureType, Problem, normalised

NONE: Final = "-"
SHOWN: Final = 80  # characters of a cell that are quoted
ENOUGH_COLUMNS: Final = 3  # of the plan's: a table with so many of them is meant for the plan
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_DELIMITER: Final = re.compile(r"\s*:?-+:?\s*")
_BAR: Final = re.compile(r"(?<!\\)\|")
_FENCE: Final = re.compile(r" {0,3}(`{3,}(?!.*`)|~{3,})")
_INDENTED: Final = re.compile(r"( {4}| {0,3}\t)")
PHASE, NAME, DEPENDS_ON, PARALLEL_WITH = (name.lower() for name in COLUMNS[:4])


class InvalidPlanError(Exception):
    """No phase of this plan runs; ``error`` says why."""

    def __init__(self, error: PlanError) -> None:
        super().__init__(error.message)
        self.error = error


class PlannedPhase(NamedTuple):
    """A row of the plan, its ids normalised."""

    phase_id: str
    name: str
    depends_on: tuple[str, ...] = ()
    parallel_with: tuple[str, ...] = ()


class Table(NamedTuple):
    """A table of a Markdown text: the names of its columns in lower case, and its rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def of_the_plan(self) -> int:
        """How many of the plan's columns it has."""
        return sum(name.lower() in self.columns for name in COLUMNS)


class PlanReader:
    """Reads phases out of the text of a plan; each method may raise InvalidPlanError."""

    def phases(self, text: str) -> tuple[PlannedPhase, ...]:
        """The phases, in the order of the table."""
        table = self.table(text)
        if not table.rows:
            raise invalid(Problem.NO_PHASES, "the plan's table has no phases")
        return tuple(self.phase(dict(reversed(list(zip(table.columns, row, strict=False))))) for row in table.rows)

    def table(self, text: str) -> Table:
        """The one table that has all columns of the plan."""
        tables = self.tables(text)
        whole = [each for each in tables if each.of_the_plan == len(COLUMNS)]
        if len(whole) == 1:
            return whole[0]
        if whole:
            raise invalid(Problem.SEVERAL_TABLES, f"{len(whole)} tables have the columns of a plan")
        meant = [each for each in tables if PHASE in each.columns or each.of_the_plan >= ENOUGH_COLUMNS]
        if not meant:
            raise invalid(Problem.NO_TABLE, f"no table has the columns {', '.join(COLUMNS)}")
        missing = [name for name in COLUMNS if name.lower() not in meant[0].columns]
        raise invalid(Problem.MISSING_COLUMN, f"the plan's table lacks {', '.join(missing)}")

    def tables(self, text: str) -> list[Table]:
        """All tables outside code."""
        lines = self.lines(text)
        found: list[Table] = []
        taken = 0
        for number, (line, below) in enumerate(pairwise([*lines, ""])):
            if number < taken or not self.is_heading(line, below):
                continue
            taken = number + 2
            while taken < len(lines) and "|" in lines[taken]:
                taken += 1
            columns = tuple(cell.lower() for cell in self.cells(line))
            found.append(Table(columns, tuple(self.cells(each) for each in lines[number + 2 : taken])))
        return found

    def lines(self, text: str) -> list[str]:
        """The lines, those of code empty."""
        found: list[str] = []
        fence = ""
        for line in _LINE_END.split(text.removeprefix("\ufeff")):
            mark = _FENCE.match(line)
            inside = bool(fence)
            if mark and not fence:
                fence = mark[1]
            elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
            is_code = inside or mark or _INDENTED.match(line)
            found.append("" if is_code else line)
        return found

    def is_heading(self, line: str, below: str) -> bool:
        """Does a table begin with these two lines?"""
        if "|" not in line or "|" not in below:
            return False
        cells = self.cells(below)
        return len(cells) == len(self.cells(line)) and all(map(_DELIMITER.fullmatch, cells))

    def cells(self, line: str) -> tuple[str, ...]:
        """The cells of a row; a bar after a backslash is part of one."""
        parts = _BAR.split(line.strip())
        first = 1 if not parts[0] else 0
        last = len(parts) - 1 if len(parts) > 1 and not parts[-1] else len(parts)
        return tuple(part.replace("\\|", "|").strip() for part in parts[first:last])

    def phase(self, row: dict[str, str]) -> PlannedPhase:
        """The phase of a row."""
        return PlannedPhase(
            self.id(row.get(PHASE, "")),
            row.get(NAME, ""),
            self.ids(row.get(DEPENDS_ON, "")),
            self.ids(row.get(PARALLEL_WITH, "")),
        )

    def ids(self, cell: str) -> tuple[str, ...]:
        """The ids of a list, each once."""
        found = (part.strip() for part in cell.split(","))
        return tuple(dict.fromkeys(self.id(part) for part in found if part not in ("", NONE)))

    def id(self, raw: str) -> str:
        """One id, normalised."""
        found = normalised(raw)
        if not found:
            raise invalid(Problem.BAD_ID, f"{raw[:SHOWN]!r} is no id of a phase: it has no letter and no digit")
        return found


def invalid(
    problem: Problem,
    message: str,
    phases: Iterable[str] = (),
    edges: Iterable[tuple[str, str]] = (),
) -> InvalidPlanError:
    """What to raise for a plan with that problem."""
    type_ = FailureType.CIRCULAR_DEPENDENCY if problem is Problem.CYCLE else FailureType.PLAN_INVALID
    return InvalidPlanError(PlanError(type_, problem, message, tuple(phases), tuple(edges)))
