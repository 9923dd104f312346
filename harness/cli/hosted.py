"""``windtunnel certify --host NAME``: the hook under the real host, after it was certified by that host's rules."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from harness.certify.reach import Reach, command_target, from_spec
from harness.cli.host import rig_for, room_of_hosts
from harness.core.hosted import HostFinding, HostStory
from harness.errors import UsageError
from harness.hosts import installed
from harness.hosts.installed import InstalledHost
from harness.hosts.trial import TriedHook, placed, trial
from harness.systems import registry
from harness.targets.target_file import TargetSpec, load

REPORT = "host.json"
_INCONCLUSIVE = 5
_WORST = (1, _INCONCLUSIVE, 0)


class HostResult(msgspec.Struct, frozen=True):
    """What is written to host.json. ``outcome``: as_predicted, fails, or differs (then nothing is said of the hook)."""

    host: str
    version: str
    target: str
    outcome: str
    stories: tuple[HostStory, ...]
    findings: tuple[HostFinding, ...]


class HookOnHost(NamedTuple):
    """A hook, judged by the rules of the real host it is to be run under, and the words that name it."""

    spec: TargetSpec
    replay: str
    host: InstalledHost

    def reached(self, systems: Sequence[registry.System], scale: float) -> tuple[str, str, tuple[Reach, ...]]:
        """The target's name, the words that name it on a command line, and the ways to it."""
        ways = tuple(from_spec(self.spec, system, timeout_scale=scale) for system in systems)
        return self.spec.file.name, self.replay, ways


def chosen(words: tuple[str, ...], *, hook: bool, other: bool, name: str | None) -> HookOnHost | None:
    """What ``--host`` asks for; None without it.

    UsageError when the target is no hook, or the host none that can be run; MachineError when it is not installed.
    """
    if name is None:
        return None
    if other or not words or (not hook and len(words) != 1) or words == ("reference",):
        raise UsageError("--host runs a Stop hook under a real host; name a target file of a hook, or --hook -- CMD")
    host = installed.find(installed.kind_named(name), installed.real_folder())
    spec = command_target(words, "hook") if hook else load(Path(words[0]))
    if spec.file.carrier != "hook":
        raise UsageError(
            f"--host runs a Stop hook under a real host, and {words[0]} is reached over {spec.file.carrier}"
        )
    file = msgspec.structs.replace(spec.file, host=f"{host.kind.name}:{host.version}")
    replay = f"--hook -- {shlex.join(words)}" if hook else shlex.quote(words[0])
    return HookOnHost(msgspec.structs.replace(spec, file=file), replay, host)


def run(real: HookOnHost, directory: Path, certified: int) -> int:
    """Plays every story with that hook, says what came of it, and writes host.json.

    ``certified`` is how the certification ended: 0, or what is worse of both, comes back. What broke, could not be
    tested or was interrupted is not gone on with.
    """
    if certified not in _WORST:
        return certified
    code = _played(real.spec, real.host, directory)
    return min((certified, code), key=_WORST.index)


def _played(spec: TargetSpec, host: InstalledHost, directory: Path) -> int:
    calls, facts = room_of_hosts()
    (system,) = [each for each in registry.every() if each.runs_as_hook]
    timeout_s = spec.file.timeout_s or facts.default_timeout_s(spec.file.host)
    hook = TriedHook(placed(spec.file.command, spec.folder), timeout_s, spec.file.max_blocks)
    exposed = [*filter(None, [spec.folder]), *spec.file.expose]
    programs = (spec.file.command[0], "python3", "bash", "jq", "git")
    stories: list[HostStory] = []
    with rig_for(host, programs, exposed, timeout_s * (hook.max_blocks + 2)) as rig:
        for story in trial(rig, hook, calls, facts):
            stories.append(story)
            click.echo(_line(story))
    findings = system.hosted.judge(stories, spec.file.max_blocks)
    differs = not all(story.as_predicted for story in stories)
    outcome = "fails" if findings else "differs" if differs else "as_predicted"
    result = HostResult(host.kind.name, host.version, spec.file.name, outcome, tuple(stories), findings)
    _write(directory, result)
    click.echo(_closing(result))
    return 1 if findings else _INCONCLUSIVE if differs else 0


def _line(story: HostStory) -> str:
    stops = "".join("B" if stop.blocked else "." for stop in story.stops)
    how = (
        "" if story.as_predicted else ", not as predicted: " + "".join("B" if s.predicted else "." for s in story.stops)
    )
    left = f", left behind: {', '.join(story.children_left)}" if story.children_left else ""
    end = "" if story.end == "exited" else f", {story.end}"
    return f"  {story.story} ({story.condition}): {stops or 'no stop'}{how}{end}{left}"


def _closing(result: HostResult) -> str:
    stops = sum(len(story.stops) for story in result.stories)
    begins = f"on the real {result.host} {result.version}: {len(result.stories)} sessions, {stops} stops"
    lines = [f"  {found.clause} in {found.story}: {found.text}" for found in result.findings]
    if result.outcome == "differs":
        how = "some not as predicted, so this host is not the one its facts are about; nothing is said of the hook"
        return f"{begins}, {how}; renew them with: windtunnel host check {result.host} --write"
    how = "the hook fails:" if lines else "each as predicted, nothing wrong with the hook"
    return "\n".join([f"{begins}, {how}", *lines])


def _write(directory: Path, result: HostResult) -> None:
    text = msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n"
    try:
        (directory / REPORT).write_bytes(text)
    except OSError as error:
        place = directory / REPORT
        raise UsageError(
            f"cannot write {place}: {os.strerror(error.errno or 0)}; choose another with --report"
        ) from error
