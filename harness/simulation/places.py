"""Paths of a simulation, and the same as whoever is asked in a sandbox has them."""

from harness.core.scenario import FileSpec
from harness.ports.fake_files import FakeFiles
from harness.simulation.session import HOME, PROJECT

_PLACES = {HOME: "{home}", PROJECT: "{project}"}


def placed(text: str) -> str:
    """``text`` of the simulation, with placeholders for its roots."""
    for path, placeholder in _PLACES.items():
        text = text.replace(path, placeholder)
    return text


def found(text: str) -> str:
    """``text`` with placeholders, as it is in the simulation."""
    for path, placeholder in _PLACES.items():
        text = text.replace(placeholder, path)
    return text


def standing(path: str, files: FakeFiles) -> FileSpec:
    """What stands at a path of the simulation: a file, a directory that something is in, or nothing."""
    if path in files.contents:
        return FileSpec(base64=bytes(files.contents[path][0]))
    below = any(name.startswith(f"{path}/") for name in files.contents)
    return FileSpec(kind="directory" if below else "absent")
