"""What a loss of power may leave of one operation, each as a scenario of its own; see crash_states for the model.

The states are computed from one recording, so that no process is run for them: the operation is never answered, and
what stands then is put there. A recording that does not explain what really stood afterwards is of no use, and says so.
"""

import os
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import msgspec

from harness.core.digest import sha256_of
from harness.core.scenario import Crash, FileSpec, Scenario, Step
from harness.explore.crash_states import crash_states
from harness.explore.program.observing import Observer
from harness.explore.recording import Seen, recorded
from harness.explore.writes import DIRECTORY, Contents, SymbolicLink
from harness.targets.player import InputsOf, Player
from harness.targets.session import Session

MODEL: Final = "fsync as POSIX has it and no more: data and names that were not synced may be lost"  # see crash_states
_HASH_LENGTH: Final = 8
_ROOT: Final = "/"


class Watched(NamedTuple):
    """One operation: its calls, with what had to be looked up, and everything before and after it, by absolute path."""

    seen: tuple[Seen, ...]
    before: Mapping[str, FileSpec]
    after: Mapping[str, FileSpec]


class PowerVariants(NamedTuple):
    """The variants, how many states there were before equal ones were left out, and why not all could be told."""

    variants: tuple[Scenario, ...]
    states: int
    cut: str = ""


def watched(scenario: Scenario, place: int, session: Session, inputs_of: InputsOf) -> Watched:
    """Plays ``scenario`` up to the operation after the step at ``place``, and watches that one."""
    observer = Observer("")
    player = Player(scenario, session, inputs_of, watch=observer)
    player.begin()
    for n, step in enumerate(scenario.steps[: place + 2]):
        if step.explore is None or n == place:
            player.take(step)
    return Watched(tuple(observer.seen), player.before[-1], player.after[-1])


def power_variants(
    scenario: Scenario, place: int, found: Watched, hide: Callable[[str], str], limit: int
) -> PowerVariants:
    """What may be left of the operation after the step at ``place``, ``limit`` states at most."""
    before = _contents(found.before)
    recording = recorded(found.seen, before)
    doubts = [*recording.doubts]
    if not all(_is_text(path) for seen in found.seen for path in seen.paths if path):
        doubts.append("a name is no UTF-8")
    expected = {f"/{path}": contents for path, contents in recording.after.items()}
    wrong = sorted(path for path, spec in found.after.items() if expected.get(path) != _content(spec))
    if wrong:
        doubts.append(f"what was recorded does not explain {hide(wrong[0])} as it stood afterwards")
    if doubts:
        return PowerVariants((), 0, f"loss of power is not covered: {doubts[0]}")
    states = crash_states(before, recording.changes, "power")
    variants: list[Scenario] = []
    for state in states:
        if len(variants) >= limit:
            return PowerVariants(tuple(variants), len(variants), f"loss of power: after {limit:,} states")
        files = _difference(before, state.files)
        variants.append(
            _variant(scenario, place, {hide(f"/{path}"): spec for path, spec in files.items()}, state.label)
        )
    coverage = states.coverage
    return PowerVariants(
        tuple(variants), coverage.states, "" if coverage.exhausted else f"loss of power: {coverage.cut}"
    )


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _variant(scenario: Scenario, place: int, files: Mapping[str, FileSpec], says: str) -> Scenario:
    steps: list[Step] = []
    for n, step in enumerate(scenario.steps):
        if n == place + 1 and step.op is not None:
            steps.append(Step(step.process, crash=Crash(step.op, files, says)))
        elif step.explore is None:
            steps.append(step)
    return msgspec.structs.replace(
        scenario,
        id=f"{scenario.id}-power-{sha256_of([place, says])[:_HASH_LENGTH]}",
        title=f"{scenario.title}; {says}",
        steps=tuple(steps),
    )


def _difference(before: Mapping[str, Contents], after: Mapping[str, Contents]) -> dict[str, FileSpec]:
    """What has to be put in place; what is gone first, the deepest of it before what it lies in."""
    gone = sorted((path for path in before if path not in after), key=lambda path: -path.count("/"))
    changed = sorted(path for path in after if before.get(path) != after[path])
    return {**{path: FileSpec(kind="absent") for path in gone}, **{path: _spec(after[path]) for path in changed}}


def _spec(contents: Contents) -> FileSpec:
    if contents is DIRECTORY:
        return FileSpec(kind="directory")
    if isinstance(contents, SymbolicLink):
        return FileSpec(kind="symlink", target=contents.target)
    assert isinstance(contents, bytes)  # noqa: S101 - the only kind left
    try:
        return FileSpec(text=contents.decode())
    except UnicodeDecodeError:
        return FileSpec(base64=contents)


def _content(spec: FileSpec) -> Contents:
    if spec.kind == "directory":
        return DIRECTORY
    return SymbolicLink("") if spec.kind == "symlink" else spec.base64 or b""


def _contents(standing: Mapping[str, FileSpec]) -> dict[str, Contents]:
    """``standing`` by path below the root, with every directory on the way."""
    found: dict[str, Contents] = {}
    for path, spec in standing.items():
        parent = os.path.dirname(path)
        while parent != _ROOT:
            found[parent[1:]] = DIRECTORY
            parent = os.path.dirname(parent)
        found[path[1:]] = _content(spec)
    return found
