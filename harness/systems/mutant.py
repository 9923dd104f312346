"""A mutant: a reference with exactly one thing wrong, and the clause that has to notice."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from harness.core.scenario import ScenarioLevel  # a mutant hook is a process: what it need not import, it does not


class Mutant(NamedTuple):
    """One known defect.

    ``factory`` takes a Configuration and Files (or None) and makes an implementation that is served, or takes an
    environment and makes one that is run as a process; ``implementation`` is the class it makes, ``changed`` the class
    whose one attribute is wrong. One of ``level`` L2 is sound in every scenario of L1: only a further fault shows what
    is wrong. ``under`` is where to look first: a fault, a family of faults, ``clock_step``, ``schedule``, or a part of
    a scenario's id. It is a hint to be quick, and decides nothing.
    """

    name: str
    clause: str
    profile: str
    description: str
    factory: Callable[..., Any]
    implementation: type
    changed: type
    level: "ScenarioLevel" = "L1"
    under: str = ""
