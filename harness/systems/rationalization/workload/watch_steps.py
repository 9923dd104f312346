"""The words in which the scenarios of a watch over rationalisations are written."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from harness.core.scenario import FORMAT, FileSpec, Operation, Scenario, ScenarioLevel, World
from harness.systems import story
from harness.systems.rationalization.contract import SYSTEM, WATCH

CLOCK: Final = "2026-03-01T12:00:00Z"
AGENT: Final = "eng-001"
OTHER_AGENT: Final = "qa-007"
BEHAVIOUR: Final = "behaviour"  # the group
EXCUSES, HEDGING, MINIMISING, SCOPE, SKIPPING = (f"LK-RAT-{number:02d}" for number in range(1, 6))
PROTOCOL, LOGGED = "LK-RAT-06", "LK-RAT-07"
PHRASED: Final = (EXCUSES, HEDGING, MINIMISING, SCOPE, SKIPPING)
ENFORCED: Final = (PROTOCOL, LOGGED)

NEUTRAL: Final = "The login endpoint answers 200 to a valid token, and CI passed on commit 4f2a91c."
EXCUSE: Final = "I'll refactor later; the release is tomorrow."
FLAG: Final = "The retry is missing, I think."
BOTH: Final = "This is out of scope, and dark mode is nice to have."
EVERY_FAMILY: Final = (
    "I'll refactor later.\n\nIt is probably a simple fix. The other component handles this; dark mode is nice to have."
)
"""A text with a phrase of each of the clauses on texts."""
MENTIONS: Final = (
    '`probably` is logged for "This is out of scope".\n\n> nice to have\n\n```\nsimple fix: I think\n```\n\n'
    "Improbably, a rethinking reader found the changelog."
)
"""A text with phrases that nobody says, and with longer words."""

FILES: Final[Mapping[str, FileSpec]] = {"{home}/.loki/queue/pending.json": FileSpec(text='{"tasks": []}\n')}
"""What stands in the world, so that who looks at it sees something."""
Allowed = tuple[Mapping[str, Any], ...]
ANY: Final[Allowed] = ({},)


class Story(story.Story):
    """Steps as they are told, one method a thing that happens. Times are in seconds since the reset.

    Every action that is excused has a name of its own, so that no two attempts are alike.
    """

    def __init__(self) -> None:
        super().__init__()
        self._actions = 0

    def named(self) -> str:
        """An action that nobody has taken yet."""
        self._actions += 1
        return f"merge branch feature/{self._actions}"

    def scan(self, text: str, process: int = 0, *, has_output: bool = False) -> Self:
        """What somebody says is looked through."""
        return self.do(scanned(text, has_output=has_output), process)

    def assess(self, scope: Mapping[str, bool] | None = None, verification: Mapping[str, bool] | None = None) -> Self:
        """Facts are assessed; only who has the group behaviour can."""
        facts = {"scope": scope, "verification": verification}
        return self.do(Operation("assess", {name: dict(given) for name, given in facts.items() if given}))

    def excused(self, text: str = EXCUSE, agent: str = AGENT, **fields: Any) -> Operation:
        """The operation of an agent that gives ``text`` as the reason of an action."""
        return Operation("enforce", {"text": text, "action": self.named(), "agent": agent, **fields})

    def enforce(self, text: str = EXCUSE, agent: str = AGENT, process: int = 0, **fields: Any) -> Self:
        """An agent gives ``text`` as the reason of an action."""
        return self.do(self.excused(text, agent, **fields), process)

    def attempts(self, process: int = 0) -> Self:
        """Every logged attempt. The history of it shows every file, too."""
        return self.do(Operation("attempts"), process)

    def control(self) -> Self:
        """In calm weather a rationalisation is found and stopped, and what is none is not; then a fresh world."""
        self.scan(EVERY_FAMILY).scan(MENTIONS).enforce().enforce(NEUTRAL)
        return self.attempts().reset()


def scanned(text: str, *, has_output: bool = False) -> Operation:
    """The operation that looks through a text."""
    return Operation("scan", {"text": text, "has_output": True} if has_output else {"text": text})


def calm() -> Story:
    """A story that begins with the control."""
    return Story().control()


def scenario(
    name: str,
    title: str,
    clauses: Sequence[str],
    story: Story,
    allowed: Allowed = ANY,
    *,
    files: Mapping[str, FileSpec] | None = None,
    level: ScenarioLevel = "L1",
    group: str | None = None,
) -> Scenario:
    """The story as a scenario; ``clauses`` come sorted, ``allowed`` is what its last operation may give."""
    return Scenario(
        format=FORMAT,
        id=f"watch-{name}",
        title=title,
        system=SYSTEM,
        profile=WATCH,
        level=level,
        clauses=tuple(sorted(set(clauses))),
        world=World(CLOCK, {**FILES, **(files or {})}),
        steps=story.steps,
        group=group,
        allowed=allowed,
    )
