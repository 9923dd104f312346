"""What this machine can contain, asked by doing it once: for a person who wants to know before the run."""

from typing import Final

import msgspec

from harness.errors import MachineError
from harness.sandbox import launch, wire
from harness.sandbox.roots import HOME, OUTSIDE, PROJECT, TMP, TOOLS

_PROBE_BYTES: Final = 1 << 20
_SETTINGS: Final = {
    "/proc/sys/kernel/unprivileged_userns_clone": ("0", "set sysctl kernel.unprivileged_userns_clone=1"),
    "/proc/sys/user/max_user_namespaces": ("0", "set sysctl user.max_user_namespaces above 0"),
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "set sysctl kernel.apparmor_restrict_unprivileged_userns=0, or install bubblewrap with its AppArmor profile",
    ),
}


class WayFact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way to build a sandbox; ``refused`` says why it is closed here, "" when it works."""

    name: str
    refused: str = ""


class MachineFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What works here, best way first; ``advice`` has one sentence for each thing the person could change."""

    ways: tuple[WayFact, ...]
    namespaces: bool
    overlay: bool
    advice: tuple[str, ...] = ()

    @property
    def way(self) -> str:
        """The name of the way a sandbox will take; "" when none works."""
        return next((fact.name for fact in self.ways if not fact.refused), "")


def probe() -> MachineFacts:
    """Try every way once (some 50 ms each) and say what holds. Raises nothing: a refusal is a fact."""
    facts: list[WayFact] = []
    overlay = False
    for way in launch.WAYS:
        refused = ""
        try:
            agent, ready = launch.start(way, _setup(way), network=False)
            agent.close()
            overlay = overlay or ready.overlay
        except (launch.RefusedError, MachineError) as error:
            refused = str(error)
        facts.append(WayFact(way.name, refused))
    working = {fact.name for fact in facts if not fact.refused}
    namespaces = bool(working - {launch.PLAIN.name})
    return MachineFacts(tuple(facts), namespaces, overlay, tuple(_advice(facts, namespaces, overlay)))


def _setup(way: launch.Way) -> wire.Setup:
    # Any directory serves as the project of a probe; our own package is small and surely there.
    source = str(launch.PACKAGE) if way.namespaces else ""
    return wire.Setup(HOME, PROJECT, TMP, OUTSIDE, TOOLS, source, False, (), _PROBE_BYTES, "")


def _advice(facts: list[WayFact], namespaces: bool, overlay: bool) -> list[str]:
    advice = []
    if not namespaces:
        advice.append(
            "Namespaces are refused here: commands under test can reach the network and the files of whoever runs them."
        )
        if all("is not installed" in fact.refused for fact in facts if fact.refused):
            advice.append("Install util-linux (for unshare) or bubblewrap.")
        for path, (closed, what) in _SETTINGS.items():
            if _setting(path) == closed:
                advice.append(f"To permit user namespaces, {what}.")
        advice.append("In a container, start it with a seccomp profile that permits unshare, mount and pivot_root.")
    elif not overlay:
        advice.append(
            "Overlays are refused here: the project is copied, so keep it below 256 MiB (Linux 6.6 has them)."
        )
    return advice


def _setting(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""
