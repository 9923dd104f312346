"""Small programs in a folder of their own, and what an exploration of them finds."""

from typing import NamedTuple

from harness.explore.program.cases import LAYERS
from harness.explore.program.commands import program
from harness.explore.program.crew import Crew
from harness.explore.program.exploration import Bounds, Exploration
from harness.explore.program.result import Finished, Observed

CHECK = "sh app.sh check"
# a count that may be what it was or one more
COUNTED = (
    """check) case "$(cat state/n 2>&1)" in "count 7"|"count 8") ;; *) echo "The count is lost."; exit 1 ;; esac ;;"""
)
TRUNCATING = f"""case $1 in
op) printf 'count 8\\n' > state/n ;;
{COUNTED}
esac
"""
ATOMIC = f"""case $1 in
op) set -e; printf 'count 8\\n' > state/n.tmp; sync state/n.tmp; mv state/n.tmp state/n; sync state ;;
{COUNTED}
esac
"""


class Found(NamedTuple):
    """What came of it; ``layers`` by name."""

    exploration: Exploration
    events: list
    observed: Observed | None
    finished: Finished

    @property
    def layers(self):
        return {layer.name: layer for layer in self.finished.layers}

    @property
    def smallest(self):
        return {failing.layer: failing for failing in self.finished.smallest}


def folder_with(folder, script, **files):
    """A folder with app.sh and a state directory that holds ``files``, by default a count of 7."""
    (folder / "app.sh").write_text(script)
    state = folder / "state"
    state.mkdir()
    for name, text in (files or {"n": "count 7\n"}).items():
        (state / name).write_text(text)
    return folder


def made(folder, op="sh app.sh op", check=CHECK, **more):
    """The program in ``folder``."""
    return program(op=op, check=check, folder=folder, **{"directory": folder / "state", **more})


def explored(folder, *, only=LAYERS, limit=1000, jobs=1, timeout_s=20.0, deadline=None, fallback=False, **commands):
    """Everything, or the layers in ``only``."""
    found = made(folder, **commands)
    with Crew(found, jobs, timeout_s, deadline, force_fallback=fallback) as crew:
        exploration = Exploration(found, crew, Bounds(0, limit, frozenset(only)), jobs)
        events = list(exploration.run())
    observed = next((event for event in events if isinstance(event, Observed)), None)
    return Found(exploration, events, observed, events[-1])
