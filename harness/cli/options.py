"""Types of options that several commands share."""

import re
from typing import Any

import click

from harness.core import verdict
from harness.errors import UsageError

LEVELS = ("L1", "L2", "L3", "L4")
SUPPORTED_LEVELS = verdict.LEVELS
DEFAULT_LEVEL = verdict.L2
LEVEL = click.Choice(LEVELS)
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


def check_level(level: str) -> None:
    """UsageError for a level that this version cannot show yet."""
    if level not in SUPPORTED_LEVELS:
        raise UsageError(
            f"level {level} cannot be shown by this version: it certifies {', '.join(SUPPORTED_LEVELS)} only; "
            f"use --level {SUPPORTED_LEVELS[-1]}"
        )
