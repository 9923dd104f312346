"""What the attempts of a task say together. Document 000, Review Process, Permanent Abandon Criteria (L435, L458)."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from harness.systems.dead_letter.contract import (
    ATTEMPTS_AT_MOST,
    SAME_ERROR_APPROACHES,
    ErrorType,
    Strategy,
    failures_of,
    normalised,
)
from harness.systems.dead_letter.reference.texts import as_text, one_line

Task = Mapping[str, Any]


class Analyst:
    """The failure pattern over all attempts."""

    attempts_at_most = ATTEMPTS_AT_MOST
    approaches_at_least = SAME_ERROR_APPROACHES

    def strategy(self, task: Task) -> Strategy:
        """The recovery strategy that the failures suggest (LK-DQ-24, reading ``picked``)."""
        failures = self.failures(task)
        if failures and all(each.get("error_type") == ErrorType.DEPENDENCY for each in failures):
            return Strategy.DEPENDENCY_BLOCKED
        return Strategy.RETRY_WITH_SIMPLER_APPROACH

    def summary(self, task: Task) -> str:
        """The failure pattern in a few words (error_summary, L396)."""
        failures = self.failures(task)
        if not failures:
            return "no failed attempt is known"
        kinds = ", ".join(sorted({one_line(each.get("error_type")) for each in failures}))
        return f"{len(failures)} failed attempts ({kinds}); the last: {one_line(failures[-1].get('error_message'))}"

    def is_worn_out(self, task: Task) -> bool:
        """Were there ten failed attempts or more in all, whatever its failure_count is now (LK-DQ-17)?"""
        return len(self.failures(task)) > self.attempts_at_most

    def is_stuck(self, task: Task) -> bool:
        """Was there one error in three different approaches (LK-DQ-18)?"""
        tried = [(each, approach) for each in self.failures(task) if (approach := each.get("approach"))]
        tried = [(each, approach) for each, approach in tried if isinstance(approach, str)]
        if len({approach for _, approach in tried}) < self.approaches_at_least:
            return False
        approaches: defaultdict[object, set[str]] = defaultdict(set)
        for each, approach in tried:
            approaches[self.error(each)].add(approach)
        return any(len(found) >= self.approaches_at_least for found in approaches.values())

    def error(self, attempt: Task) -> tuple[str, str]:
        """What two attempts have in common that failed with the same error (reading ``both``)."""
        return as_text(attempt.get("error_type")), normalised(attempt.get("error_message"))

    def failures(self, task: Task) -> tuple[Task, ...]:
        """The attempts that count: those that failed (LK-DQ-14, reading ``apart``)."""
        return failures_of(task)
