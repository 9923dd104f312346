"""Which of the person's directories a command needs to be able to start: interpreters and tools, never their home."""

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from harness.errors import UsageError
from harness.sandbox.roots import SYSTEM_PATH
from harness.sandbox.world import SYSTEM_DIRECTORIES

_PARTS: Final = ("bin", "sbin", "lib", "lib64", "libexec", "include", "share", "pyvenv.cfg")
_PARTS_OF_HOME: Final = ("bin", "lib")  # a home and its .local hold the person's own files beside programs
_HOPS: Final = 40  # as many links as the kernel follows
_SHEBANG_BYTES: Final = 256  # the kernel reads no more of that line


class Exposure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``paths`` to show read-only, in PATH order; ``programs`` what each command resolved to, "" when not found."""

    paths: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


def exposure_for(
    commands: Sequence[str],
    *,
    search: str,
    home: str,
    cwd: str,
    extra: Iterable[str] = (),
    needs_harness: bool = False,
) -> Exposure:
    """What ``commands`` (names, or paths relative to ``cwd``) need, found along ``search``, a PATH.

    ``extra`` are paths the person asks for. ``needs_harness`` adds our own interpreter and package.
    Shims of version managers are resolved to what they would run. Raises UsageError when ``extra`` names / .
    """
    collector = _Collector(search, home, cwd)
    programs = tuple(collector.command(name) for name in commands)
    if needs_harness:
        collector.command(sys.executable)
        for prefix in (sys.prefix, sys.base_prefix):
            collector.prefix(Path(prefix))
        collector.add(Path(__file__).resolve().parent.parent)
    for path in extra:
        place = Path(cwd, path)
        if os.path.realpath(place) == "/":
            raise UsageError("the whole machine cannot be exposed to a sandbox; name the directories that are needed")
        collector.add(place)
    return Exposure(collector.paths(), programs)


class _Collector:
    def __init__(self, search: str, home: str, cwd: str) -> None:
        self._search = [Path(cwd, part) for part in search.split(":") if part]
        self._homes = {Path(home), Path(home, ".local"), Path(os.path.realpath(home))}
        self._cwd = cwd
        self._found: dict[str, None] = {}
        self._seen: set[str] = set()

    def paths(self) -> tuple[str, ...]:
        """Everything found, without what lies below something else found; system places only for PATH."""
        found = list(self._found)
        return tuple(
            path for path in found if not any(path.startswith(other + "/") for other in found if other != path)
        )

    def add(self, path: Path) -> None:
        if os.path.exists(path):
            self._found[str(path)] = None

    def command(self, name: str) -> str:
        """Expose what ``name`` needs; the executable it stands for."""
        found = self._which(name)
        if found is None:
            return ""
        if found.parent.name == "shims":
            found = _behind_shim(found, self._cwd) or found
        if str(found) in self._seen:
            return str(found)
        self._seen.add(str(found))
        if not _visible(found.parent) or (str(found.parent) not in SYSTEM_PATH and found.parent in self._search):
            self._place(found)
        path = found
        for _ in range(_HOPS):
            path = Path(os.path.realpath(path.parent)) / path.name
            self._place(path)
            if not path.is_symlink():
                break
            path = Path(os.path.normpath(path.parent / path.readlink()))
        self._interpreter(path)
        return str(found)

    def _which(self, name: str) -> Path | None:
        if "/" in name:
            path = Path(os.path.normpath(Path(self._cwd, name)))
            return path if os.path.exists(path) else None  # Path.exists raises for a directory that may not be entered
        for directory in self._search:
            path = directory / name
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
        return None

    def _place(self, path: Path) -> None:
        """Expose what belongs to the executable ``path``: its prefix in parts, or the file alone."""
        directory = path.parent
        if _visible(directory):
            if directory in self._search and str(directory) not in SYSTEM_PATH:
                self._found[str(directory)] = None  # seen anyhow, but it must come into PATH
            self._environment(directory.parent)
        elif directory.name in ("bin", "sbin"):
            self.prefix(directory.parent)
        elif directory.name == ".bin" and directory.parent.name == "node_modules":
            self.add(directory.parent)
        else:
            self.add(path)

    def prefix(self, prefix: Path) -> None:
        """Expose the usual parts of an installation prefix, never the prefix itself."""
        if _visible(prefix) or prefix == Path("/"):
            return
        for part in _PARTS_OF_HOME if prefix in self._homes else _PARTS:
            self.add(prefix / part)
        self._environment(prefix)

    def _environment(self, prefix: Path) -> None:
        """A virtual environment needs the installation it was made from."""
        try:
            lines = (prefix / "pyvenv.cfg").read_text("utf-8", "replace").splitlines()
        except OSError:
            return
        for line in lines:
            key, _, value = line.partition("=")
            if key.strip() == "home" and Path(value.strip()).is_absolute():
                base = Path(os.path.realpath(value.strip())).parent
                if base != prefix:
                    self.prefix(base)

    def _interpreter(self, script: Path) -> None:
        try:
            with script.open("rb") as file:
                line = file.read(_SHEBANG_BYTES).split(b"\n", 1)[0]
        except OSError:
            return
        if not line.startswith(b"#!"):
            return
        words = os.fsdecode(line[2:]).split()
        if words and Path(words[0]).name == "env":
            words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        if words:
            self.command(words[0])


def _visible(path: Path) -> bool:
    text = str(path)
    return any(text == known or text.startswith(known + "/") for known in SYSTEM_DIRECTORIES)


def _behind_shim(shim: Path, cwd: str) -> Path | None:
    """What the shim of a version manager (pyenv and kin, asdf, mise) would run from ``cwd``, as far as files tell."""
    root = shim.parent.parent
    for version in _wanted_versions(root, cwd):
        candidate = root / "versions" / version / "bin" / shim.name
        if os.path.exists(candidate):
            return candidate
    patterns = (f"versions/*/bin/{shim.name}", f"installs/*/*/bin/{shim.name}")
    found = sorted(path for pattern in patterns for path in root.glob(pattern))
    return found[-1] if found else None


def _wanted_versions(root: Path, cwd: str) -> list[str]:
    tool = root.name.strip(".")  # .pyenv, .rbenv, .nodenv ...
    named = {"pyenv": "python", "rbenv": "ruby", "nodenv": "node"}.get(tool, tool)
    chosen = os.environ.get(f"{tool.upper()}_VERSION", "")
    if chosen:
        return chosen.split(":")
    here = Path(cwd)
    for file in (*(place / f".{named}-version" for place in (here, *here.parents)), root / "version"):
        try:
            words = file.read_text("utf-8", "replace").split()
        except OSError:
            continue
        if words:
            return words
    return []
