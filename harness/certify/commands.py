"""What a target's command is made of: its program, its script, the commands of a shell's text, the files it names."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from harness.errors import UntestableError
from harness.ports.home import real_home
from harness.targets.shell_command import is_shell_text, simple_commands
from harness.targets.target_file import TargetSpec

INTERPRETERS = ("python", "node", "bash", "sh", "dash", "zsh", "ruby", "perl", "deno", "bun", "php")
"""Programs whose first word is a script."""


def files_named(spec: TargetSpec) -> list[Path]:
    """The words of the command that are files, as absolute paths."""
    folder = Path(spec.folder or "/")
    words = [word for each in (spec.file.command, *commands(spec)) for word in each if word]
    named = [Path(os.path.normpath(folder / word)) for word in words if os.sep in word or spec.folder]
    files = [path for path in named if os.path.isfile(path)]  # Path.is_file raises where it may not look
    # a link is followed when it is opened, so what it leads to has to be there as well
    return list(dict.fromkeys([*files, *(Path(os.path.realpath(path)) for path in files)]))


def commands(spec: TargetSpec) -> tuple[tuple[str, ...], ...]:
    """The commands in the text that a target gives to a shell; none when its command is no shell's."""
    words = spec.file.command
    return simple_commands(words, spec.folder or "/") if is_shell_text(words) else ()


def shown_for(path: Path) -> str:
    """What has to be shown for a file that is named: its folder, or only itself where that would show too much."""
    home = real_home()
    # a hidden folder of the home, such as an agent's, holds credentials beside programs
    hidden = path.parent.parent == home and path.parent.name.startswith(".")
    alone = hidden or path.parent in (home, Path("/"), Path("/tmp"))  # noqa: S108 - not written
    return str(path if alone else path.parent)


def require_script(spec: TargetSpec) -> None:
    """UntestableError when the command or its script is not there: an interpreter exits 2 without its script."""
    words = spec.file.command
    folder = Path(spec.folder or "/")
    found = words[0] if os.sep in words[0] else shutil.which(words[0])
    if found is None:
        here = Path(spec.folder or Path.cwd()) / words[0]
        hint = f"write ./{words[0]}, or name its interpreter first" if here.is_file() else "check its spelling"
        raise UntestableError(f"the command {words[0]!r} does not exist on this machine's PATH; {hint}")
    place = folder / found
    if not os.path.exists(place):
        raise UntestableError(f"the command {words[0]!r} does not exist in {folder}; give a path from that folder")
    if os.path.isdir(place):
        raise UntestableError(f"the command {words[0]!r} is a directory; name the program in it")
    if not os.access(place, os.X_OK):
        raise UntestableError(f"the command {words[0]!r} is not executable; chmod +x it, or name its interpreter first")
    _require_named(words, spec)
    inner = commands(spec)
    if len(inner) == 1:  # of several, one may be there to look whether the script of another exists
        _require_named(inner[0], spec)


def _require_named(words: Sequence[str], spec: TargetSpec) -> None:
    """UntestableError when ``words`` run a script that is not there."""
    folder = Path(spec.folder or "/")
    if os.sep in words[0] and not os.path.exists(folder / words[0]):
        raise UntestableError(f"the command {words[0]!r} does not exist in {folder}; give a path from that folder")
    stem = Path(words[0]).name.rstrip("0123456789.")
    if stem in INTERPRETERS and len(words) > 1 and words[1] and not words[1].startswith("-"):
        script = folder / words[1]
        if not os.path.exists(script):
            here = spec.folder or Path.cwd()  # the folder of a command that names no file is an empty one
            raise UntestableError(f"{words[0]} has no script to run: {words[1]} does not exist in {here}")
