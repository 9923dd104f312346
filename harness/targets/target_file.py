"""The target file: how to reach somebody's implementation, as YAML. Published as ``target.schema.json``."""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from harness.core.document import NotYAMLError, parse_yaml
from harness.errors import FileFormatError, UsageError
from harness.ports.files import RealFiles
from harness.ports.home import real_home

FILE_LIMIT_BYTES = 1024 * 1024  # a target file has a few hundred; a FIFO or a device is refused unread
SAMPLE_LIMIT_BYTES = 64 * 1024 * 1024
SCRIPT_SUFFIXES = (".py", ".sh", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".go", ".php")
Carrier = Literal["hook", "stdio", "in_process"]
Positive = Annotated[float, msgspec.Meta(gt=0)]


class DeclaredPaths(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where the implementation keeps things, with ``{home}`` and ``{project}`` as placeholders."""

    config: str | None = None
    semaphore: str | None = None
    runtime: str | None = None

    def stated(self) -> dict[str, str]:
        """The paths that are given, by name."""
        return {name: value for name, value in msgspec.to_builtins(self).items() if value is not None}


class Samples(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Transcripts of a session that deserves approval and of one that deserves a block; relative to the file."""

    approve: str | None = None
    block: str | None = None


class TargetFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One implementation and how it is reached.

    ``command`` is run in ``folder``, relative to the target file, by default the file's own; ``factory`` (carrier
    in_process) is ``package.module:name``; ``host`` names the host whose rules decide; ``timeout_s`` is the host's
    time-out for the hook in seconds, null for that host's own; ``max_blocks`` bounds how often identical stops may be
    blocked in a row; ``expose`` lists further paths that are shown read-only; ``network`` leaves the network open;
    ``groups`` are the optional groups declared.
    """

    name: str
    carrier: Carrier
    command: tuple[str, ...] = ()
    factory: str | None = None
    version: str = "unversioned"
    env: Mapping[str, str] = msgspec.field(default_factory=dict)
    host: str = "claude-code"
    timeout_s: Positive | None = None
    max_blocks: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 25
    paths: DeclaredPaths = DeclaredPaths()
    samples: Samples = Samples()
    groups: tuple[str, ...] = ()
    expose: tuple[str, ...] = ()
    network: bool = False
    folder: str | None = None


class TargetSpec(msgspec.Struct, frozen=True):
    """A target ready to be reached: what its file says, the folder it is run in, and its samples' bytes."""

    file: TargetFile
    folder: str
    samples: Mapping[str, bytes] = msgspec.field(default_factory=dict)


def load(path: Path) -> TargetSpec:
    """The target in the file at ``path``; FileFormatError or UsageError, in one sentence, when it cannot be used."""
    try:
        text = RealFiles().read(str(path), FILE_LIMIT_BYTES)
    except OSError as error:
        raise UsageError(
            f"cannot read the target file {path}: {error.strerror or 'it is no regular file'}{_reference_hint(path)}"
        ) from error
    if path.suffix in SCRIPT_SUFFIXES:
        raise UsageError(f"{path} is a program, no target file; write --hook -- COMMAND {path} to certify it as a hook")
    file = parse(text, str(path))
    folder = path.resolve().parent
    samples = {}
    for name, relative in msgspec.to_builtins(file.samples).items():
        if relative is not None:
            samples[name] = _sample(folder / relative, path)
    if len(samples) > 1 and len(set(samples.values())) == 1:
        raise UsageError(f"{path}: samples.approve and samples.block are the same; one has to deserve a block")
    return TargetSpec(file, _run_in(folder, file, path), samples)


def parse(text: bytes, where: str) -> TargetFile:
    """What a target file says; FileFormatError, naming ``where``, when it is none."""
    try:
        file = msgspec.convert(parse_yaml(text), TargetFile)
    except NotYAMLError as error:
        raise FileFormatError(f"{where} is no YAML: {error}") from error
    except msgspec.ValidationError as error:
        raise FileFormatError(f"{where} is no target file: {_explained(str(error))}") from error
    _require_complete(file, where)
    return file


def _require_complete(file: TargetFile, path: str) -> None:
    if file.carrier == "in_process" and not file.factory:
        raise FileFormatError(f"{path}: carrier in_process needs `factory: package.module:name`")
    for name, place in file.paths.stated().items():
        if not place.startswith(("{home}/", "{project}/", "{tmp}/")):
            raise FileFormatError(
                f"{path}: paths.{name} is {place!r}; it has to begin with {{home}}/, {{project}}/ or {{tmp}}/"
            )
    if file.carrier != "in_process" and not file.command:
        raise FileFormatError(f"{path}: carrier {file.carrier} needs a `command`, a list of words")


def _run_in(folder: Path, file: TargetFile, path: Path) -> str:
    if file.folder is None:
        return str(folder)
    place = Path(os.path.realpath(folder / file.folder))
    if not os.path.isdir(place):
        raise UsageError(f"{path}: folder is {file.folder!r}, and {place} is no directory")
    if place in (real_home(), Path("/")):
        raise UsageError(f"{path}: with folder {file.folder!r} the command would see all of {place}; name one below it")
    return str(place)


def _sample(path: Path, target: Path) -> bytes:
    try:
        data = RealFiles().read(str(path), SAMPLE_LIMIT_BYTES)
    except OSError as error:
        raise UsageError(
            f"{target} names the sample {path}, which cannot be read: {error.strerror or 'it is no regular file'}"
        ) from error
    if not data.strip():
        raise UsageError(f"{target} names the sample {path}, which is empty; a sample holds a whole transcript")
    return data


def _explained(message: str) -> str:
    if "contains unknown field" not in message:
        return message
    wrong = message.split("`")[1]
    known = [field.encode_name for field in msgspec.structs.fields(TargetFile)]
    known += [field.encode_name for kind in (DeclaredPaths, Samples) for field in msgspec.structs.fields(kind)]
    near = closest(wrong, known)
    return f"there is no key {wrong!r}" + (f"; did you mean {near!r}?" if near else f"; known keys: {', '.join(known)}")


def _reference_hint(path: Path) -> str:
    return "; did you mean `reference`?" if closest(str(path), ["reference"]) else ""


def closest(word: str, known: list[str]) -> str | None:
    """The known word most like ``word``, or None when none is near."""
    matches = get_close_matches(word, known, n=1)
    return matches[0] if matches else None
