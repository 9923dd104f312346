"""What a session under the rig costs over a bare start of the same agent."""

import time

from benchmarks.measure import Figure, ratios
from harness.hosts import installed
from harness.hosts.facts import STORY
from harness.hosts.kind import STOP, HookSetting
from harness.hosts.kinds import KINDS
from harness.hosts.rig import HostRig

ROUNDS = 7
SILENT = HookSetting(("true",), 20.0)


def sessions() -> list[tuple[str, Figure]]:
    """For each installed host, a whole session with a recorded hook over its bare start in the same sandbox."""
    found: list[tuple[str, Figure]] = []
    for kind in KINDS.values():
        with HostRig(installed.find(kind, installed.real_folder()), {}) as rig:

            def whole(rig: HostRig = rig) -> float:
                begun = time.perf_counter()
                rig.play(STORY, {STOP: SILENT})
                return time.perf_counter() - begun

            def bare(rig: HostRig = rig) -> float:
                return rig.play(STORY, {}, kept=True).duration_s

            values = ratios(whole, bare, ROUNDS)
        meaning = "session in a fresh home with a recorded hook : bare start of that CLI with the home it has"
        found.append((kind.name, Figure(values, "", meaning, "at most 1.5")))
    return found
