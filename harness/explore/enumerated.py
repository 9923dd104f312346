"""One scenario of L3 turned into its variants: an ordinary scenario for each fault at a file call of its operation.

What there is to strike is learned from recordings of the operation. What is called otherwise in every run (a temporary
file) is named by a pattern. Killing before a call that comes right after another kill changes nothing on disk: one
of them stands for both, and that is counted.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from harness.core.digest import sha256_of
from harness.core.fault import Fault, Scalar
from harness.core.scenario import Scenario, Step
from harness.faults.syscall import canonical
from harness.faults.syscalls import Call, Kind, Site, Sites, believable_errnos
from harness.faults.syscalls.calls import CHANGES

LIMIT: Final = 5000  # variants of one operation; the reference needs a tenth
EVERY_BYTE: Final = 64  # of a write so long; of a longer one its ends, its middle and the ends of its lines
_HASH_LENGTH: Final = 8
_MAKING: Final = os.O_CREAT | os.O_TRUNC
_KINDS: Final = ("errno", "killed", "torn")


class Variant(NamedTuple):
    """One fault at one call, as a scenario of its own."""

    kind: str
    site: Site
    scenario: Scenario
    fault: Fault


class Enumeration(msgspec.Struct, frozen=True):
    """What there is to do about one operation.

    ``calls`` counts the file calls it made, ``sites`` those that can be told from each other, ``errnos`` are those that
    are made to happen. ``alike`` counts kills that leave the same files as another one, ``sampled`` the writes of which
    not every byte is torn. ``cut`` says which variants were left out, and is empty when none was.
    """

    variants: tuple[Variant, ...]
    calls: int
    sites: int
    errnos: tuple[str, ...] = ()
    alike: int = 0
    sampled: int = 0
    cut: str = ""


def explored_steps(scenario: Scenario) -> tuple[int, ...]:
    """The places of the steps that say what to explore about the one after them."""
    return tuple(n for n, step in enumerate(scenario.steps) if step.explore is not None)


def enumerated(scenario: Scenario, place: int, recordings: Sequence[Sequence[Call]], limit: int = LIMIT) -> Enumeration:
    """The variants of the operation after the step at ``place``.

    The first recording is what is enumerated, with calls that only came in another one of the same operation; all of
    them tell which names change from run to run.
    """
    explore = scenario.steps[place].explore
    if explore is None:
        raise ValueError(f"step {place} of {scenario.id} explores nothing")
    names = changing_names(recordings)
    calls, *others = [_named(names, recording) for recording in recordings]
    first = {site for site, _ in calls}
    rare = list({site: (site, call) for other in others for site, call in other if site not in first}.values())
    faults: list[tuple[str, Site, Fault]] = []
    alike = sampled = 0
    for kind in (each for each in _KINDS if each in explore.kinds):
        if kind == "errno":
            faults += _errnos([*calls, *rare])
        elif kind == "killed":
            kills = list(_kills(calls))
            alike = len(calls) - len(kills)
            faults += [*kills, *(("killed", site, _fault("killed", site)) for site, _ in rare)]
        else:
            faults += _torn([*calls, *rare])
            sampled = sum(call.length > EVERY_BYTE for _, call in (*calls, *rare) if call.kind is Kind.WRITE)
    kept = faults[:limit]
    cut = f"{len(faults) - limit:,} of {len(faults):,} variants are left, from {faults[limit][1].text()} on" if (
        len(faults) > limit
    ) else ""  # fmt: skip
    unnamed = sum(any(call.paths) and not _can_be_named(call) for call in recordings[0])
    cut = cut or (f"{unnamed:,} calls are on names that are no UTF-8, and cannot be named here" if unnamed else "")
    variants = tuple(Variant(kind, site, variant(scenario, place, fault, site), fault) for kind, site, fault in kept)
    errnos = sorted({str(fault.params["errno"]) for kind, _, fault in kept if kind == "errno"})
    sites_found = len({site for site, _ in (*calls, *rare)})
    return Enumeration(variants, len(recordings[0]), sites_found, tuple(errnos), alike, sampled, cut)


def variant(scenario: Scenario, place: int, fault: Fault, site: Site) -> Scenario:
    """``scenario`` with ``fault`` instead of exploring at ``place``; its id hangs on nothing but the two."""
    steps = (
        Step(fault=fault) if n == place else step
        for n, step in enumerate(scenario.steps)
        if n == place or step.explore is None
    )
    digest = sha256_of([place, msgspec.to_builtins(fault)])[:_HASH_LENGTH]
    return msgspec.structs.replace(
        scenario,
        id=f"{scenario.id}-{fault.name.partition('.')[2]}-{digest}",
        title=f"{scenario.title}; {_said(fault, site)}",
        steps=tuple(steps),
    )


def _said(fault: Fault, site: Site) -> str:
    params = fault.params
    if "errno" in params:
        return f"{site.text()} fails with {params['errno']}"
    return (
        f"killed after {params['bytes']} bytes of {site.text()}"
        if "bytes" in params
        else f"killed before {site.text()}"
    )


def _fault(kind: str, site: Site, **more: Scalar) -> Fault:
    params: dict[str, Scalar] = {"call": site.call, "nth": site.nth, **more}
    if len(site.paths) > 1:
        params["to"] = site.paths[1]
    return Fault(f"syscall.{kind}", site.paths[0], params)


def _errnos(calls: Iterable[tuple[Site, Call]]) -> Iterator[tuple[str, Site, Fault]]:
    for site, call in calls:
        for name in believable_errnos(call.name, call.flags):
            yield "errno", site, _fault("errno", site, errno=name)


def _kills(calls: Iterable[tuple[Site, Call]]) -> Iterator[tuple[str, Site, Fault]]:
    """Before the first call, and before the first one after each that may have changed files."""
    changed = True
    unseen = False  # writes through a mapping are no calls: after one, each call may find other files
    for site, call in calls:
        if changed or unseen:
            yield "killed", site, _fault("killed", site)
        unseen = unseen or call.kind is Kind.MAP
        changed = call.kind in CHANGES or (call.kind is Kind.OPEN and call.flags & _MAKING != 0)


def _torn(calls: Iterable[tuple[Site, Call]]) -> Iterator[tuple[str, Site, Fault]]:
    for site, call in calls:
        if call.kind is Kind.WRITE:
            for size in torn_sizes(call.length, call.data):
                yield "torn", site, _fault("torn", site, bytes=size)


def torn_sizes(length: int, data: bytes) -> list[int]:
    """How many bytes of a write are done before it is cut off: none is a kill before it, all one after it."""
    if length <= EVERY_BYTE:
        return list(range(1, length))
    ends = (match.end() for match in re.finditer(rb"\n", data))
    return sorted(size for size in {1, 2, length // 2, length - 1, *ends} if 0 < size < length)


def _named(names: tuple[str, ...], recording: Sequence[Call]) -> list[tuple[Site, Call]]:
    sites = Sites(canonical(names))
    return [(sites.of(call), call) for call in recording if _can_be_named(call)]


def _can_be_named(call: Call) -> bool:
    """Can a scenario file name the call: has it a path, and is that text?"""
    try:
        return bool(call.paths) and all(path.encode() for path in call.paths)
    except UnicodeEncodeError:
        return False


def changing_names(recordings: Sequence[Sequence[Call]]) -> tuple[str, ...]:
    """Patterns for the paths that are others in each recording of the same operation, in order.

    Those that are new in one directory are matched in the order in which they come. What they have in common at both
    ends is kept, as far as a mark that is neither letter nor digit; without one, only what each of the names has.
    """
    seen = [dict.fromkeys(path for call in calls for path in call.paths) for calls in recordings]
    common = set.intersection(*map(set, seen))
    fresh = [[path for path in paths if path not in common] for paths in seen]
    patterns: dict[str, None] = {}
    for directory in dict.fromkeys(os.path.dirname(path) for path in fresh[0]):
        names = [[os.path.basename(path) for path in each if os.path.dirname(path) == directory] for each in fresh]
        for alike in zip(*names, strict=False):
            patterns[os.path.join(directory, _pattern(alike))] = None
    return tuple(patterns)


def _pattern(names: Sequence[str]) -> str:
    first = _beginning(names)
    last = _beginning([name[len(first) :][::-1] for name in names])[::-1]
    marked = re.sub(r"[^\W_]*$", "", first)
    return (marked or first) + "*" + re.sub(r"^[^\W_]*", "", last)


def _beginning(names: Sequence[str]) -> str:
    """The characters that all of them begin with."""
    alike = 0
    for characters in zip(*names, strict=False):
        if len(set(characters)) > 1:
            break
        alike += 1
    return names[0][:alike]
