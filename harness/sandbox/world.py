"""The world the agent builds around itself: a root made by whitelist, or, without namespaces, directories."""

import errno
import os
from contextlib import suppress
from typing import Final, NamedTuple

from harness.sandbox import files, loopback, mounts, wire
from harness.sandbox.project import CopiedProject, EmptyProject, OverlayProject, Project, ProjectTooLargeError

SYSTEM_DIRECTORIES: Final = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu",
)  # fmt: skip
_SYSTEM_LINK: Final = "/run/current-system"  # NixOS finds its programs through it
_OLD: Final = "/oldroot"
_HIDDEN: Final = "/.windtunnel"
_ROOT_BYTES: Final = 16 * 1024 * 1024  # holds only mount points and links
_TOOLS_BYTES: Final = 32 * 1024 * 1024  # programs that stand for others, and the like
_DEVICES: Final = ("null", "zero", "full", "random", "urandom", "tty")
_DEVICE_LINKS: Final = {
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
    "ptmx": "pts/ptmx",
}
# Owned by the real root: if that is who runs us, its children could write here without any capability.
_MACHINE_WIDE: Final = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr")
_STICKY: Final = 0o1777


class Root(NamedTuple):
    """A writable place: what snapshots call it, where it is, and the mode it begins with."""

    name: str
    path: str
    mode: int


class World(NamedTuple):
    """What was built.

    ``tools`` is the directory for what faults need, which no snapshot shows.
    ``keep`` are mount points inside the roots and what leads there, never to be removed; ``foreign`` those of them
    that show something else than the sandbox's own files.
    """

    roots: tuple[Root, ...]
    project: Project
    project_path: str
    tools: str
    keep: frozenset[str]
    foreign: frozenset[str]
    overlay: bool
    missing: tuple[str, ...]

    def space_of(self, path: str) -> str | None:
        """The mount point of the tmpfs that is all of the root or project at ``path``; None for any other path."""
        if path == self.project_path:
            return self.project.space
        return path if any(root.path == path for root in self.roots) else None


class BuildError(Exception):
    """The machine refused a step; the text is a sentence."""


def build(setup: wire.Setup) -> World:
    """Build the world of ``setup``. Raises BuildError."""
    try:
        return _build_plain(setup) if setup.plain_base else _Builder(setup).build()
    except ProjectTooLargeError:
        raise BuildError(
            f"the project {setup.project_source} is larger than 256 MiB and cannot be an overlay here; "
            "name a smaller directory that holds the hook"
        ) from None
    except OSError as error:
        place = str(error.filename or "the sandbox").replace(f"{_HIDDEN}/lower", setup.project_source)
        raise BuildError(f"the sandbox could not be built at {place}: {error.strerror}") from error


def _build_plain(setup: wire.Setup) -> World:
    roots = (
        Root("{home}", setup.home, 0o755),
        Root("{tmp}", setup.tmp, _STICKY),
        Root("{outside}", setup.outside, 0o755),
    )
    for root in roots:
        os.mkdir(root.path)
        os.chmod(root.path, root.mode)
    os.mkdir(setup.project)
    os.mkdir(setup.tools)
    source = setup.project_source
    project: Project = CopiedProject(source, setup.project) if source else EmptyProject(setup.project)
    missing: tuple[str, ...] = (
        "Files of the person outside the sandbox can be read and, where permissions allow, changed.",
        "The network can be reached.",
        "A process that kills the agent can escape being killed itself.",
        "Temporary files written to /tmp, /var/tmp or /dev/shm by name are neither seen nor removed.",
        "Disk limits and read-only mounts cannot be made.",
        "If harness and agent are both killed, the sandbox's directory stays behind.",
    )
    if os.geteuid() == 0:
        missing = (*missing, "As root, programs ignore file permissions.")
    return World(roots, project, setup.project, setup.tools, frozenset(), frozenset({setup.project}), False, missing)


class _Builder:
    """Builds the namespaced world, in the only order the kernel permits."""

    def __init__(self, setup: wire.Setup) -> None:
        self._setup = setup
        self._keep: set[str] = set()
        self._shown: list[str] = []
        self._missing: list[str] = []
        self._roots: tuple[Root, ...] = (
            Root("{home}", setup.home, 0o755),
            Root("{tmp}", setup.tmp, _STICKY),
            Root("{outside}", setup.outside, 0o755),
            Root("/dev/shm", "/dev/shm", _STICKY),
            Root("/run", "/run", 0o755),
            Root("/var/tmp", "/var/tmp", _STICKY),
        )

    def build(self) -> World:
        # /tmp exists everywhere; once its tmpfs has become the root, the machine's own /tmp is uncovered again.
        mounts.tmpfs("/tmp", _ROOT_BYTES, 0o755)
        os.mkdir("/tmp" + _OLD)
        mounts.pivot_root("/tmp", "/tmp" + _OLD)
        os.chdir("/")
        self._show_system()
        self._make_proc()
        self._make_devices()
        for root in self._roots:
            if not root.path.startswith("/dev/"):
                os.makedirs(root.path, exist_ok=True)
                mounts.tmpfs(root.path, self._setup.writable_bytes, root.mode)
        os.mkdir(self._setup.tools)
        mounts.tmpfs(self._setup.tools, _TOOLS_BYTES, 0o755)
        self._keep.add(self._setup.tools)
        self._shown.append(self._setup.tools)
        self._show_exposed()
        project = self._make_project()
        loopback.bring_up()
        mounts.unmount(_OLD)
        os.rmdir(_OLD)
        os.chmod(_HIDDEN, 0)  # only the agent has the capability to pass
        mounts.set_root_read_only()
        return World(
            roots=self._roots,
            project=project,
            project_path=self._setup.project,
            tools=self._setup.tools,
            keep=frozenset(self._keep),
            foreign=frozenset((*self._shown, self._setup.project)),
            overlay=isinstance(project, OverlayProject),
            missing=tuple(self._missing),
        )

    def _show_system(self) -> None:
        for path in SYSTEM_DIRECTORIES:
            source = _OLD + path
            if os.path.islink(source):
                os.symlink(os.readlink(source), path)
            elif os.path.isdir(source):
                os.mkdir(path)
                mounts.bind(source, path)
                mounts.set_read_only(path)

    def _make_proc(self) -> None:
        os.mkdir("/proc")
        mounts.mount("proc", "/proc", "proc", mounts.NO_SUID | mounts.NO_DEVICES | mounts.NO_EXEC)
        for name in _MACHINE_WIDE:
            path = f"/proc/{name}"
            if os.path.exists(path):
                mounts.bind(path, path)
                mounts.set_read_only(path)

    def _make_devices(self) -> None:
        os.mkdir("/dev")
        mounts.tmpfs("/dev", _ROOT_BYTES, 0o755)
        for name in _DEVICES:
            if os.path.exists(f"{_OLD}/dev/{name}"):
                _touch(f"/dev/{name}")
                mounts.bind(f"{_OLD}/dev/{name}", f"/dev/{name}")
        for name, target in _DEVICE_LINKS.items():
            os.symlink(target, f"/dev/{name}")
        os.mkdir("/dev/shm")
        os.mkdir("/dev/pts")
        # The nodes are the machine's own: its root could change their modes. So they too are read-only, as files.
        mounts.set_read_only("/dev")
        with suppress(OSError):  # terminals are a convenience: some containers refuse the mount
            mounts.mount("devpts", "/dev/pts", "devpts", mounts.NO_SUID | mounts.NO_EXEC, "newinstance,ptmxmode=0666")
        mounts.tmpfs("/dev/shm", self._setup.writable_bytes, _STICKY)

    def _show_exposed(self) -> None:
        if os.path.islink(_OLD + _SYSTEM_LINK):
            os.symlink(os.readlink(_OLD + _SYSTEM_LINK), _SYSTEM_LINK)
            self._keep.add(_SYSTEM_LINK)
            self._shown.append(_SYSTEM_LINK)
        for source, target in sorted(self._setup.exposed, key=lambda pair: pair[1]):
            known = (
                *SYSTEM_DIRECTORIES,
                *self._shown,
                *filter(None, [self._setup.project_source and self._setup.project]),
            )
            if any(target == other or target.startswith(other + "/") for other in known):
                continue
            place = _OLD + source
            if not os.path.exists(place):
                continue
            self._make_place(target, os.path.isdir(place))
            mounts.bind(place, target)
            mounts.set_read_only(target)
            self._shown.append(target)

    def _make_place(self, path: str, directory: bool) -> None:
        """Have a mount point at ``path``; if that is inside a private root, make what leads there unmovable."""
        root = next((root.path for root in self._roots if path.startswith(root.path + "/")), None)
        if os.path.lexists(path):
            return
        parents = os.path.dirname(path)
        os.makedirs(parents, exist_ok=True)
        if directory:
            os.mkdir(path)
        else:
            _touch(path)
        if root is not None:
            self._keep.add(path)
            step = root
            for part in parents[len(root) :].strip("/").split("/"):
                step = f"{step}/{part}" if part else step
                if step != root and step not in self._keep:
                    # A directory that holds a mount point could be renamed away; a mount point itself cannot.
                    mounts.bind(step, step)
                    self._keep.add(step)

    def _make_project(self) -> Project:
        setup = self._setup
        self._make_place(setup.project, directory=True)
        os.mkdir(_HIDDEN)
        if not setup.project_source:
            mounts.tmpfs(setup.project, setup.writable_bytes, 0o755)
            return EmptyProject(setup.project)
        lower, base = f"{_HIDDEN}/lower", f"{_HIDDEN}/base"
        os.mkdir(lower)
        os.mkdir(base)
        mounts.bind(_OLD + setup.project_source, lower)
        mounts.set_read_only(lower)
        if not setup.prefer_copy:
            mounts.tmpfs(base, setup.writable_bytes, 0o755)
            try:
                # Without these attributes an overlay fails with EIO where a directory replaces a deleted one.
                os.setxattr(base, "user.windtunnel", b"1")
                return OverlayProject(lower, base, setup.project)
            except OSError as error:
                name = errno.errorcode.get(error.errno or 0, "?")
                self._missing.append(f"The project is a copy: this kernel refused the overlay ({name}).")
        mounts.tmpfs(setup.project, setup.writable_bytes, 0o755)
        return CopiedProject(lower, setup.project)


def _touch(path: str) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))


def restore(world: World) -> None:
    """Bring all roots and the project back to their beginning. No process may be alive, no fault mounted."""
    for root in world.roots:
        files.empty(root.path, world.keep)
        os.chmod(root.path, root.mode)
    files.empty(world.tools)
    world.project.reset()
