"""Mutants of the classification: DR-CLS-02 to DR-CLS-12, DR-MET-02."""

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.systems.diagnosis.contract import ErrorType
from harness.systems.diagnosis.mutants.table import enter, mutant
from harness.systems.diagnosis.reference.answers import Insight
from harness.systems.diagnosis.reference.indications import CODES, TEXTS, WORDS
from harness.systems.diagnosis.reference.reading import Failure
from harness.systems.diagnosis.reference.reflection import DiagnosticReflection
from harness.systems.diagnosis.reference.steps import Case
from harness.systems.diagnosis.reference.taxonomy import Taxonomy


@mutant("exit-127-is-any-code", "DR-CLS-02", "exit code 127 says nothing; only the text counts")
class Exit127IsAnyCode(Taxonomy):
    def kind(self, failure: Failure) -> tuple[ErrorType, float]:
        return super().kind(msgspec.structs.replace(failure, code=1) if failure.code == 127 else failure)


@mutant("texts-before-127", "DR-CLS-02", "what the text says goes before exit code 127")
class TextsBefore127(Taxonomy):
    def kind(self, failure: Failure) -> tuple[ErrorType, float]:
        told = self.by_text(failure.told) if failure.code == 127 and self.is_available(failure) else None
        return super().kind(failure) if told is None else (told, 0.9)


@mutant("allowlist-is-not-looked-at", "DR-CLS-03", "which tools are available is not looked at")
class AllowlistIsNotLookedAt(Taxonomy):
    def is_available(self, failure: Failure) -> bool:
        return True


@mutant("unavailable-tools-are-denied", "DR-CLS-03", "a tool that is not available is taken for refused access")
class UnavailableToolsAreDenied(Taxonomy):
    def kind(self, failure: Failure) -> tuple[ErrorType, float]:
        return super().kind(failure) if self.is_available(failure) else (ErrorType.PERMISSION_DENIED, 0.9)


_CLAUSES: Mapping[ErrorType, str] = {
    ErrorType.PERMISSION_DENIED: "DR-CLS-04",
    ErrorType.INVALID_ARGUMENTS: "DR-CLS-05",
    ErrorType.TIMEOUT: "DR-CLS-06",
    ErrorType.OUTPUT_TOO_LARGE: "DR-CLS-07",
    ErrorType.RATE_LIMITED: "DR-CLS-08",
    ErrorType.NETWORK_ERROR: "DR-CLS-09",
    ErrorType.SYNTAX_ERROR: "DR-CLS-10",
    ErrorType.ENVIRONMENT_MISSING: "DR-CLS-11",
}

for _kind, _clause in _CLAUSES.items():
    _name = _kind.value.replace("_", "-")
    enter(
        Taxonomy, f"no-text-says-{_name}", _clause, f"no text is taken for {_kind.value}",
        texts={kind: said for kind, said in TEXTS.items() if kind is not _kind},
    )  # fmt: skip
    enter(
        Taxonomy, f"never-{_name}", _clause, f"{_kind.value} is told as unknown",
        kind=lambda self, failure, wrong=_kind: _unknown(Taxonomy.kind(self, failure), wrong),
    )  # fmt: skip

for _word, _clause in (("EACCES", "DR-CLS-04"), ("ETIMEDOUT", "DR-CLS-06")):
    enter(
        Taxonomy, f"{_word.lower()}-as-a-code-says-nothing", _clause, f"a code {_word} says nothing",
        by_code=lambda self, failure, word=_word: None if failure.word == word else Taxonomy.by_code(self, failure),
    )  # fmt: skip

_LOOK_ALIKES: tuple[tuple[str, str, ErrorType, str], ...] = (
    ("any-429-is-a-rate-limit", "DR-CLS-08", ErrorType.RATE_LIMITED, r"429"),
    ("any-timeout-is-one", "DR-CLS-06", ErrorType.TIMEOUT, r"timeout"),
    ("any-network-is-one", "DR-CLS-09", ErrorType.NETWORK_ERROR, r"network"),
)

for _name, _clause, _kind, _pattern in _LOOK_ALIKES:
    enter(
        Taxonomy, _name, _clause, f"any text with {_pattern!r} is {_kind.value}",
        by_text=lambda self, text, wrong=_kind, word=_pattern: _alike(self, text, wrong, word),
    )  # fmt: skip

enter(Taxonomy, "code-429-says-nothing", "DR-CLS-08", "a code 429 says nothing",
      codes={code: kind for code, kind in CODES.items() if code != 429})  # fmt: skip
enter(Taxonomy, "code-words-say-nothing", "DR-CLS-04", "codes that are words say nothing",
      words=dict.fromkeys((), next(iter(WORDS.values()))))  # fmt: skip


def _alike(taxonomy: Taxonomy, text: str, wrong: ErrorType, word: str) -> ErrorType | None:
    return wrong if word in text.lower() else Taxonomy.by_text(taxonomy, text)


def _unknown(found: tuple[ErrorType, float], wrong: ErrorType) -> tuple[ErrorType, float]:
    return (ErrorType.UNKNOWN, 0.2) if found[0] is wrong else found


@mutant("second-time-another-type", "DR-CLS-12", "of several types that match, the order changes from call to call")
class SecondTimeAnotherType(Taxonomy):
    def kind(self, failure: Failure) -> tuple[ErrorType, float]:
        found = super().kind(failure)
        times = vars(self).get("times", 0)
        vars(self)["times"] = times + 1
        if times % 2 == 0:
            return found
        texts = dict(reversed(list(TEXTS.items())))
        other = next((kind for kind, said in texts.items() if _says(self, failure, kind)), found[0])
        return other, found[1]


def _says(taxonomy: Taxonomy, failure: Failure, kind: ErrorType) -> bool:
    only: Any = type("Only", (Taxonomy,), {"texts": {kind: TEXTS[kind]}})()
    return only.by_text(failure.told) is not None


@mutant("models-are-believed", "DR-MET-02", "what a model takes the failure for goes before its code and its words")
class ModelsAreBelieved(DiagnosticReflection):
    def agrees(self, case: Case, insight: Insight) -> bool:
        return True
