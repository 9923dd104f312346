"""What was found where hosts are told about an implementation: values that a system's discovery hands on. Pure."""

import msgspec


class SettingsFile(msgspec.Struct, frozen=True):
    """A file that may name implementations: ``path`` absolute, ``host`` who reads it, ``whose`` said for a person."""

    path: str
    host: str
    whose: str


class FoundHook(msgspec.Struct, frozen=True):
    """One implementation that a settings file names.

    ``command`` may hold ``{project}``; ``text`` is the command as it is written there, ``where`` the file and the
    place in it. ``timeout_s`` is None where none is stated. ``said`` are sentences about what had to be guessed.
    """

    name: str
    command: tuple[str, ...]
    text: str
    where: str
    host: str
    timeout_s: float | None
    said: tuple[str, ...] = ()


class Found(msgspec.Struct, frozen=True):
    """What one settings file holds; ``said`` are sentences about entries that cannot be certified, and why."""

    hooks: tuple[FoundHook, ...] = ()
    said: tuple[str, ...] = ()


class SampleSession(msgspec.Struct, frozen=True):
    """A session made by us: its name, what most owners would want (approve or block), and its transcript."""

    name: str
    deserves: str
    title: str
    data: bytes
