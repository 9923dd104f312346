"""What was seen of each clause while a history is gone through, in order; the rules read it. Pure."""

from collections.abc import Iterable

from harness.systems.rules import Judgement, combine, failed, passed


class Notes:
    """Judgements by clause. Of what agrees only the number is kept, of each way of agreeing in words once."""

    def __init__(self) -> None:
        self._agreed: dict[str, dict[tuple[str, frozenset[str] | None], int]] = {}
        self._broken: dict[str, list[Judgement]] = {}

    def agrees(self, clause: str, expected: str, readings: Iterable[str] | None = None) -> None:
        """An observation agrees with the clause, in every reading or in those named."""
        key = (expected, None if readings is None else frozenset(readings))
        each = self._agreed.setdefault(clause, {})
        each[key] = each.get(key, 0) + 1

    def breaks(self, clause: str, expected: str, observed: str) -> None:
        """An observation contradicts the clause in every reading."""
        self._broken.setdefault(clause, []).append(failed(expected, observed))

    def holds(self, clause: str, ok: bool, expected: str, observed: str, readings: Iterable[str] | None = None) -> bool:
        """``agrees`` or ``breaks``, as ``ok`` says, which it gives back."""
        if ok:
            self.agrees(clause, expected, readings)
        else:
            self.breaks(clause, expected, observed)
        return ok

    def judgement(self, clause: str) -> Judgement | None:
        """All observations of the clause as one; None when there is none."""
        agreed = [
            passed(expected, readings=readings, witnesses=count)
            for (expected, readings), count in self._agreed.get(clause, {}).items()
        ]
        return combine([*self._broken.get(clause, ()), *agreed])
