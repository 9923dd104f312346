"""The corpus of error texts: what an entry is, where its two parts lie, and which part an entry belongs to."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from harness.systems.diagnosis.contract import ErrorType

HERE = Path(__file__).parent
RECIPES = HERE / "recipes"
DEVELOPMENT = HERE.parents[1] / "harness" / "systems" / "diagnosis" / "corpus" / "development.yaml"
HELD_OUT = HERE / "held_out.yaml"

# The first byte of sha256(id): below this an entry is for development, about 60 % of them; the others are held out.
DEVELOPMENT_BELOW = 154
TOOLS = ("run_bash", "read_file", "read_dir", "write_file", "http_fetch", "search")


class Error(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``error`` of the Input Context, as the tool gave it; Node's codes are texts."""

    message: str
    code: int | str | None = None
    stdout: str | None = None
    stderr: str | None = None
    signal: str | None = None


class Entry(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename={"available": "availableTools"}
):
    """One failed call. ``made`` is ``run`` or ``documented``; ``origin`` is the command, or where the text was read.

    ``why`` tells which words of the document's definition the type follows from. The type was given before any
    classifier had seen the entry.
    """

    id: str
    type: ErrorType
    why: str
    tool: str
    args: dict[str, Any]
    error: Error
    made: str
    origin: str
    available: tuple[str, ...] = TOOLS


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How an entry is made: ``run`` is a line for bash, or ``error`` is the text that ``source`` tells of.

    ``setup`` runs before, unseen. ``says`` is how the tool tells of the failure: ``exit`` and ``node`` (as
    child_process.exec does) give the streams and the code, ``text`` only a message, ``json`` prints the error itself.
    ``nobody`` runs it as an unprivileged user. ``{server}`` is a local server that answers by path; see collect.py.
    """

    id: str
    type: ErrorType
    why: str
    run: str = ""
    setup: str = ""
    says: str = "exit"
    nobody: bool = False
    error: Error | None = None
    source: str = ""
    tool: str = "run_bash"
    args: dict[str, Any] | None = None
    available: tuple[str, ...] = TOOLS


def is_development(entry_id: str) -> bool:
    """Whether an entry belongs to the part that classifiers are developed with: decided by its id alone."""
    return hashlib.sha256(entry_id.encode()).digest()[0] < DEVELOPMENT_BELOW


def load(path: Path) -> tuple[Entry, ...]:
    """The entries of one part; msgspec.ValidationError when one is none."""
    return msgspec.yaml.decode(path.read_bytes(), type=tuple[Entry, ...])


def recipes() -> tuple[Recipe, ...]:
    """All of them, by file and then in the order in which they stand there."""
    files = sorted(RECIPES.glob("*.yaml"))
    return tuple(each for path in files for each in msgspec.yaml.decode(path.read_bytes(), type=tuple[Recipe, ...]))
