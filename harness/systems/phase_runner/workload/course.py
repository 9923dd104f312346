"""Who runs next in a run of a plan in calm weather, where every permitted reading has it alike. Pure.

Phases that name each other run together once all of them are ready, otherwise one ready phase at a time. Which one of
several that are ready is open: here it is the first in the plan, and stories end by finishing whatever else it was.
"""

from collections.abc import Iterable, Iterator

from harness.systems.phase_runner.workload.plans import Plan


class Course:
    """What is done, and what is next."""

    def __init__(self, plan: Plan, done: Iterable[str] = ()) -> None:
        self._plan = plan
        self.done = set(done)

    def next(self) -> tuple[str, ...]:
        """The phases that are launched together now, in the order of the plan; none when nothing is ready."""
        for phase_id in self._plan.ids:
            members = [each for each in self._plan.batch_of(phase_id) if each not in self.done]
            if phase_id in members and all(map(self._is_ready, members)):
                return tuple(members)
        return ()

    def batches(self) -> Iterator[tuple[str, ...]]:
        """All that is launched together, to the end of the plan; each counts as done when the next one is asked for."""
        while batch := self.next():
            yield batch
            self.done.update(batch)

    def _is_ready(self, phase_id: str) -> bool:
        return self.done.issuperset(self._plan.depends_on(phase_id))
