"""Level L2: every row of a table of faults under tours that are put together from legs; what systems share. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from harness.core.scenario import Step
from harness.systems.fault_rows import Row
from harness.systems.story import Story

AnyStory = TypeVar("AnyStory", bound=Story)
Hearer_contra = TypeVar("Hearer_contra", bound=Story, contravariant=True)


class Leg(NamedTuple, Generic[Hearer_contra]):
    """Something that is done, and the clauses that show in it."""

    tell: Callable[[Hearer_contra], object]
    clauses: tuple[str, ...]


AFRESH: Final[Leg[Story]] = Leg(Story.restart, ())
"""The process ends, and another one goes on."""


def told(story: AnyStory, legs: Sequence[Leg[AnyStory]]) -> tuple[str, ...]:
    """Tells these legs, and gives the clauses that show in them."""
    for leg in legs:
        leg.tell(story)
    return tuple(dict.fromkeys(clause for leg in legs for clause in leg.clauses))


class Tour(NamedTuple, Generic[Hearer_contra]):
    """What comes before the fault, and after it, and which clauses of that cannot be told from what the fault did."""

    before: tuple[Leg[Hearer_contra], ...]
    after: tuple[Leg[Hearer_contra], ...]
    lost: frozenset[str] = frozenset()


class _Legs(Protocol):
    """A tour of any kind: some systems say more of theirs than ``Tour`` does."""

    @property
    def before(self) -> tuple[Leg[Any], ...]: ...

    @property
    def after(self) -> tuple[Leg[Any], ...]: ...


AnyTour = TypeVar("AnyTour", bound=_Legs)


class Toured(NamedTuple, Generic[AnyStory, AnyTour]):
    """One tour under the fault of one row, as ``story`` tells it; ``clauses`` are those of its legs after the fault.

    ``word`` tells the tours of one row apart; it is empty where there is one only.
    """

    row: Row
    word: str
    tour: AnyTour
    story: AnyStory
    clauses: frozenset[str]

    @property
    def name(self) -> str:
        """Of the scenario, without the system's."""
        return "-".join(part for part in ("l2", self.row.name, self.word) if part)

    @property
    def title(self) -> str:
        """Of the scenario."""
        return f"{self.row.title}, {self.word.replace('-', ' ')}." if self.word else f"{self.row.title}."


def toured(
    rows: Iterable[Row], tours: Mapping[str, Mapping[str, AnyTour]], begun: Callable[[], AnyStory]
) -> Iterator[Toured[AnyStory, AnyTour]]:
    """Every row under each of the tours of its group, by a word for each, in order; ``begun`` is how a story begins."""
    for row in rows:
        for word, tour in tours[row.group].items():
            story = begun()
            told(story, tour.before)
            if row.fault is not None:
                story.take(Step(fault=row.fault))
            if row.by_s:
                story.later(row.by_s)
            yield Toured(row, word, tour, story, frozenset(told(story, tour.after)))
