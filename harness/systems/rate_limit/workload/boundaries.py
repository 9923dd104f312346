"""The enumerated scenarios of level L1: each clause in its own simplest situation, and both sides of every limit."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from harness.core.scenario import Scenario, Step
from harness.systems.rate_limit.contract import Tunables
from harness.systems.rate_limit.workload.steps import (
    DELAYS,
    LIMITED,
    LONGEST,
    MESSAGE,
    NO_LIMIT,
    NO_RETRY,
    REACHES_LONGEST,
    RETRIES,
    SAYS_SO,
    SOURCE,
    STATUS,
    UNAVAILABLE,
    after,
    classify,
    configure,
    retries,
    retry,
    scenario,
)

MANY = 10**6
HUGE = 10**9
LONG_CHARACTERS = 64 * 1024

# in whatever case, with whatever separator of the three, in each form, alone or beside other words
SAYING = (
    "rate limit", "Rate limit exceeded", "RATE LIMIT", "You hit your rate-limit.", "error: rate_limit",
    "Rate Limits apply", "you are being rate limited", "Rate-Limited", "requests are rate limited now",
    "rate limiting is in effect", '{"type": "rate_limit_error"}', "rate_limit_exceeded",
    "This request would exceed your organization's rate limit of 50 requests per minute.",
    "the request failed\n  because of a rate limit\n", "error:\r\nrate limit",
)  # fmt: skip
SILENT = (
    "", "connection reset by peer", "limit of 10 items on this page", "the rate of this room is 80 a night",
    "at this rate the limit of your patience will be reached", "limit rate", "a rate of 5 and a limit of 9",
    "file size limit", "unlimited", "elaborate",
)  # fmt: skip
LONGER_WORDS = ("corporate limits apply here", "corporate limit", "the rate limiter is off", "see rate-limiter.md")
ODD = (
    ("after a NUL\x00 rate limit", True),
    ("rate limit\x00", True),
    ("\u65e5\u672c\u8a9e: rate limit", True),
    ("\u0440\u0435\u0439\u0442 \u043b\u0438\u043c\u0438\u0442", False),  # Cyrillic
    ("r\u0430te limit", False),  # one Cyrillic letter that looks like its Latin one
    ("\x00\x01\x7f", False),
)


def first_level() -> Iterator[Scenario]:
    """The enumerated scenarios, in a fixed order."""
    yield from _statuses()
    yield from _messages()
    yield from _delays()
    yield from _longest()
    yield from _retries()
    yield from _tuned()


def _statuses() -> Iterator[Scenario]:
    plain = tuple(map(classify, (428, 429, 430, 200, 404, None)))
    yield scenario(
        "status-around-429", "The statuses around 429, others, and none.", (STATUS,), plain, NO_LIMIT,
    )  # fmt: skip
    yield scenario(
        "status-429-whatever-it-says", "429 with messages of every kind.", (STATUS,),
        (classify(404), classify(429, ""), classify(429, UNAVAILABLE), classify(429, SAYS_SO), classify(429)), LIMITED,
    )  # fmt: skip
    yield scenario(
        "status-of-other-services", "Statuses that some service or other once gave to its limits are none here.",
        (STATUS,), (*map(classify, (420, 509, 529, 598, 430, 449, 403, 413)), classify(429), classify(420)), NO_LIMIT,
    )  # fmt: skip
    yield scenario(
        "status-odd", "Numbers that are no statuses.", (STATUS,),
        (*map(classify, (0, -429, 42, 4290, 1429, 2**31)), classify(429)), LIMITED,
    )  # fmt: skip
    yield scenario(
        "server-errors", "Failures of the server are backed off from, which makes them limits or does not.",
        (STATUS, SOURCE), (*map(classify, (500, 502, 503, 529, 599)), classify(400), classify(429)), LIMITED,
    )  # fmt: skip


def _messages() -> Iterator[Scenario]:
    saying = tuple(classify(message=text) for text in SAYING)
    silent = tuple(classify(message=text) for text in SILENT)
    yield scenario(
        "message-forms", "The words in every case and form, and messages without them.", (MESSAGE,),
        (*silent, *saying), LIMITED,
    )  # fmt: skip
    yield scenario(
        "message-beside-a-status", "The words in messages of failures with another status.", (MESSAGE,),
        (classify(400, SAYS_SO), classify(200, SAYS_SO), classify(503, SAYS_SO), classify(403, UNAVAILABLE)), NO_LIMIT,
    )  # fmt: skip
    yield scenario(
        "message-longer-words", "The words as parts of longer words: limits in one reading, and none in another.",
        (MESSAGE,), (classify(message=SAYS_SO), *(classify(message=text) for text in LONGER_WORDS),
                     classify(message=UNAVAILABLE)), NO_LIMIT,
    )  # fmt: skip
    odd = tuple(classify(message=text) for text, _ in ODD)
    yield scenario(
        "message-odd-characters", "NUL, other scripts and look-alikes.", (MESSAGE,), odd, NO_LIMIT,
    )  # fmt: skip
    half = "x" * (LONG_CHARACTERS // 2)
    long = (f"{SAYS_SO} {half}{half}", f"{half} rate limit {half}", f"{half}{half} rate limit")
    yield scenario(
        "message-long", "Messages of 64 KiB that begin with the words, hold them, end with them, or have none.",
        (MESSAGE,), (*(classify(message=text) for text in long), classify(message=half + half)), NO_LIMIT,
    )  # fmt: skip


def _delays() -> Iterator[Scenario]:
    yield scenario(
        "delays-nominal", "The five delays: 5, 10, 20, 40 and 80 s.", (DELAYS, RETRIES), retries(1, 2, 3, 4, 5, 6),
        NO_RETRY,
    )  # fmt: skip
    yield scenario(
        "delays-in-any-order", "A delay hangs on the number of the retry alone.", (DELAYS,),
        retries(4, 1, 3, 3, 2, 1), after(5.0),
    )  # fmt: skip
    tuned: Mapping[str, tuple[Mapping[str, Any], float]] = {
        "tripling": ({"initial_delay_s": 1.0, "multiplier": 3.0}, 27.0),
        "by-halves": ({"initial_delay_s": 4.0, "multiplier": 1.5}, 13.5),
        "constant": ({"multiplier": 1.0}, 5.0),
        "short": ({"initial_delay_s": 0.25}, 2.0),
    }
    for name, (tunables, last) in tuned.items():
        yield scenario(
            f"delays-{name}", "Delays of another strategy.", (DELAYS,), retries(1, 2, 3, 4), after(last),
            tunables=tunables,
        )  # fmt: skip


def _longest() -> Iterator[Scenario]:
    for name, initial_s, fourth_s in (
        ("below", 37.499875, 299.999),
        ("at", 37.5, 300.0),
        ("above", 37.500125, 300.0),
    ):
        yield scenario(
            f"longest-{name}-300", "The fourth delay is a millisecond below, at or above the longest.",
            (DELAYS, LONGEST), retries(1, 2, 3, 5, 4), after(fourth_s), tunables={"initial_delay_s": initial_s},
        )  # fmt: skip
    yield scenario(
        "longest-at-once", "The first delay is longer than the longest.", (LONGEST,), retries(1, 2, 5),
        after(300.0), tunables={"initial_delay_s": 301.0},
    )  # fmt: skip
    yield scenario(
        "longest-tuned", "Another longest delay.", (DELAYS, LONGEST), retries(1, 2, 3, 4, 5), after(60.0),
        tunables={"max_delay_s": 60.0},
    )  # fmt: skip
    yield scenario(
        "longest-tuned-longer", "A longest delay above 300 s.", (DELAYS, LONGEST), retries(4, 5, 3), after(300.0),
        tunables={"initial_delay_s": 75.0, "max_delay_s": 1000.0},
    )  # fmt: skip
    yield scenario(
        "longest-after-many", "A million retries: the delay stays the longest, and nothing overflows.",
        (DELAYS, LONGEST, RETRIES), retries(1, 6, 7, 64, 1024, 1030, 65536, MANY + 1, MANY), after(300.0),
        tunables={"max_retries": MANY},
    )  # fmt: skip


def _retries() -> Iterator[Scenario]:
    yield scenario(
        "retries-after-the-last", "No retry after the fifth, however large its number.", (DELAYS, RETRIES),
        retries(1, 4, 5, 6, 7, 65537, 2**31, HUGE), NO_RETRY,
    )  # fmt: skip
    yield scenario(
        "retries-below-one", "Numbers that no retry has.", (DELAYS, RETRIES), retries(0, -1, -HUGE, 6, 1), after(5.0),
    )  # fmt: skip
    for most in (1, 2, 10):
        yield scenario(
            f"retries-tuned-{most}", "Another number of retries.", (DELAYS, RETRIES),
            retries(*range(1, most + 1), most + 1, most + 5), NO_RETRY, tunables={"max_retries": most},
        )  # fmt: skip


def _tuned() -> Iterator[Scenario]:
    yield scenario(
        "configured", "Tunables are set one after the other, and hold.", (DELAYS, LONGEST, RETRIES),
        (retry(2), configure(initial_delay_s=8.0), *retries(1, 2), configure(multiplier=4.0), *retries(2, 3),
         configure(max_delay_s=100.0), *retries(2, 3), configure(max_retries=3), *retries(3, 4),
         configure(initial_delay_s=1.0, multiplier=2.0, max_delay_s=300.0, max_retries=5), *retries(1, 5, 6)),
        NO_RETRY,
    )  # fmt: skip
    for name, values in ODD_TUNABLES.items():
        asked = tuple(configure(**{tunable: value}) for tunable, value in values)
        yield scenario(
            f"configured-{name}", "Values that are no tunables: whatever becomes of them, sound ones hold afterwards.",
            (DELAYS, LONGEST, RETRIES),
            (*retries(2), *asked, *retries(1, 2, 3, 4, 6), _sound(**REACHES_LONGEST), *retries(1, 2, 3, 4, 6)),
            NO_RETRY, tunables=REACHES_LONGEST,
        )  # fmt: skip
    yield scenario(
        "configured-no-retries", "No retries at all: that is taken or refused.", (DELAYS, RETRIES),
        (configure(max_retries=0), *retries(1, 6), configure(max_retries=2), *retries(1, 2, 3)), NO_RETRY,
    )  # fmt: skip
    yield scenario(
        "configured-huge", "A multiplier that no second delay can be computed with.", (DELAYS, LONGEST, RETRIES),
        (configure(multiplier=1e308), *retries(3, 2, 1), configure(multiplier=2.0), *retries(1, 2, 3, 6)), NO_RETRY,
        tunables=REACHES_LONGEST,
    )  # fmt: skip
    yield scenario(
        "configured-among-others", "One that is none beside one that is, and a name that is none.",
        (DELAYS, RETRIES), (*retries(1), configure(max_retries=-1, multiplier=3.0), configure(colour="red"),
                            configure(), *retries(1, 2, 6), _sound(), *retries(1, 2, 6)), NO_RETRY,
    )  # fmt: skip


_EVERY = ("initial_delay_s", "max_delay_s", "multiplier", "max_retries")


def _sound(**tunables: Any) -> Step:
    """Every tunable is set: those that are named, and to its default each of the others."""
    return configure(**{**msgspec.structs.asdict(Tunables()), **tunables})


def _each(value: Any, names: tuple[str, ...] = _EVERY) -> tuple[tuple[str, Any], ...]:
    return tuple((name, value) for name in names)


ODD_TUNABLES: Mapping[str, tuple[tuple[str, Any], ...]] = {
    "zero": _each(0, _EVERY[:3]),
    "negative": (*_each(-1), *_each(-0.001)),
    "fractional": (("max_retries", 2.5), ("max_retries", 4.999), ("multiplier", 0.999)),
    "not-a-number": (*_each("NaN"), *_each("Infinity"), *_each("-Infinity")),
    "null": _each(None),
    "true": (*_each(True), *_each(False)),
    "texts": (*_each("7"), *_each("5"), *_each("")),
    "collections": (*_each([5]), *_each({"s": 5})),
}
