"""The rows of table.yaml as values: each seeded defect and each correct twin in each language.

``from defects.programs import PROGRAMS`` works from every test folder.
"""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

HERE = Path(__file__).parent
LAYERS = ("errno", "kill", "power", "schedule")


class Commands(NamedTuple):
    """What is run of a program on one directory; ``beside`` runs at once with ``op``, None when nothing does."""

    op: list[str]
    recover: list[str]
    check: list[str]
    beside: list[str] | None


class Program(NamedTuple):
    """One row. ``found_by`` is empty when it is sound; a layer in neither ``found_by`` nor ``also`` must find nothing."""

    defect: str
    language: str
    source: Path
    command: tuple[str, ...]
    build: tuple[str, ...]
    begin: Mapping[str, bytes]
    found_by: frozenset[str]
    also: frozenset[str]
    beside: bool
    verbs: Mapping[str, list[str]]

    def __str__(self) -> str:
        """What pytest shows of it."""
        return f"{self.defect}-{self.language}"

    @property
    def sound(self) -> bool:
        """A correct twin."""
        return not self.found_by

    def made(self, folder: Path) -> "Program":
        """The program ready to run: built below ``folder`` when its language is compiled. CalledProcessError if not."""
        built = str(folder / f"{self.defect}-{self.language}")
        values = {"python": sys.executable, "source": str(self.source), "built": built}
        if self.build:
            subprocess.run([word.format(**values) for word in self.build], check=True, capture_output=True)
        return self._replace(command=tuple(word.format(dir="{dir}", **values) for word in self.command), build=())

    def commands(self, directory: Path) -> Commands:
        """What to run when the state is in ``directory``; of a program that was ``made``."""

        def words(verb: str) -> list[str]:
            return [word.format(dir=directory) for word in (*self.command, *self.verbs[verb])]

        return Commands(words("op"), words("recover"), words("check"), words("with") if self.beside else None)

    def lay_out(self, directory: Path) -> None:
        """Writes the files that stand in ``directory`` before the operation."""
        for name, data in self.begin.items():
            (directory / name).write_bytes(data)


def _rows(table: Mapping[str, Any]) -> list[Program]:
    return [
        _row(table, defect, row, language) for defect, row in table["programs"].items() for language in row["languages"]
    ]


def _row(table: Mapping[str, Any], defect: str, row: Mapping[str, Any], language: str) -> Program:
    spoken = table["languages"][language]
    source = HERE / defect / row.get("sources", {}).get(language, spoken["source"])
    found = row["found_by"]
    return Program(
        defect=defect,
        language=language,
        source=source.resolve(),
        command=tuple(row.get("commands", {}).get(language, spoken["command"])),
        build=tuple(spoken.get("build", ())),
        begin={name: text.encode() for name, text in row["begin"].items()},
        found_by=frozenset() if found == "sound" else frozenset(found),
        also=frozenset(row.get("also", ())),
        beside=row.get("with", False),
        verbs=table["verbs"],
    )


TABLE = yaml.safe_load((HERE / "table.yaml").read_text("utf-8"))
PROGRAMS = _rows(TABLE)
