"""Plans, as scenarios write them: phases, what they wait for, and the Markdown of their table. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Final, NamedTuple

from harness.systems.phase_runner.contract.words import COLUMNS, normalised

NONE: Final = "-"
_HEADING: Final = "# Feature plan\n\n"
_BATCHED: Final = 0.4  # of the layers of a plan by chance those that are one batch


class Phase(NamedTuple):
    """A row of a plan: ids as a person writes them."""

    raw: str
    name: str
    depends_on: tuple[str, ...] = ()
    parallel_with: tuple[str, ...] = ()

    @property
    def phase_id(self) -> str:
        """The id as it is kept."""
        return normalised(self.raw)

    def cells(self) -> Mapping[str, str]:
        """What stands in its row, by column."""
        neighbours = (", ".join(each) or NONE for each in (self.depends_on, self.parallel_with))
        return dict(zip(COLUMNS, (self.raw, self.name.replace("|", r"\|"), *neighbours, "1 day", NONE), strict=True))


class Plan:
    """Phases in the order of their rows."""

    def __init__(self, *phases: Phase) -> None:
        self.phases = phases
        self.ids = tuple(phase.phase_id for phase in phases)

    @property
    def text(self) -> str:
        """The Markdown of it."""
        return _HEADING + table(self.phases)

    def phase(self, phase_id: str) -> Phase:
        """The phase of that id."""
        return self.phases[self.ids.index(phase_id)]

    def depends_on(self, phase_id: str) -> tuple[str, ...]:
        """What it waits for, by ids as they are kept."""
        return tuple(map(normalised, self.phase(phase_id).depends_on))

    def blocks(self, phase_id: str) -> tuple[str, ...]:
        """Who waits for it, by ids as they are kept."""
        return tuple(each for each in self.ids if phase_id in self.depends_on(each))

    def batch_of(self, phase_id: str) -> tuple[str, ...]:
        """Itself and those that run beside it, in the order of their rows."""
        beside = {phase_id, *map(normalised, self.phase(phase_id).parallel_with)}
        return tuple(each for each in self.ids if each in beside)


def table(phases: Sequence[Phase], columns: Sequence[str] = COLUMNS) -> str:
    """A Markdown table of them, with these columns, of which those that a phase does not have say what they are."""
    lines = [columns, ["---"] * len(columns)]
    lines += [[phase.cells().get(column, f"{column} of {phase.raw}") for column in columns] for phase in phases]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def chain(length: int) -> Plan:
    """So many phases, each of which waits for the one before."""
    rows = (Phase(str(each), f"Step {each}", (str(each - 1),) if each else ()) for each in range(length))
    return Plan(*rows)


def batch(width: int) -> Plan:
    """So many phases that run together, after one and before another."""
    ids = [f"1-{number}" for number in range(width)]
    beside = (Phase(raw, f"Part {raw}", ("0",), tuple(each for each in ids if each != raw)) for raw in ids)
    return Plan(Phase("0", "Begin"), *beside, Phase("2", "End", tuple(ids)))


ONE: Final = Plan(Phase("Phase 0", "Bootstrap"))
CHAIN: Final = Plan(
    Phase("Phase 0", "Bootstrap"), Phase("Phase 1", "Setup", ("0",)), Phase("Phase 2", "Backend", ("Phase 1",))
)
PAIR: Final = Plan(
    Phase("1A", "Backend", (), ("1B",)), Phase("1B", "Frontend", (), ("1A",)), Phase("2", "Integration", ("1A", "1B"))
)
EXAMPLE: Final = Plan(
    Phase("Phase 0", "Bootstrap"),
    Phase("Phase 1", "Setup", ("0",)),
    Phase("Phase 2A", "Backend", ("1",), ("2B", "2C")),
    Phase("Phase 2B", "Frontend", ("1",), ("2A", "2C")),
    Phase("Phase 2C", "Tests", ("1",), ("2A", "2B")),
    Phase("Phase 3", "Integration", ("2A", "2B", "2C")),
)
"""The plan of the document's halt summary."""
FORK: Final = Plan(
    Phase("0", "Begin"), Phase("1", "Left", ("0",)), Phase("2", "Right", ("0",)), Phase("3", "End", ("1", "2"))
)
"""A diamond whose two sides nobody said run together."""
DIAMONDS: Final = Plan(
    Phase("0", "Begin"),
    Phase("1A", "Left", ("0",), ("1B",)), Phase("1B", "Right", ("0",), ("1A",)),
    Phase("2", "Middle", ("1A", "1B")),
    Phase("3A", "Left", ("2",), ("3B",)), Phase("3B", "Right", ("2",), ("3A",)),
    Phase("4", "End", ("3A", "3B")),
)  # fmt: skip
CYCLE: Final = Plan(Phase("1", "Hen", ("2",)), Phase("2", "Egg", ("1",)))


def layered(rng: Random, phases: int, widest: int) -> Plan:
    """A plan by chance: layers, each of which waits for phases of those before and is one batch or a row of singles.

    What is no batch forms a chain, so that never more than one thing is ready.
    """
    return Plan(*_layers(rng, phases, widest))


def _layers(rng: Random, phases: int, widest: int) -> Iterator[Phase]:
    made: list[str] = []
    last: list[str] = []
    while len(made) < phases:
        width = min(rng.randrange(2, widest + 1) if rng.random() < _BATCHED else 1, phases - len(made))
        layer = [f"{len(made) + place}" for place in range(width)]
        for raw in layer:
            earlier = rng.sample(made, min(len(made), rng.randrange(3)))
            wanted = [each for each in made if each in {*last, *earlier}]
            yield Phase(raw, f"Phase number {raw}", tuple(wanted), tuple(each for each in layer if each != raw))
        made += layer
        last = layer


def tangled(rng: Random, phases: int) -> Plan:
    """A plan by chance in which several phases may be ready at once; now and then two neighbours run together."""
    rows: list[Phase] = []
    while len(rows) < phases:
        earlier = [phase.raw for phase in rows]
        ids = [str(len(rows) + place) for place in range(2 if rng.random() < _BATCHED else 1)]
        for raw in ids:
            wanted = rng.sample(earlier, min(len(earlier), rng.randrange(4)))
            rows.append(Phase(raw, f"Task {raw}", tuple(wanted), tuple(each for each in ids if each != raw)))
    return Plan(*rows)
