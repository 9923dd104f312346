"""What a model answers, read strictly, then leniently, and each field checked. Source: 001, Open Questions 4.

Of an answer the whys, the root cause and what can be learned are taken. Its strategies are not: lines for a shell come
from here. An answer that takes the failure for another type than is known explains another failure, and is dropped.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from harness.systems.diagnosis.contract import WHYS, ErrorType
from harness.systems.diagnosis.reference.hostile import clean, line

LONGEST: Final = 1 << 20  # characters of an answer that are looked at
LONGEST_WHY: Final = 500
_FENCED = re.compile(r"```[a-zA-Z]*\s*(\{.*?\})\s*```", re.DOTALL)


class Insight(msgspec.Struct):
    """What is taken of an answer; what it lacks, or has of another shape, is None. ``dropped`` names the latter."""

    type: ErrorType | None = None
    whys: tuple[str, ...] | None = None
    description: str | None = None
    confidence: float | None = None
    rule: str | None = None
    generalizability: float | None = None
    dropped: tuple[str, ...] = ()


class Answers:
    """From a text to an insight."""

    def insight(self, text: str) -> Insight | None:
        """What the answer says; None when it is no answer at all."""
        found = self.parsed(text)
        return None if found is None else self.checked(found)

    def parsed(self, text: str) -> Mapping[str, Any] | None:
        """The object that the text is, or has in a fence, or between its outermost braces; None when there is none."""
        text = clean(text[:LONGEST])
        fenced = _FENCED.search(text)
        between = text[text.find("{") : text.rfind("}") + 1]
        for candidate in (text, fenced[1] if fenced else "", between):
            try:
                found = msgspec.json.decode(candidate)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict) and found:
                return found
        return None

    def checked(self, answer: Mapping[str, Any]) -> Insight:
        """Each field by itself; what is none is left out."""
        dropped: list[str] = []

        def taken(place: str, name: str, check: Any) -> Any:
            outer = answer.get(place)
            value = outer.get(name) if isinstance(outer, Mapping) else outer
            found = check(value)
            if value is not None and found is None:
                dropped.append(f"{place}.{name}")
            return found

        whys = [taken("whyChain", name, self.sentence) for name in WHYS]
        return Insight(
            type=taken("errorClassification", "type", self.error_type),
            whys=tuple(whys) if all(whys) else None,
            description=taken("rootCause", "description", self.sentence),
            confidence=taken("rootCause", "confidence", self.share),
            rule=taken("learningOpportunity", "rule", self.sentence),
            generalizability=taken("learningOpportunity", "generalizability", self.share),
            dropped=tuple(dropped),
        )

    def sentence(self, value: object) -> str | None:
        """A text that says something, on one line."""
        return (line(value, LONGEST_WHY) or None) if isinstance(value, str) else None

    def share(self, value: object) -> float | None:
        """A number from 0 to 1, both included."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return float(value) if 0 <= value <= 1 else None

    def error_type(self, value: object) -> ErrorType | None:
        """One of the types."""
        return ErrorType(value) if isinstance(value, str) and value in ErrorType.__members__.values() else None
