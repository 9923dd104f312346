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
OFTEN = "".join(each for each in SENTENCES if each != "\n" and not each.startswith(">")) + (
    'The page says "no such session" where one has expired, tests cover both.\n'
    "This is good enough for a first look; the styles follow.\n\n"
)
"""A paragraph of six lines with code and a quotation, and in each, every 440 characters, such a phrase."""
SHORT_CHARACTERS, LONG_CHARACTERS = 250_000, 4_000_000
HOSTILE = {
    "hits": "I think this is probably fine. ",
    "open-quotes": "\u201c",
    "code-spans": "`a` probably ",
    "fences": "```\nprobably\n```\n",
}
"""Texts of one part again and again, as hard for who looks for phrases, and for what is only mentioned, as can be."""


def scanned() -> list[tuple[str, Figure]]:
    """MB of text a second of processor time; and the time a character takes in a text of sixteen times the length."""
    found = [
        ("scan", Figure(_rates(ORDINARY), " MB/s", "ordinary text scanned", "at least 20")),
        ("scan-often", Figure(_rates(OFTEN), " MB/s", "with a phrase in each paragraph", "at least 20")),
    ]
    for name, part in {"ordinary": ORDINARY, "often": OFTEN, **HOSTILE}.items():
        meaning = f"time a character in {LONG_CHARACTERS:,} of {name} : in {SHORT_CHARACTERS:,}"
        found.append((f"growth-{name}", Figure(_growth(part), "", meaning, "at most 1.5")))
    return found


def _rates(part: str) -> tuple[float, ...]:
    text = _of(part, LONG_CHARACTERS)
    return tuple(len(text) / _seconds(text) / 1e6 for _ in range(ROUNDS))


def _growth(part: str) -> tuple[float, ...]:
    short, long = _of(part, SHORT_CHARACTERS), _of(part, LONG_CHARACTERS)
    return ratios(lambda: _seconds(long) / len(long), lambda: _seconds(short) / len(short), rounds=5)


def _of(part: str, characters: int) -> str:
    return part * (characters // len(part))


def _seconds(text: str) -> float:
    """Of the processor: others that run beside it are no part of what a character costs."""
    begun = time.process_time()
    Phrases().findings(text, has_output=False)
    return time.process_time() - begun
