"""Scenarios for readers without windtunnel: the faults stand in the world as files, and only operations are left."""

import os
import stat

import msgspec

from harness.core.fault import Fault
from harness.core.scenario import FileSpec, Scenario, Step, World
from harness.core.seed import derive
from harness.errors import FileFormatError
from harness.faults.catalogue import inject
from harness.ports.clock import to_seconds
from harness.systems import registry
from harness.targets.direct import DirectRoom
from harness.targets.world import actions

FAMILIES = ("jsonl", "json_document", "filesystem")  # what these do can stay in a file
# real mounts, and what goes on while an operation runs, do not
NO_FILES = frozenset(
    f"filesystem.{kind}"
    for kind in ("read_only", "full", "no_inodes", "busy", "full_device", "not_writable", "vanishing", "growing")
)
UNREADABLE = "filesystem.unreadable"  # its mode is set; that it holds only shows in a process without capabilities
LARGEST_BYTES = 1024 * 1024  # of one file of a scenario meant for reading
RESET = "reset"
ROOTS = ("{project}", "{home}", "{tmp}", "{outside}")  # what a reader has; places that a target declares it has not


def rendered(scenario: Scenario, system: registry.System) -> Scenario | None:
    """The part of ``scenario`` after its last reset, its faults and samples turned into files of the world.

    None when that cannot be: a fault that is no file, one that strikes after an operation, or steps of another kind.
    """
    steps = _after_reset(scenario.steps)
    struck = [step.fault for step in steps if step.fault is not None]
    operations = tuple(step for step in steps if step.op is not None)
    if tuple(steps) != (*(Step(fault=fault) for fault in struck), *operations) or not operations:
        return None
    if any(fault.family not in FAMILIES or fault.name in NO_FILES or fault.path is None for fault in struck):
        return None
    if not all(place.startswith(ROOTS) for place in (*scenario.world.files, *(str(fault.path) for fault in struck))):
        return None
    files = _files(scenario, struck, system)
    if files is None:
        return None
    world = World(scenario.world.clock, files, scenario.world.config)
    return msgspec.structs.replace(scenario, world=world, steps=operations)


def _after_reset(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    resets = [number for number, step in enumerate(steps) if step.op is not None and step.op.name == RESET]
    return steps[resets[-1] + 1 :] if resets else steps


def _files(scenario: Scenario, faults: list[Fault], system: registry.System) -> dict[str, FileSpec] | None:
    samples = system.process_calls.default_samples() if system.hook_target() is not None else {}
    files = {
        path: spec if spec.sample is None else _as_text(samples[spec.sample], spec)
        for path, spec in scenario.world.files.items()
    }
    room = DirectRoom()
    try:
        room.apply(actions(msgspec.structs.replace(scenario.world, files=files), to_seconds(scenario.world.clock), {}))
        for fault in faults:
            placed = inject(fault, room, derive(scenario.seed, scenario.id))
            if not placed.armed and fault.name != UNREADABLE:
                return None
        for path in dict.fromkeys(str(fault.path) for fault in faults):
            for known in [each for each in files if each == path or each.startswith(path.rstrip("/") + "/")]:
                del files[known]
            found = _found(room, path)
            if found is None:
                return None
            files |= found
    except (FileFormatError, OSError, AttributeError):  # a fault that needs more than a directory
        return None
    finally:
        room.close()
    return files


def _found(room: DirectRoom, path: str) -> dict[str, FileSpec] | None:
    """What stands at ``path``; None when it is no file a scenario should hold."""
    real = room.roots.resolve(path)
    try:
        status = os.lstat(real)
    except OSError:
        return {path: FileSpec("absent")}
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return {path: FileSpec("symlink", target=room.roots.hide(os.readlink(real)))}
    if stat.S_ISFIFO(status.st_mode):
        return {path: FileSpec("fifo")}
    if stat.S_ISDIR(status.st_mode):
        return {path: FileSpec("directory")} if mode and not os.listdir(real) else None
    if status.st_size > LARGEST_BYTES:
        return None
    os.chmod(real, 0o600)
    with open(real, "rb") as file:
        data = file.read()
    return {path: _as_text(data, FileSpec(mode=mode if mode == 0 else None))}


def _as_text(data: bytes, spec: FileSpec) -> FileSpec:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return msgspec.structs.replace(spec, base64=data, sample=None)
    return msgspec.structs.replace(spec, text=text, sample=None)
