"""What was seen of each clause while a history is gone through, in order; the rules read it. Pure."""

from collections.abc import Iterable

from harness.systems.rules import Judgement, combine, failed, passed


class Notes:
    """Judgements by clause. Of what agrees only the number is kept, of each way of agreeing in words once.

    While they are ``silent`` nothing is noted: what is seen then speaks for no clause, and against none.
    """

    def __init__(self) -> None:
        self.silent = False
        self._agreed: dict[str, dict[tuple[str, frozenset[str] | None], int]] = {}
        self._broken: dict[str, list[Judgement]] = {}

    def agrees(self, clause: str, expected: str, readings: Iterable[str] | None = None) -> None:
        """An observation agrees with the clause, in every reading or in those named."""
        if self.silent:
            return
        key = (expected, None if readings is None else frozenset(readings))
        each = self._agreed.setdefault(clause, {})
        each[key] = each.get(key, 0) + 1

    def breaks(self, clause: str, expected: str, observed: str) -> None:
        """An observation contradicts the clause in every reading."""
        if not self.silent:
            self._broken.setdefault(clause, []).append(failed(expected, observed))

    def judgement(self, clause: str) -> Judgement | None:
        """All observations of the clause as one; None when there is none."""
        agreed = [
            passed(expected, readings=readings, witnesses=count)
            for (expected, readings), count in self._agreed.get(clause, {}).items()
        ]
        return combine([*self._broken.get(clause, ()), *agreed])

    def broken(self, clause: str) -> int:
        """How many observations contradict the clause."""
        return len(self._broken.get(clause, ()))
