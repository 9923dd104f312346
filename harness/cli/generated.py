"""What scenarios were written by ``windtunnel generate``, in lines for people and as data."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from harness.explore.generate import Generated
from harness.explore.pairs import Paired

TOLD_OPEN = 5  # reasons for which pairs are in no file


def lines(profile: str, made: Generated | Paired, count: int | None, asked: tuple[str, ...]) -> Iterator[str]:
    """For people: ``count`` were wanted (None: as many as there are), of the faults ``asked`` for."""
    if isinstance(made, Paired):
        return _of_pairs(profile, made)
    return _of_coverage(profile, made, count or 0, asked)


def as_data(made: Generated | Paired, count: int | None, asked: tuple[str, ...]) -> dict[str, Any]:
    """All of that as builtins."""
    told: dict[str, Any] = {"wanted": count, "chosen": len(made.chosen)}
    if isinstance(made, Generated):
        told |= {"tried": made.tried, "refused": _refused(made, asked)}
        told["fewer_because"] = _why(made) if len(made.chosen) < (count or 0) else []
    else:
        told |= {"needed": made.needed, "pairs": made.pairs, "met": made.met, "exclusive": made.exclusive}
        told |= {"open": len(made.open), "open_reasons": _open(made), "left_out": list(made.left_out)}
    return {**told, "unsteady": made.unsteady, "red": [scenario.id for scenario in made.red]}


def _of_coverage(profile: str, made: Generated, count: int, asked: tuple[str, ...]) -> Iterator[str]:
    yield f"{profile}: {len(made.chosen)} of {count} scenarios, chosen from {made.tried} candidates"
    if len(made.chosen) < count:
        yield f"  fewer than asked for: {'; '.join(_why(made))}"
    for name, reason in _refused(made, asked).items():
        yield f"  {name} is in none of them: {reason}"


def _of_pairs(profile: str, made: Paired) -> Iterator[str]:
    yield f"{profile}: {len(made.chosen)} scenarios of {made.needed} that would hold every pair"
    yield (
        f"  {made.met:,} of {made.pairs:,} pairs of faults stood against one operation; {made.exclusive:,} strike one "
        f"place and cannot stand at once; {len(made.open):,} are left open"
    )
    reasons = _open(made)
    for each in reasons[:TOLD_OPEN]:
        yield f"  open: {each['pairs']:,} {each['reason']}; the first is {' and '.join(each['first'])}"
    if len(reasons) > TOLD_OPEN:
        yield f"  ... and {sum(each['pairs'] for each in reasons[TOLD_OPEN:]):,} for other reasons"
    if made.left_out:
        yield f"  in no pair, for want of a place or of an end that is always the same: {', '.join(made.left_out)}"
    if made.unsteady:
        yield f"  {made.unsteady} did not end twice the same"


def _why(made: Generated) -> list[str]:
    why = ["no further candidate covered anything new"] if made.tried else ["no fault of these strikes anything"]
    return [*why, f"{made.unsteady} did not end twice the same"] if made.unsteady else why


def _refused(made: Generated, asked: tuple[str, ...]) -> dict[str, str]:
    return {name: why for name, why in made.refused.items() if asked or not why.startswith("nothing for it")}


def _open(made: Paired) -> list[dict[str, Any]]:
    """The pairs that are in no file, by the reason, the most frequent first."""
    return [
        {
            "reason": reason,
            "pairs": count,
            "first": sorted(next(pair for pair, why in made.open.items() if why == reason)),
        }
        for reason, count in Counter(made.open.values()).most_common()
    ]
