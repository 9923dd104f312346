"""How bad the weather of a simulation is."""

from collections.abc import Mapping
from typing import NamedTuple


class Spells(NamedTuple):
    """A spell begins every ``every_s`` seconds or so, and lasts from ``low_s`` to ``high_s``."""

    every_s: int
    low_s: int
    high_s: int


class Profile(NamedTuple):
    """What befalls providers, tools and machines. Shares are in a thousand attempts, or uses of a tool."""

    limited: Spells | None = None  # the provider answers 429
    down: Spells | None = None  # nobody answers, or 503
    slow: Spells | None = None  # half of the attempts time out
    full: Spells | None = None  # the disk is full
    clock_set_every_s: int = 0
    session_dies_every_s: int = 0
    machine_restarts_every_s: int = 0
    limited_share: int = 2  # outside all spells
    undone_share: int = 20
    lost_share: int = 2
    tool_share: int = 30  # of uses of a local tool that fail
    beside_share: int = 20  # of what is done beside the work
    crash_share: int = 0  # of sessions that die at some change of a file, in the middle of whatever makes it
    damage_share: int = 0  # of stops before which something happens to the transcript


HOSTILE = "hostile"  # all that there is
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400

PROFILES: Mapping[str, Profile] = {
    "calm": Profile(),
    "flaky": Profile(
        limited=Spells(4 * _HOUR, 30, 20 * _MINUTE),
        down=Spells(_DAY, 3 * _MINUTE, 3 * _HOUR),
        slow=Spells(12 * _HOUR, 5 * _MINUTE, _HOUR),
        limited_share=10,
        undone_share=40,
        lost_share=10,
        tool_share=80,
        beside_share=50,
    ),
    HOSTILE: Profile(
        limited=Spells(2 * _HOUR, 30, 40 * _MINUTE),
        down=Spells(10 * _HOUR, 3 * _MINUTE, 6 * _HOUR),
        slow=Spells(6 * _HOUR, 5 * _MINUTE, 2 * _HOUR),
        full=Spells(10 * _HOUR, _MINUTE, _HOUR),
        clock_set_every_s=8 * _HOUR,
        session_dies_every_s=3 * _HOUR,
        machine_restarts_every_s=2 * _DAY,
        limited_share=30,
        undone_share=80,
        lost_share=30,
        tool_share=150,
        beside_share=150,
        crash_share=100,
        damage_share=40,
    ),
}
