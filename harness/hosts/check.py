"""A host beside its table of facts: every probe asked again, what we predict of it, and where the three differ."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from types import ModuleType
from typing import Any

import msgspec
import yaml

from harness.hosts import facts, several
from harness.hosts.facts import Seen
from harness.hosts.probes import PROBES, Probe
from harness.hosts.rig import HostRig
from harness.hosts.session import HookCall

_ABOUT = (
    "# Written by `windtunnel host check --write` from what the host did; see harness/hosts/probes.py for the rules.\n"
)


class Question(msgspec.Struct, frozen=True):
    """One rule: what the host did, what the table states, and what we predicted from the hook's end.

    Where nothing is predicted ``unpredicted`` says why, and ``predicted`` is what was seen.
    """

    rule: str
    title: str
    seen: str
    stated: str
    source: str
    predicted: str
    said: tuple[str, ...] = ()
    children_left: tuple[str, ...] = ()
    unpredicted: str = ""

    @property
    def agrees(self) -> bool:
        """Whether all three are the same."""
        return self.seen == self.stated == self.predicted


class Together(msgspec.Struct, frozen=True):
    """One rule about several hooks or subagents: what the host answered, and what the table states ("": nothing)."""

    rule: str
    title: str
    seen: str
    stated: str


class CheckedHost(msgspec.Struct, frozen=True):
    """What a check of one host found. ``facts`` is the table as it would be written."""

    host: str
    version: str
    on: str
    questions: tuple[Question, ...]
    several: tuple[Together, ...]
    cap: int | None
    stated_cap: int | None
    facts: Any
    cap_resets: bool = False
    stated_cap_resets: bool = False

    @property
    def differences(self) -> tuple[str, ...]:
        """A sentence for each rule in which the host, the table and the prediction are not the same."""
        found = [
            f"{each.rule}: the host {_does(each.seen)}; the table says that it {_does(each.stated)} ({each.source}), "
            f"and it was predicted that it {_does(each.predicted)}"
            for each in self.questions
            if not each.agrees
        ]
        found += [
            f"{each.rule} ({each.title}): the host answers {each.seen!r}; the table says {each.stated or 'nothing'!r}"
            for each in self.several
            if each.seen != each.stated
        ]
        if self.cap != self.stated_cap:
            found.append(f"cap: the host takes {_blocks(self.cap)}; the table says {_blocks(self.stated_cap)}")
        if self.cap_resets != self.stated_cap_resets:
            how = "anew" if self.cap_resets else "on"
            found.append(f"cap: after a tool call the host counts {how}; the table says otherwise")
        return tuple(found)


def check(
    rig: HostRig, room: ModuleType, hosts: ModuleType, on: date, watch: Callable[[Question], None] = lambda each: None
) -> CheckedHost:
    """Asks everything of the host in ``rig``. ``on`` is today; ``room`` and ``hosts`` as for `trial`."""
    kind, version = rig.host.kind, rig.host.version
    name = f"{kind.name}:{version}"
    known = hosts.host_named(name) if any(name == f"{h.host}:{h.version}" for h in hosts.hosts()) else None
    conduct = facts.conduct(rig)
    silent = facts.seen(rig, next(probe for probe in PROBES if probe.rule == "silence"))[0]
    questions: list[Question] = []
    cells: dict[str, Any] = {}
    for probe in PROBES:
        seen, call = facts.seen(rig, probe)
        seen = _without(seen, silent)
        cells[probe.rule] = hosts.Cell(does=seen.decision, said=seen.said, left=seen.children_left)
        stated = seen.decision if known is None else known.does(probe.rule)
        source = "not in the table" if known is None else known.source(probe.rule)
        foretold = known is not None and not probe.unpredicted
        predicted = _predicted(rig, room, name, probe, call) if foretold else seen.decision
        questions.append(
            Question(
                rule=probe.rule,
                title=probe.title,
                seen=seen.decision,
                stated=stated,
                source=source,
                predicted=predicted,
                said=seen.said,
                children_left=seen.children_left,
                unpredicted=probe.unpredicted,
            )
        )
        watch(questions[-1])
    answers = tuple(several.every(rig, several.QUESTIONS))
    told = {each.rule: each.answer for each in answers}
    documented = known.documented if known else hosts.Documented(timeout_s=60.0)
    unseen = {rule: does for rule, does in documented.rules.items() if rule not in cells}
    table = hosts.Host(
        host=kind.name,
        version=version,
        documented=msgspec.structs.replace(documented, cap=None, rules=unseen),  # what was seen is documented no more
        seen=on.isoformat(),
        conduct=hosts.Conduct(**msgspec.structs.asdict(conduct)),
        rules=cells,
        several=told,
    )
    stated = known or table
    return CheckedHost(
        host=kind.name,
        version=version,
        on=on.isoformat(),
        questions=tuple(questions),
        several=_beside(answers, stated.several),
        cap=conduct.cap,
        stated_cap=stated.cap,
        cap_resets=conduct.cap_resets,
        stated_cap_resets=stated.cap_resets,
        facts=table,
    )


def _beside(answers: Sequence[several.Answered], stated: Mapping[str, str]) -> tuple[Together, ...]:
    return tuple(Together(each.rule, each.title, each.answer, stated.get(each.rule, "")) for each in answers)


def as_file(checked: CheckedHost) -> str:
    """The table of that host as the file that holds it."""
    value = msgspec.to_builtins(checked.facts)
    return _ABOUT + yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None)


def _predicted(rig: HostRig, room: ModuleType, name: str, probe: Probe, call: HookCall) -> str:
    (end,) = rig.shadow(probe.words, probe.timeout_s, [call])
    return "blocks" if room.result(end, name, rig.roots_hidden).decision == "block" else "ends"


def _without(seen: Seen, silent: Seen) -> Seen:
    """Without what the host says, and leaves, whatever its hook does."""
    said = tuple(line for line in seen.said if line not in silent.said or "hook: " in line)
    return msgspec.structs.replace(seen, said=said)


def _does(decision: str) -> str:
    return "goes on" if decision == "blocks" else "ends"


def _blocks(cap: int | None) -> str:
    return "any number of blocks in a row" if cap is None else f"{cap} blocks in a row"


def summary(checked: Sequence[CheckedHost]) -> str:
    """One sentence for people."""
    rules = sum(len(each.questions) + len(each.several) for each in checked)
    names = ", ".join(f"{each.host} {each.version}" for each in checked)
    different = sum(len(each.differences) for each in checked)
    how = "all as the table says and as predicted" if not different else f"{different} not as stated or predicted"
    return f"{names}: {rules} rules asked, {how}"
