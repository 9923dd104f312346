"""``python -m harness.qualify.kept qualify.json ...``: keeps in the checkout what reports of ``qualify`` show.

What killed each mutant, so that it is begun with next time; and for which suite each system is qualified, when a report
is of a whole run with which nothing was wrong but mutants of other systems.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from harness.certify import corpus, qualified
from harness.certify.qualified import Qualified
from harness.qualify import killers


def of_systems(report: Mapping[str, Any]) -> dict[str, Qualified]:
    """The systems for which the report qualifies this harness; none when it is of a part, or something was wrong.

    What is wrong with the mutants of one system is held against no other.
    """
    if report["part"]:
        return {}
    if report["suite_digest"] != corpus.digest(tuple(report["systems"])):
        return {}  # it is about another suite than the one that would be certified with
    found = {}
    for name in report["systems"]:
        others = tuple(f"{each}/" for each in report["systems"] if each != name)
        if any(not sentence.startswith(others) for sentence in report["unqualified"]):
            continue
        mine = [fate for fate in report["mutants"].values() if fate["system"] == name]
        found[name] = Qualified(
            corpus.digest((name,)), qualified.judging_digest(name), sum(fate["killed"] for fate in mine), len(mine)
        )
    return found


def main(paths: Sequence[str]) -> None:
    """Writes them into the checkout."""
    known, systems = dict(killers.known()), dict(qualified.known())
    for path in paths:
        report = msgspec.json.decode(Path(path).read_bytes())
        known = killers.renewed(known, report["mutants"])
        systems |= of_systems(report)
    _write(killers.place(), known)
    _write(qualified.place(), dict(sorted(systems.items())))


def _write(place: Path, content: object) -> None:
    place.write_text(msgspec.json.format(msgspec.json.encode(content), indent=1).decode() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
