"""What was enumerated about each operation of L3, in rows and sentences that every format shares. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from harness.certify.explored import Explored, KindFacts
from harness.core.verdict import PowerLoss
from harness.report.sentences import joined, plural

HEADINGS = ("explored", "calls", "errno", "killed", "torn", "power", "orders", "failed")
CUT_SHOWN = 3  # operations that are named with what is missing; result.json has them all
NONE = KindFacts(0)


class ExploredRow(NamedTuple):
    """One operation: its scenario, its file calls, the variants of each kind ("-" for none), and those that fail."""

    scenario: str
    calls: str
    errno: str
    killed: str
    torn: str
    power: str
    orders: str
    failed: int


def rows(explored: Sequence[Explored]) -> list[ExploredRow]:
    """A row an operation."""
    return [
        ExploredRow(
            each.scenario,
            f"{each.calls:,}",
            _struck(each.kinds.get("errno", NONE)),
            _struck(each.kinds.get("killed", NONE)),
            _struck(each.kinds.get("torn", NONE)),
            _struck(each.kinds.get("power", NONE)),
            _struck(each.kinds.get("schedule", NONE)),
            sum(kind.failed for kind in each.kinds.values()),
        )
        for each in explored
    ]


def _struck(kind: KindFacts) -> str:
    if not kind.planned:
        return "-"
    return f"{kind.fired:,}" if kind.fired == kind.planned else f"{kind.fired:,} of {kind.planned:,}"


def said(explored: Sequence[Explored]) -> list[str]:
    """What the numbers do not tell: which errors, what stands for what, what was not met, and where it was cut.

    What a loss of power does is said by ``of_power``.
    """
    if not explored:
        return []
    errnos = sorted({name for each in explored for name in each.errnos})
    lines = [f"errors at file calls: {', '.join(errnos)}"] if errnos else []
    alike = sum(each.alike for each in explored)
    if alike:
        lines.append(f"{plural(alike, 'more kill')} would leave the same files as one that was made")
    sampled = sum(each.sampled for each in explored)
    if sampled:
        lines.append(f"{plural(sampled, 'long write')} torn at the ends, the middle and line ends, not at every byte")
    not_met = sum(kind.not_met for each in explored for kind in each.kinds.values())
    if not_met:
        lines.append(f"{plural(not_met, 'fault')} not met: the call did not come again")
    untouched = [each.scenario for each in explored if not each.calls and not each.cut]
    if untouched:
        lines.append(f"no file was touched, which the supervisor saw: {joined(untouched, CUT_SHOWN)}")
    bounded = [each for each in explored if each.bounded]
    lines += [f"orders in {each.scenario} cut: {each.bounded}" for each in bounded[:CUT_SHOWN]]
    if len(bounded) > CUT_SHOWN:
        lines.append(f"and in {plural(len(bounded) - CUT_SHOWN, 'more operation')}")
    cut = [each for each in explored if each.cut]
    if not cut:
        if bounded:
            return [*lines, "nothing else that could be enumerated was left out"]
        return [*lines, "exhaustive: nothing that could be enumerated was left out"]
    lines += [f"cut in {each.scenario}: {each.cut}" for each in cut[:CUT_SHOWN]]
    return lines + ([f"and in {plural(len(cut) - CUT_SHOWN, 'more operation')}"] if len(cut) > CUT_SHOWN else [])


def of_power(found: PowerLoss | None) -> list[str]:
    """What a loss of power does, apart from any level; nothing where nobody looked."""
    if found is None:
        return []
    model = f"model: {found.model}"
    cut = f"; cut: {found.cut}" if found.cut else ""
    if not found.failures:
        verdict = "survived" if found.survived else "nothing failed"
        return [f"loss of power: {verdict} in {plural(found.states, 'state')}{cut} ({model})"]
    told = (f"{clause} in {len(ids):,} of them, first {ids[0]}" for clause, ids in found.failures.items())
    return [f"loss of power: {plural(found.states, 'state')}, failing {'; '.join(told)}{cut} ({model})"]
