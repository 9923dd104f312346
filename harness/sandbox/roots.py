"""The places inside a sandbox, and the placeholders by which scenarios and results name them."""

import re
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

HOME: Final = "/home/agent"
PROJECT: Final = "/project"
TMP: Final = "/tmp"
OUTSIDE: Final = "/outside"
TOOLS: Final = "/run/windtunnel-tools"
SYSTEM_PATH: Final = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")

PLACEHOLDERS: Final = ("home", "project", "tmp", "outside", "tools")
_PLACEHOLDER: Final = re.compile(rf"\{{({'|'.join(PLACEHOLDERS)})\}}")
# A root is only a root as a whole path: /tmp is not meant in /var/tmp, nor in /tmpfile.
_BEFORE: Final = r"(?<![\w.\-])"
_AFTER: Final = r"(?![\w\-]|\.\w)"


class Roots(msgspec.Struct, frozen=True, dict=True):
    """Absolute paths, as a program in the sandbox sees them; ``bins`` are exposed directories of executables.

    ``tools`` is the harness's own: what faults need to have lying there. No snapshot shows it.
    """

    home: str = HOME
    project: str = PROJECT
    tmp: str = TMP
    outside: str = OUTSIDE
    bins: tuple[str, ...] = ()
    tools: str = TOOLS

    def resolve(self, text: str) -> str:
        """``text`` with each placeholder (``{home}``, ``{tools}`` ...) replaced by its path."""
        if "{" not in text:
            return text
        return _PLACEHOLDER.sub(lambda match: str(getattr(self, match[1])), text)

    def hide(self, text: str) -> str:
        """``text`` with each root replaced by its placeholder, the longest first: equal runs give equal texts."""
        pattern, names = self._hiding
        return pattern.sub(lambda match: names[match[0]], text)

    @cached_property
    def _hiding(self) -> tuple[re.Pattern[str], dict[str, str]]:
        names = {getattr(self, name): f"{{{name}}}" for name in PLACEHOLDERS}
        longest = sorted(names, key=len, reverse=True)
        return re.compile(f"{_BEFORE}(?:{'|'.join(map(re.escape, longest))}){_AFTER}"), names


def base_environment(roots: Roots) -> dict[str, str]:
    """The least a program may expect: HOME, PATH (exposed bins first), LANG, USER and TZ.

    Where the sandbox has no /tmp of its own, TMPDIR is added, or temporary files would go to the real one.
    """
    environment = {
        "HOME": roots.home,
        "PATH": ":".join((*roots.bins, *SYSTEM_PATH)),
        "LANG": "C.UTF-8",
        "USER": "agent",
        "TZ": "UTC",
    }
    if roots.tmp != TMP:
        environment["TMPDIR"] = roots.tmp
    return environment


def bins_of(exposed: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the exposed paths that hold executables: directories called bin, or with a bin in them."""
    found: dict[str, None] = {}
    for path in exposed:
        for candidate in (Path(path), Path(path) / "bin"):
            if candidate.name in ("bin", ".bin") and candidate.is_dir():
                found[str(candidate)] = None
    return tuple(found)
