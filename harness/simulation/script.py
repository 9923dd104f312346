"""A simulation of which everything that goes wrong is told, as a file that a person can read, change and play."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
import yaml

from harness.core.document import NotYAMLError, parse_yaml
from harness.errors import UsageError
from harness.ports.named_file import read_named
from harness.simulation import agent, crew, humans, providers, toolbox, trouble
from harness.simulation.incidents import MACHINE, Incident
from harness.simulation.mishaps import MISHAPS
from harness.simulation.profiles import PROFILES
from harness.simulation.rules import RULES
from harness.simulation.shrinking import Case
from harness.simulation.simulation import Plan
from harness.simulation.trouble import Fork
from harness.systems.rationalization.contract import TABLE

FORMAT: Final = 1
_NUMBER: Final = "[0-9]{1,9}"
_POSITIVE: Final = "[1-9][0-9]{0,8}"


def _below(count: int) -> str:
    """The numbers from 0 to below ``count``."""
    return f"({'|'.join(map(str, range(count)))})"


_MISHAPS: Final = "|".join(f"{cause.value} {_below(len(found))}" for cause, found in MISHAPS.items())

KINDS: Final[Mapping[str, str]] = {
    providers.PROVIDER: "(down|limited|undone) [0-2]|killed|silent",
    toolbox.TOOL: _MISHAPS,
    toolbox.UNHELPED: "does not help",
    toolbox.BESIDE: "fails",
    "work": "wrong",
    agent.CRASH: f"[a-z/-]+ {_POSITIVE}",
    agent.STOP: "early",
    agent.END: "asks",
    agent.TRANSCRIPT: "|".join(toolbox.SPOILED),
    agent.DRIFT: "low|medium|high|critical",
    agent.RISK: "(([0-9]{2}|100|critical|irreversible|final) ?)+",
    crew.CLAIM: f"garbled|shares|(fails|lacks) {_below(crew.MOST_DONE + 1)}|weak {_below(len(TABLE))}",
    crew.VERIFICATION: "lint|format|typecheck|test",
    crew.REVIEW: "(?i:lost|critical|high|medium|low)",
    humans.ANSWER: f"late {_POSITIVE}|never",
    humans.DECISION: "rejected|clarified|cancelled",
    humans.HALT: "fresh",
}
"""What each kind of incident may be, as a regular expression."""
OF_THE_MACHINE: Final[Mapping[str, str]] = {
    trouble.FULL: _POSITIVE,
    trouble.CLOCK: f"-?{_NUMBER}",
    trouble.DIES: _NUMBER,
    trouble.RESTARTS: trouble.RESTARTS,
}
"""The same of the machine: for so many ticks, by so many, of the agent of that number."""


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``breaks`` is the rule that was broken when it was found, empty when none was.

    What goes well is drawn from ``seed``, and from those of ``forks`` from their times in ticks on: who does what, and
    how long it takes. Nothing else goes wrong than ``incidents``.
    """

    days: Annotated[int, msgspec.Meta(ge=1, le=3650)]
    agents: Annotated[int, msgspec.Meta(ge=1, le=64)]
    seed: Annotated[int, msgspec.Meta(ge=0)]
    incidents: tuple[Incident, ...]
    breaks: str = ""
    profile: str = "calm"
    forks: tuple[Fork, ...] = ()
    format: Literal[1] = FORMAT

    def case(self) -> Case:
        """The case that it tells."""
        return Case(Plan(self.days, self.agents, self.seed, self.profile, self.forks), self.incidents)


def written(case: Case, breaks: str) -> str:
    """The file of a case."""
    plan = case.plan
    script = Script(plan.days, plan.agents, plan.seed, case.incidents, breaks, plan.profile, plan.forks)
    text = yaml.safe_dump(msgspec.to_builtins(script), sort_keys=False, default_flow_style=None, width=120)
    assert isinstance(text, str)  # noqa: S101 - narrows for the type checker
    return text


def load(path: Path) -> Script:
    """The script of a file; UsageError when it cannot be read, or is none."""
    try:
        script = msgspec.convert(parse_yaml(read_named(path)), Script)
    except OSError as error:
        hint = "give a file that simulate or campaign wrote"
        raise UsageError(f"cannot read {path}: {error.strerror}; {hint}") from error
    except (NotYAMLError, msgspec.ValidationError) as error:
        raise UsageError(f"{path} is no script of a simulation: {error}") from error
    if script.profile not in PROFILES:
        raise UsageError(f"{path}: there is no profile {script.profile!r}; there are: {', '.join(PROFILES)}")
    if script.breaks and script.breaks not in RULES:
        raise UsageError(f"{path}: there is no rule {script.breaks!r}; docs/order.md has them all")
    wrong = next(_wrong(script.incidents), None)
    if wrong is not None:
        raise UsageError(f"{path}: {wrong}")
    return script


def _wrong(incidents: Iterable[Incident]) -> Iterator[str]:
    named: dict[tuple[str, str, int], int] = {}
    for number, incident in enumerate(incidents, 1):
        name = (incident.who, incident.kind, incident.number)
        if name in named and incident.who != MACHINE:
            yield f"incidents {named[name]} and {number} have the same who, kind and number; leave one of them out"
        named[name] = number
        if incident.number < (0 if incident.who == MACHINE else 1):
            yield f"incident {number} has the number {incident.number}; they count from 1, and times from 0"
        kinds = OF_THE_MACHINE if incident.who == MACHINE else KINDS
        if incident.kind not in kinds:
            yield f"incident {number} has the kind {incident.kind!r}; there are: {', '.join(kinds)}"
        elif re.fullmatch(kinds[incident.kind], incident.what) is None:
            yield f"incident {number}: {incident.what!r} is no {incident.kind}; it is {kinds[incident.kind]}"
