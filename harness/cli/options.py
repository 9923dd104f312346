"""Types of options that several commands share."""

import re
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click

from harness.certify.plan import ChaosScope
from harness.core import verdict
from harness.errors import UsageError
from harness.simulation.trouble import Fork

DEFAULT_LEVEL = verdict.L2
LEVEL = click.Choice(verdict.LEVELS)
P = ParamSpec("P")
R = TypeVar("R")
_SEEDS = 2**32
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


class Duration(click.ParamType[float]):
    """A length of time such as 90, 90s, 2m or 1h; the value is in seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds; a usage error when ``value`` is no positive duration."""
        if isinstance(value, float):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", str(value))
        if match is None or float(match[1]) <= 0:
            self.fail(f"{value!r} is no duration; write it as 90s, 2m or 1h", param, ctx)
        return float(match[1]) * _UNITS[match[2]]


DURATION = Duration()


class Seed(click.ParamType[int]):
    """Where chance begins: a number from 0, or ``random`` for one that nobody knows before."""

    name = "seed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; a usage error for anything else."""
        if value == "random":
            return secrets.randbelow(_SEEDS)
        if not re.fullmatch(r"\d{1,18}", str(value)):
            self.fail(f"{value!r} is no seed; give a number from 0, or random", param, ctx)
        return int(value)


SEED = Seed()


class FolderType(click.Path):
    """A folder to write into. An empty name is none, though a path of it would be the current folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, file_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; a usage error when ``value`` is empty or a file."""
        if not str(value):
            self.fail("its name is empty; name a folder, or leave the option out", param, ctx)
        return super().convert(value, param, ctx)


FOLDER = FolderType()


class ForkType(click.ParamType[Fork]):
    """A time in ticks and a seed, as `windtunnel campaign` prints them."""

    name = "fork"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fork:
        """The fork; a usage error when ``value`` is none."""
        match = re.fullmatch(r"(\d+):(\d+)", str(value))
        if match is None:
            self.fail(f"{value!r} is no fork; write it as TICKS:SEED", param, ctx)
        return Fork(int(match[1]), int(match[2]))


FORK = ForkType()
of_timeouts = click.option(
    "--timeout-scale",
    type=click.FloatRange(0.1, 100),
    default=1.0,
    show_default=True,
    help="Multiplies every real time-out.",
)
"""Adds the one option of real time-outs to a command."""


def of_simulations(command: Callable[P, R]) -> Callable[P, R]:
    """Adds the options of level L4 to a command."""
    of_l4 = "At L4:"
    days = click.option(
        "--days", type=click.IntRange(1, 3650), help=f"{of_l4} virtual days a simulation.  [default: 2]"
    )
    agents = click.option("--agents", type=click.IntRange(1, 64), help=f"{of_l4} agents at once.  [default: 3]")
    seeds = click.option("--seeds", type=click.IntRange(1, 1000), help=f"{of_l4} simulations a system.  [default: 2]")
    return days(agents(seeds(command)))


def chaos_scope(level: str, params: Mapping[str, Any], *, where: str, together: bool) -> ChaosScope:
    """How much is simulated, by those options; UsageError when they are given for another level."""
    given = {name: params[name] for name in ("days", "agents", "seeds") if params[name] is not None}
    if given and level < verdict.L4:
        name = next(iter(given))
        raise UsageError(f"--{name} is about the simulations of level L4; add --level L4, or leave it out")
    return ChaosScope(**given, where=where, together=together)
