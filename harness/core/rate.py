"""What so many trials say of a rate, at a stated confidence: exact one-sided bounds, without tables. Pure.

Source: CERTIFICATION.md, "Levels": a statistical claim is stated as one.
"""

import math

CONFIDENCE = 0.95
_STEPS = 48  # halvings of [0, 1]: to a part in 10**14


def at_least(trials: int, failures: int, confidence: float = CONFIDENCE) -> float:
    """The lower bound of the rate of success, from 0 to 1, after ``failures`` of ``trials``.

    Clopper and Pearson's one-sided bound; without failures it is ``(1 - confidence) ** (1 / trials)``, the rule of
    three. No trial bounds nothing: 0. It holds for trials that are drawn alike; chosen scenarios are not, so the
    figure tells how much was tried rather than what the field will show.
    """
    if trials <= 0 or failures >= trials:
        return 0.0
    risk = 1.0 - confidence
    if failures <= 0:
        return float(risk ** (1.0 / trials))
    ways = [math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1) for k in range(failures + 1)]
    low, high = failures / trials, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _at_most(ways, trials, middle) > risk:
            low = middle
        else:
            high = middle
    return 1.0 - high


def none_of(trials: int, what: str) -> str:
    """What it says that none of so many trials failed: ``at most 4.88 % of WHAT, at 95 % confidence``.

    ``what`` is a clause of its own, such as "cases drawn so fail". "" for no trial, which says nothing.
    """
    if trials <= 0:
        return ""
    return f"at most {percent_up(1.0 - at_least(trials, 0), 2)} of {what}, at {CONFIDENCE * 100:.0f} % confidence"


def percent_down(rate: float, digits: int = 3) -> str:
    """The rate in percent, cut and never rounded up: a bound must not claim more than it is."""
    scale = 10**digits
    return f"{math.floor(rate * 100 * scale + 1e-9) / scale:.{digits}f} %"


def percent_up(rate: float, digits: int = 3) -> str:
    """The rate in percent, rounded up: what a rate stays below must not be told smaller than it is."""
    scale = 10**digits
    return f"{math.ceil(rate * 100 * scale - 1e-9) / scale:.{digits}f} %"


def _at_most(ways: list[float], trials: int, chance: float) -> float:
    """The probability of fewer failures than there are ``ways`` (logarithms of binomials); the chance is below 1."""
    yes, no = math.log(chance), math.log1p(-chance)
    return math.fsum(math.exp(way + k * yes + (trials - k) * no) for k, way in enumerate(ways))
