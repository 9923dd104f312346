"""What a situation is, and how it is noted."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Situation(NamedTuple):
    """What has to be seen, and the clauses that it puts to the test."""

    says: str
    rests_on: tuple[str, ...]


Note = Callable[[str], None]
"""Told the id of a situation each time it is seen."""

Takes = Mapping[type, Callable[[str, Any], None]]
"""What a watcher makes of each kind of event that it looks at, given the session it belongs to."""

Catalogue = Mapping[str, Situation]
