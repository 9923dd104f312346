"""The cases of one call refused, and of the operation killed at one call."""

from collections.abc import Iterator
from typing import Final

from harness.explore.program.cases import StruckCase
from harness.explore.program.operation import Operation
from harness.explore.writes import Write
from harness.faults.syscalls import Call, Fail, Kill, Kind, Site, Torn, believable_errnos

_SHORT_FIRST: Final = ("ENOSPC", "EDQUOT")


def errno_cases(operation: Operation) -> Iterator[StruckCase]:
    """Every call with every error it can meet, in the order of the calls."""
    number = 0
    for site, call in operation.calls:
        for errno in believable_errnos(call.name, call.flags):
            if call.kind is Kind.COPY:
                continue
            number += 1
            short = _is_short(call, errno)
            how = "writes its first half, then fails with" if short else "fails with"
            yield StruckCase(
                id=f"E{number}",
                layer="errno",
                label=f"{site.text()} {how} {errno}",
                site=site,
                answer=Fail(errno),
                names=operation.names,
                short_first=short,
            )


def _is_short(call: Call, errno: str) -> bool:
    return call.kind is Kind.WRITE and errno in _SHORT_FIRST and call.length > 1


def kill_cases(operation: Operation) -> Iterator[StruckCase]:
    """Killed before every call, and in the middle of every write."""
    done = operation.record.recording.done
    changes = operation.record.recording.changes
    number = 0
    for position, (site, call) in enumerate(operation.calls):
        if call.kind is Kind.COPY:
            continue
        made = done[position]
        number += 1
        yield _killed(operation, number, site, Kill(), f"killed before {site.text()}", (made, 0))
        half = call.length // 2
        writes = made < len(changes) and isinstance(changes[made], Write)
        if call.kind is Kind.WRITE and half and writes:
            number += 1
            yield _killed(
                operation, number, site, Torn(half), f"killed after byte {half} of {site.text()}", (made, half)
            )


def _killed(
    operation: Operation, number: int, site: Site, answer: Kill | Torn, label: str, reached: tuple[int, int]
) -> StruckCase:
    return StruckCase(
        id=f"K{number}",
        layer="kill",
        label=label,
        site=site,
        answer=answer,
        names=operation.names,
        forecast=operation.forecast(*reached),
    )
