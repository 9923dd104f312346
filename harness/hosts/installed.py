"""Hosts that are installed: from the npm registry, at the version the facts were made with, below one folder."""

import os
import re
import shutil
import subprocess
from importlib import resources
from pathlib import Path
from typing import Final

import msgspec

from harness.errors import MachineError, UsageError
from harness.hosts.kind import HostKind
from harness.hosts.kinds import KINDS
from harness.ports.home import real_home

FOLDER_VARIABLE: Final = "WINDTUNNEL_HOSTS"
_INSTALL_LIMIT_S: Final = 1800.0
_OF_NPM: Final = re.compile(r"npm (?:error|ERR!) +(?!code |syscall |errno |path |command |A complete log )(.*\S)")


class InstalledHost(msgspec.Struct, frozen=True):
    """A host on this machine: its kind, version, the program that starts it, and what runs that ("": the machine)."""

    kind: HostKind
    version: str
    program: str
    folder: str
    runtime: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """What a command line that starts it begins with."""
        return (self.runtime, self.program) if self.runtime else (self.program,)


def kind_named(name: str) -> HostKind:
    """That kind of host; UsageError when it is none that can be run."""
    if name not in KINDS:
        raise UsageError(f"there is no host {name!r} that can be run here; there are: {', '.join(KINDS)}")
    return KINDS[name]


def pinned_version(kind: HostKind) -> str:
    """The version that is installed, and that the facts are about."""
    manifest = msgspec.json.decode(_manifest(kind).joinpath("package.json").read_bytes())
    (version,) = manifest["dependencies"].values()
    return str(version)


def hosts_folder(environment: dict[str, str], home: Path) -> Path:
    """Where hosts are installed: the variable WINDTUNNEL_HOSTS, or the person's place for data of programs."""
    named = environment.get(FOLDER_VARIABLE)
    data = environment.get("XDG_DATA_HOME") or str(home / ".local" / "share")
    # absolute: it is shown to a sandbox, which has another current folder
    return (Path(named) if named else Path(data) / "windtunnel" / "hosts").absolute()


def find(kind: HostKind, folder: Path) -> InstalledHost:
    """The installed host; MachineError when it is missing or of another version."""
    version = pinned_version(kind)
    place = folder / kind.name
    programs = place / "node_modules" / ".bin"
    program = programs / kind.program
    runtime = programs / kind.runtime if kind.runtime else None
    how = f"windtunnel host install {kind.name}"
    if not os.path.isfile(program):  # Path.exists raises where it may not look
        raise MachineError(f"the host {kind.name} is not installed in {folder}; install it with: {how}")
    found = _version_of(kind, place)
    if found != version:
        raise MachineError(
            f"the host {kind.name} in {folder} is version {found or 'unknown'}, and its facts are about {version}; "
            f"install that with: {how}"
        )
    if runtime is not None and not os.path.exists(runtime):
        raise MachineError(f"the host {kind.name} in {folder} has no {kind.runtime} of its own for this machine")
    return InstalledHost(kind, version, str(program), str(place), str(runtime or ""))


def install(kind: HostKind, folder: Path) -> InstalledHost:
    """Install the pinned version below ``folder`` from the npm registry, or leave it when it is there."""
    try:
        return find(kind, folder)
    except MachineError:
        pass
    npm = shutil.which("npm")
    if npm is None:
        raise MachineError("npm is not on this machine's PATH; it is needed to install a host")
    place = folder / kind.name
    what = f"{kind.name} {pinned_version(kind)} in {place}"
    # not `npm ci`: it refuses a lock whose optional packages for other machines the registry does not have
    words = (npm, "install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error")
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            (place / name).write_bytes(_manifest(kind).joinpath(name).read_bytes())
        done = subprocess.run(words, cwd=place, capture_output=True, check=False, timeout=_INSTALL_LIMIT_S)
    except subprocess.TimeoutExpired as error:
        raise MachineError(
            f"npm did not install {what} within {_INSTALL_LIMIT_S:g} s and was ended; is the registry reached?"
        ) from error
    except OSError as error:
        raise MachineError(
            f"cannot install {what}: {error.filename or npm}: {error.strerror}; mend that, "
            f"or name another folder with the variable {FOLDER_VARIABLE}"
        ) from error
    if done.returncode:
        raise MachineError(f"npm could not install {what}: {_reason(done.stderr.decode(errors='replace'))}")
    return find(kind, folder)


def _reason(said: str) -> str:
    """The line that says why: of npm's own the first that is no code, path or trace, else the last of all."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    own = [found[1] for line in lines if (found := _OF_NPM.match(line))]
    return (own or lines[-1:] or ["it said nothing"])[0]


def _manifest(kind: HostKind) -> Path:
    return Path(str(resources.files("harness.hosts"))) / "npm" / kind.name


def _version_of(kind: HostKind, place: Path) -> str:
    manifest = msgspec.json.decode(_manifest(kind).joinpath("package.json").read_bytes())
    (package,) = manifest["dependencies"]
    try:
        found = msgspec.json.decode((place / "node_modules" / package / "package.json").read_bytes())
    except (OSError, ValueError):
        return ""
    return str(found.get("version", "")) if isinstance(found, dict) else ""


def real_folder() -> Path:
    """The folder of this person's hosts."""
    return hosts_folder(dict(os.environ), real_home())
