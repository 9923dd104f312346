"""How hosts treat what a Stop hook does, as data: by host and version, by rule. Pure.

``host_facts/`` has a file for each version that was run here, written from what it did (``windtunnel host check
--write``), and ``documented.yaml`` with what is only written down: the contract, which holds where a host says nothing
else, and versions that were not run. Source: stop-hook-contract.md; the hosts' own documentation.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any, Final, Literal

import msgspec
import yaml

from harness.errors import UsageError

Does = Literal["blocks", "ends"]
FOLDER: Final = "host_facts"
_DOCUMENTED: Final = "documented.yaml"


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a host was seen to do about one rule: what it ``said`` of the hook, and processes that were ``left``."""

    does: Does
    said: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class Conduct(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What else was seen of a host.

    ``cap`` blocks in a row are taken (null: 30, and no end); a hook is given ``fields`` on standard input,
    ``variables`` of its host's own, and a transcript of the form ``transcript``: nested, flat, payload, other or none.
    ``closes_stdin``: a hook that reads to the end of its input comes to it. ``cap_resets``: the cap counts anew once a
    tool was called.
    """

    cap: int | None
    fields: tuple[str, ...]
    variables: tuple[str, ...]
    transcript: str
    closes_stdin: bool
    cap_resets: bool = False


class Documented(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is written about a host and was not seen here. ``timeout_s`` is what a hook has that states none."""

    timeout_s: float
    cap: int | None = None
    rules: Mapping[str, Does] = msgspec.field(default_factory=dict)


class Host(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One host version. ``seen`` is the date it was run here, null when it is only documented.

    ``several`` is what it was seen to answer about several hooks and about subagents, by rule.
    """

    host: str
    version: str
    documented: Documented
    seen: str | None = None
    conduct: Conduct | None = None
    rules: Mapping[str, Cell] = msgspec.field(default_factory=dict)
    several: Mapping[str, str] = msgspec.field(default_factory=dict)

    def does(self, rule: str) -> Does:
        """What it does by that rule: as seen here, else as documented, else as the contract says; else it ends."""
        cell = self.rules.get(rule)
        return cell.does if cell else self.documented.rules.get(rule) or _contract().get(rule, "ends")

    def source(self, rule: str) -> str:
        """Where that is from: ``run here on DATE``, ``documented``, or ``by the contract``."""
        if rule in self.rules:
            return f"run here on {self.seen}"
        return "documented" if rule in self.documented.rules else "by the contract"

    def blocks(self, rules: Iterable[str]) -> bool:
        """Whether it goes on after a hook that did all of that: each of it has to be a block."""
        return all(self.does(rule) == "blocks" for rule in rules)

    @property
    def cap(self) -> int | None:
        """Blocks in a row that it takes before it ends by itself; None when it takes any number."""
        return self.conduct.cap if self.conduct else self.documented.cap

    @property
    def cap_resets(self) -> bool:
        """Whether that cap counts anew once a tool was called between two stops."""
        return self.conduct is not None and self.conduct.cap_resets


@cache
def hosts() -> tuple[Host, ...]:
    """Every host version that is known, those that were run here first, newest first."""
    run = [_read(name) for name in sorted(_names(), reverse=True)]
    ran = sorted((msgspec.convert(value, Host) for value in run), key=lambda host: host.host)
    return (*ran, *msgspec.convert(_read(_DOCUMENTED)["hosts"], list[Host]))


def host_named(name: str) -> Host:
    """The newest version of that host, or the one named ``host:version``; UsageError when it is not known."""
    for host in hosts():
        if name in (host.host, f"{host.host}:{host.version}"):
            return host
    known = ", ".join(f"{host.host}:{host.version}" for host in hosts())
    raise UsageError(f"there is no host {name!r}; known: {known}")


def default_timeout_s(host_name: str) -> float:
    """The time-out that host gives a hook nobody configured one for: its shortest, so that all versions are served."""
    name = host_named(host_name).host
    return min(host.documented.timeout_s for host in hosts() if host.host == name)


@cache
def _contract() -> Mapping[str, Does]:
    return msgspec.convert(_read(_DOCUMENTED)["contract"], dict[str, Does])


def _names() -> list[str]:
    folder = resources.files("harness.systems.stop_gate").joinpath(FOLDER)
    return [each.name for each in folder.iterdir() if each.name.endswith(".yaml") and each.name != _DOCUMENTED]


def _read(name: str) -> Any:
    return yaml.safe_load(resources.files("harness.systems.stop_gate").joinpath(FOLDER, name).read_text())
