"""What the reference watch over rationalisations makes of texts: how much of it a second, and of longer ones."""

import time

from benchmarks.measure import ROUNDS, Figure, ratios
from harness.systems.rationalization.reference.phrases import Phrases

SENTENCES = (
    "The login endpoint answers 200 to a valid token, and 401 to one that has expired.\n",
    "I ran the whole suite on commit 4f2a91c: 312 passed, none were skipped, in 41 seconds.\n",
    "- the session is kept in `redis`, so that a second process finds it\n",
    "\n",
    "What is left is the page for the settings, which I begin with the form.\n",
    "> Please keep the old address of the page, too.\n",
    "\n",
)
ORDINARY = "".join(SENTENCES) * 5 + "This is good enough for a first look; the styles follow with the next commit.\n\n"
"""Every two thousand characters somebody says something that is looked for."""
SHORT_CHARACTERS, LONG_CHARACTERS = 250_000, 4_000_000
HOSTILE = {
    "hits": "I think this is probably fine. ",
    "open-quotes": "\u201c",
    "code-spans": "`a` probably ",
    "fences": "```\nprobably\n```\n",
}
"""Texts of one part again and again, as hard for who looks for phrases, and for what is only mentioned, as can be."""


def scanned() -> list[tuple[str, Figure]]:
    """MB of ordinary text a second; and the time a character takes in a text of sixteen times the length, too."""
    long = _of(ORDINARY, LONG_CHARACTERS)
    rates = tuple(len(long) / _seconds(long) / 1e6 for _ in range(ROUNDS))
    found = [("scan", Figure(rates, " MB/s", "ordinary text scanned", "at least 20"))]
    for name, part in {"ordinary": ORDINARY, **HOSTILE}.items():
        meaning = f"time a character in {LONG_CHARACTERS:,} of {name} : in {SHORT_CHARACTERS:,}"
        found.append((f"scan-{name}", Figure(_growth(part), "", meaning, "at most 1.5")))
    return found


def _growth(part: str) -> tuple[float, ...]:
    short, long = _of(part, SHORT_CHARACTERS), _of(part, LONG_CHARACTERS)
    return ratios(lambda: _seconds(long) / len(long), lambda: _seconds(short) / len(short), rounds=5)


def _of(part: str, characters: int) -> str:
    return part * (characters // len(part))


def _seconds(text: str) -> float:
    begun = time.perf_counter()
    Phrases().findings(text, has_output=False)
    return time.perf_counter() - begun
