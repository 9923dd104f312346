"""What playing scenarios again came to, in lines for people and as data."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from harness.cli.variants import Variants
from harness.core.finding import CheckVerdict, Finding
from harness.core.history import Completed, History
from harness.core.scenario import Scenario
from harness.targets.session import each_text

OUTCOMES: Mapping[int, str] = {0: "passed", 1: "failed", 5: "inconclusive"}
"""What the exit code of a scenario means."""
_WORST = (0, 5, 1)  # from good to bad
_WORDS: Mapping[int, str] = {0: "PASS", 1: "FAIL", 5: "INCONCLUSIVE"}


class Played(NamedTuple):
    """One scenario, played and judged; of one that explores an operation its variants too."""

    scenario: Scenario
    history: History
    findings: tuple[Finding, ...]
    variants: Variants | None = None

    @property
    def code(self) -> int:
        """1 when something fails, 5 when a clause it names was met nowhere or a variant is in doubt, else 0."""
        failing = self.variants is not None and self.variants.failing
        if failing or any(finding.verdict is CheckVerdict.FAIL for finding in self.findings):
            return 1
        met = {finding.clause for finding in self.findings if finding.verdict is CheckVerdict.PASS} | self.met
        whole = self.variants is None or not (self.variants.refused or self.variants.doubts)
        return 0 if met and met >= set(self.scenario.clauses) and whole else 5

    @property
    def met(self) -> frozenset[str]:
        """The clauses that passed in a variant."""
        return self.variants.passed if self.variants is not None else frozenset()

    def worth_saying(self) -> tuple[Finding, ...]:
        """All findings but those of clauses that only the variants could meet, and did."""
        return tuple(
            finding
            for finding in self.findings
            if finding.verdict is not CheckVerdict.INCONCLUSIVE or finding.clause not in self.met
        )

    def line(self) -> str:
        """Its line in the list of a folder."""
        code = self.code
        wanted = CheckVerdict.FAIL if code == 1 else CheckVerdict.INCONCLUSIVE
        about = [finding.clause for finding in self.worth_saying() if finding.verdict is wanted] if code else []
        if code == 1 and self.variants is not None:
            about += [finding.clause for _, findings in self.variants.failing for finding in findings]
        return f"{_WORDS[code]:<13} {self.scenario.id}  {', '.join(dict.fromkeys(about))}".rstrip()

    def lines(self, target: str, *, verbose: bool) -> Iterator[str]:
        """What is said of it when it is played alone; with ``verbose`` every operation too."""
        yield f"{self.scenario.id}: {self.scenario.title}"
        yield f"target: {target}"
        for done in self.history.operations() if verbose else ():
            yield f"  {done.begin.op} {_short(done.begin.value)}"
            end = "no answer" if done.end is None else f"{done.end.type.value} {_short(done.end.value)}"
            yield f"    {end}"
        for finding in self.worth_saying():
            yield f"{finding.verdict.value:<13} {finding.clause}  {finding.reason}"
            if finding.verdict is CheckVerdict.FAIL:
                yield f"  expected: {finding.expected}"
                yield f"  observed: {finding.observed}"
        yield from self.variants.lines() if self.variants is not None else ()

    def as_data(self, *, verbose: bool) -> dict[str, Any]:
        """All that both say, as builtins."""
        told: dict[str, Any] = {
            **of_scenario(self.scenario),
            "outcome": OUTCOMES[self.code],
            "findings": [of_finding(finding) for finding in self.worth_saying()],
            "variants": None if self.variants is None else _of_variants(self.variants),
        }
        if verbose:
            told["operations"] = [_of_operation(done) for done in self.history.operations()]
        return told


def worst(codes: Sequence[int]) -> int:
    """The exit code of scenarios that ended with ``codes``."""
    return max(codes, key=_WORST.index)


def counted(codes: Sequence[int]) -> dict[str, int]:
    """How many ended how."""
    return {outcome: codes.count(code) for code, outcome in OUTCOMES.items()}


def of_scenario(scenario: Scenario) -> dict[str, Any]:
    """What names a scenario, as in ``list scenarios``."""
    return {
        "id": scenario.id,
        "title": scenario.title,
        "system": scenario.system,
        "profile": scenario.profile,
        "clauses": list(scenario.clauses),
    }


def of_finding(finding: Finding) -> dict[str, Any]:
    """A finding in the words of the events of a run, with what a person reads always there."""
    told = {"clause": finding.clause, "verdict": finding.verdict.value, "reason": finding.reason}
    return {**told, "expected": finding.expected, "observed": finding.observed}


def _of_variants(variants: Variants) -> dict[str, Any]:
    failing = [
        {"id": variant.id, "title": variant.title, "findings": [of_finding(finding) for finding in findings]}
        for variant, findings in variants.failing
    ]
    return {
        "played": variants.played,
        "failing": failing,
        "inconclusive": list(variants.doubts),
        "refused": variants.refused,
    }


def _of_operation(done: Completed) -> dict[str, Any]:
    end = None if done.end is None else {"type": done.end.type.value, "value": msgspec.to_builtins(done.end.value)}
    return {"op": done.begin.op, "value": msgspec.to_builtins(done.begin.value), "end": end}


def _short(value: object) -> str:
    return msgspec.json.encode(each_text(value, lambda text: text if len(text) < 160 else text[:160] + "...")).decode()
