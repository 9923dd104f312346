"""``python -m benchmarks.classification [--target FILE | --python package.module:factory | -- CMD...] [--write]``.

Asks an implementation of diagnosis, by default the reference, what it calls each error of the corpus, and prints the
page; ``--write`` makes the page of the reference the one in reports/.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.classification.accuracy import both, of_reference, page
from harness.certify import reach
from harness.systems import registry
from harness.systems.diagnosis.contract import SYSTEM
from harness.targets import target_file
from harness.targets.slots import Slots

PAGE = Path(__file__).parents[2] / "reports" / "classification.md"


def main(words: list[str]) -> int:
    """Prints or writes the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classification")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--target", help="a target file; see docs/certification.md")
    which.add_argument("--python", help="package.module:factory")
    parser.add_argument("--write", action="store_true", help="write reports/classification.md")
    at = words.index("--") if "--" in words else len(words)
    command = tuple(words[at + 1 :])
    asked = parser.parse_args(words[:at])
    system = registry.System(SYSTEM)
    if asked.target:
        found = reach.from_spec(target_file.load(Path(asked.target)), system, timeout_scale=1.0)
        name = asked.target
    elif asked.python:
        found, name = reach.python_factory(asked.python, system, timeout_scale=1.0), asked.python
    elif command:
        spec = reach.command_target(command, "stdio")
        found, name = reach.from_spec(spec, system, timeout_scale=1.0), " ".join(command)
    else:
        found, name = reach.served_python(system, None, timeout_scale=1.0), ""
    with found.open(Slots(1)) as session:
        text = page(name, *both(session)) if name else of_reference(session)
    if asked.write and not name:
        PAGE.write_text(text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
