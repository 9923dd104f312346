"""Implementations that nobody named: found in the settings of the hosts of this project, tried, and made to targets.

What had to be guessed is said in sentences, and the target that comes of it can be written to a file.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import msgspec
import yaml

from harness.certify.reach import from_spec
from harness.core.discovered import FoundHook, SampleSession, SettingsFile
from harness.core.history import EntryType, FileFact, History
from harness.errors import UsageError
from harness.ports.files import RealFiles
from harness.systems.registry import System
from harness.targets.player import play
from harness.targets.slots import Slots
from harness.targets.target_file import DeclaredPaths, Samples, TargetFile, TargetSpec

SETTINGS_LIMIT_BYTES = 4 * 1024 * 1024  # settings have a few kilobytes
_OF_MANY = ("{home}/.local/share", "{home}/.local/state")


class Discovered(NamedTuple):
    """What was found in a project: hooks in the order of the files, and sentences."""

    hooks: tuple[FoundHook, ...]
    said: tuple[str, ...]


class Guess(NamedTuple):
    """A target made of a hook that was found, with the transcripts of its samples, and what had to be guessed."""

    spec: TargetSpec
    said: tuple[str, ...]


def discover(system: System, project: Path, home: Path, environment: Mapping[str, str]) -> Discovered:
    """The hooks that hosts of ``project`` are told about; UsageError when there is none or a file is broken."""
    room = discovery_room(system)
    if project in (home, Path("/")):
        raise UsageError(f"{project} is no project: its hooks would see all of it; go to the folder you work in")
    files: tuple[SettingsFile, ...] = room.settings_files(str(project), str(home), environment)
    hooks: list[FoundHook] = []
    said: list[str] = []
    for file in files:
        data = _content(file)
        if data is None:
            continue
        found = room.hooks_in(file, data, str(home), os.path.isfile)
        said += found.said
        for hook in found.hooks:
            if any((hook.command, hook.host) == (other.command, other.host) for other in hooks):
                said.append(f"{hook.where} is the same command once more; a host runs it once")
            else:
                hooks.append(hook)
    if not hooks:
        raise UsageError(_nothing(files, said, project, room, home, environment))
    return Discovered(_numbered(hooks), tuple(said))


def discovery_room(system: System) -> ModuleType:
    """The system's own knowledge of settings; UsageError when hosts are told nothing about it."""
    room = system.discovery
    if room is None:
        raise UsageError(
            f"no host has settings for {system.name}; name a target: reference, a target file, or a command"
        )
    return room


def stated(hook: FoundHook, project: Path, system: System) -> Guess:
    """The target as the settings state it, untried: the sessions of ours stand for what the hook says it decides."""
    samples: dict[str, SampleSession] = {}
    for each in discovery_room(system).sessions():
        samples.setdefault(each.deserves, each)
    said = tuple(f"samples.{name} is ours, {each.title}; the hook was not tried" for name, each in samples.items())
    return Guess(_spec(hook, project, samples, None), (*hook.said, *said))


def tried(hook: FoundHook, project: Path, system: System, *, timeout_scale: float, unsafe: bool) -> Guess:
    """The target after one calm stop at the end of each session of ours: a sample is what it decided as we would.

    Where nothing contains the hook it is not run, unless ``unsafe``; what stops a run stops this as well.
    """
    room = discovery_room(system)
    sessions: tuple[SampleSession, ...] = room.sessions()
    samples: dict[str, SampleSession] = {}
    written: set[str] = set()
    said = list(hook.said)
    all_data = {each.name: each.data for each in sessions}
    reach = from_spec(TargetSpec(_file(hook), str(project), all_data), system, timeout_scale=timeout_scale)
    slots = Slots(1)
    with slots.held(), reach.open(slots) as session:
        if not (session.contained() or unsafe):
            return stated(hook, project, system)
        for each in sessions:
            history = play(room.trial(each.name), session, system.inputs_of)
            decision = room.decided([entry.value for entry in history.entries if entry.type is EntryType.OK])
            if decision is None:
                said.append(f"it gave no answer to {each.title}, so nothing was learnt from our sessions")
                return Guess(_spec(hook, project, {}, None), tuple(said))
            written |= _written(history)
            if decision == each.deserves:
                samples.setdefault(each.deserves, each)
    said += _about_samples(samples, sessions, room)
    place = own_place(sorted(written))
    said += _about_place(place, sorted(written))
    return Guess(_spec(hook, project, samples, place), tuple(said))


def own_place(written: Sequence[str]) -> str | None:
    """The one directory that all files of ``written`` lie in, when it is nobody else's; or the one file there is."""
    if not written:
        return None
    common = os.path.commonpath([os.path.dirname(path) for path in written])
    if not _shared(common):
        return common
    return written[0] if len(written) == 1 else None


def _shared(place: str) -> bool:
    """Is that where many programs keep their things: a root, a hidden folder in it, or a place for all?"""
    parts = place.split("/")
    return len(parts) == 1 or (len(parts) == 2 and parts[1].startswith(".")) or place in _OF_MANY


def target_text(guess: Guess, folder: Path, samples: Mapping[str, str]) -> str:
    """The target file that stands for ``guess`` in ``folder``; ``samples`` are the names of the transcripts' files."""
    file = msgspec.structs.replace(
        guess.spec.file, folder=os.path.relpath(guess.spec.folder, os.path.realpath(folder)), samples=Samples(**samples)
    )
    comments = "".join(f"# {' '.join(sentence.split())}\n" for sentence in guess.said)
    content = {key: value for key, value in msgspec.to_builtins(file).items() if value != {}}
    return comments + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None)


def _spec(hook: FoundHook, project: Path, samples: Mapping[str, SampleSession], place: str | None) -> TargetSpec:
    file = msgspec.structs.replace(_file(hook), paths=DeclaredPaths(runtime=place))
    return TargetSpec(file, str(project), {name: each.data for name, each in samples.items()})


def _file(hook: FoundHook) -> TargetFile:
    return TargetFile(name=hook.name, carrier="hook", command=hook.command, host=hook.host, timeout_s=hook.timeout_s)


def _content(file: SettingsFile) -> bytes | None:
    try:
        return RealFiles().read(file.path, SETTINGS_LIMIT_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"cannot read {file.path}: {error.strerror or 'it is no regular file'}") from error


def _numbered(hooks: Sequence[FoundHook]) -> tuple[FoundHook, ...]:
    if len(hooks) == 1:
        return tuple(hooks)
    return tuple(msgspec.structs.replace(hook, name=f"{hook.name}-{n}") for n, hook in enumerate(hooks, start=1))


def _nothing(
    files: Sequence[SettingsFile],
    said: Sequence[str],
    project: Path,
    room: ModuleType,
    home: Path,
    environment: Mapping[str, str],
) -> str:
    how = "name a target: a target file, --hook -- CMD..., or reference"
    if said:
        return f"nothing to certify here: {'; '.join(said)}; {how}"
    for parent in project.parents:
        above = [file.path for file in room.settings_files(str(parent), str(home), environment)]
        if parent != home and any(os.path.isfile(path) for path in above if path.startswith(f"{parent}/.")):
            how = f"go to {parent}, which has settings, or {how}"
            break
    looked_for = ", ".join(f"{file.path} ({file.whose})" for file in files)
    return f"no hook is set up here; looked for {looked_for}; {how}"


def _written(history: History) -> set[str]:
    """Files that a calm stop made or changed."""
    before: Mapping[str, FileFact] = {}
    found: set[str] = set()
    for entry in history.entries:
        if entry.type is EntryType.INVOKE:
            before = entry.files
        else:
            found |= {path for path, fact in entry.files.items() if fact.kind == "file" and before.get(path) != fact}
    return found


def _about_samples(
    samples: Mapping[str, SampleSession], sessions: Sequence[SampleSession], room: ModuleType
) -> list[str]:
    said = [f"samples.{name} is ours, {each.title}, which it decided so" for name, each in samples.items()]
    if "block" not in samples:
        said += [room.without_block_sample(each.title) for each in sessions if each.deserves == "block"][:1]
    if "approve" not in samples:
        said.append("it let none of our sessions end; give one that it does under samples.approve")
    return said


def _about_place(place: str | None, written: Sequence[str]) -> list[str]:
    if not written:
        return []
    if place is None:
        return [f"it wrote {', '.join(written[:4])}, of which none is clearly a place of its own; state paths.runtime"]
    return [f"it wrote in {place}, which is taken for its own place (paths.runtime)"]
