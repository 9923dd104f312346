"""``windtunnel certify --host NAME``: the hook under the real host, after it was certified by that host's rules."""

import os
import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from harness.certify.reach import Reach, command_target, from_spec, hook_as_run
from harness.cli.host import rig_for, room_of_hosts
from harness.core.clause import Catalogue, Level
from harness.core.hosted import HostedRun, HostOutcome, HostStory
from harness.errors import MachineError, UsageError
from harness.hosts import installed
from harness.hosts.installed import InstalledHost
from harness.hosts.trial import TriedHook, trial
from harness.report import host_sessions
from harness.report.host_sessions import marks
from harness.report.text import in_one_line
from harness.systems import registry
from harness.targets.target_file import TargetSpec, load

_WORST = (1, 4, 5, 0)
_CERTIFIED = (0, 1, 5)  # after any other end there is nothing to go on with
_EXIT: Mapping[HostOutcome, int] = {"as_predicted": 0, "not_strict": 0, "fails": 1, "untested": 4, "differs": 5}


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
    kind = installed.kind_named(name)
    spec = command_target(words, "hook") if hook else load(Path(words[0]))
    if spec.file.carrier != "hook":
        raise UsageError(
            f"--host runs a Stop hook under a real host, and {words[0]} is reached over {spec.file.carrier}"
        )
    if spec.file.network:
        raise UsageError(f"{words[0]} says that it needs the network, and a host is run without one")
    host = installed.find(kind, installed.real_folder())
    file = msgspec.structs.replace(spec.file, host=f"{host.kind.name}:{host.version}")
    replay = f"--hook -- {shlex.join(words)}" if hook else shlex.quote(words[0])
    return HookOnHost(msgspec.structs.replace(spec, file=file), replay, host)


def run(real: HookOnHost, directory: Path, certified: int) -> int:
    """Plays every story with that hook, says what came of it, and writes it beside the certification.

    ``certified`` is how the certification ended: 0, or what is worse of both, comes back. What broke, could not be
    tested or was interrupted is not gone on with. What an earlier run wrote there is taken away.
    """
    host_sessions.forget(directory)
    if certified not in _CERTIFIED:
        return certified
    played, catalogue = _played(real.spec, real.host)
    musts = {clause.id for clause in catalogue if clause.level is Level.MUST}
    code = min((certified, _EXIT[played.outcome]), key=_WORST.index)
    click.echo(_closing(played, code))  # first: a report that cannot be written costs no verdict
    host_sessions.write(directory, played, musts)
    return code


def _played(spec: TargetSpec, host: InstalledHost) -> tuple[HostedRun, Catalogue]:
    calls, facts = room_of_hosts()
    (system,) = [each for each in registry.every() if each.runs_as_hook]
    as_run, shown = hook_as_run(spec)
    hook = tried(as_run)
    stories: list[HostStory] = []
    hooks_s = hook.timeout_s * (hook.max_blocks + 2)
    message = ""
    try:
        with rig_for(host, project=spec.folder or None, exposed=shown, hooks_s=hooks_s) as rig:
            for story in trial(rig, hook, calls, facts):
                stories.append(story)
                click.echo(_line(story))
    except MachineError as error:
        if not stories:
            raise
        message = str(error)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"after {len(stories)} sessions on the real {host.kind.name}") from None
    findings = system.hosted.judge(stories, spec.file.max_blocks)
    violated = {system.catalogue[found.clause].level for found in findings}
    outcome = _outcome(stories, violated, message)
    ran = HostedRun(host.kind.name, host.version, spec.file.name, outcome, tuple(stories), findings, message)
    return ran, system.catalogue


def _outcome(stories: Sequence[HostStory], violated: Collection[Level], message: str) -> HostOutcome:
    if not all(story.as_predicted for story in stories):
        return "differs"
    if Level.MUST in violated:
        return "fails"
    if message:
        return "untested"
    return "not_strict" if violated else "as_predicted"


def tried(spec: TargetSpec) -> TriedHook:
    """The hook as its user sets it up in a host's settings: with the whole paths of the files of its project."""
    program, *rest = spec.file.command  # a host starts it in its project, so that other words find their files
    words = (f"{{project}}/{program}" if _is_of_project(program, spec.folder) else program, *rest)
    timeout_s = spec.file.timeout_s or room_of_hosts()[1].default_timeout_s(spec.file.host)
    return TriedHook(_with_variables(spec.file.env, words), timeout_s, spec.file.max_blocks)


def _with_variables(variables: Mapping[str, str], words: tuple[str, ...]) -> tuple[str, ...]:
    """The command with variables of its own: a host passes on only those it has."""
    for name in variables:
        if not name.isidentifier():
            raise UsageError(f"the variable {name!r} of the target file cannot be set for a hook under a host")
    if not variables:
        return words
    # the shell between keeps env from taking a word with = for one more variable
    return ("env", *(f"{name}={value}" for name, value in variables.items()), "sh", "-c", 'exec "$@"', "sh", *words)


def _is_of_project(word: str, folder: str) -> bool:
    return bool(folder) and not os.path.isabs(word) and os.path.isfile(os.path.join(folder, word))


def _line(story: HostStory) -> str:
    stops = marks(story)
    how = "" if story.as_predicted else f", not as predicted: {marks(story, predicted=True)}"
    left = f", left behind: {', '.join(map(in_one_line, story.children_left))}" if story.children_left else ""
    end = "" if story.end == "exited" else f", {story.end}"
    return f"  {story.story} ({story.condition}): {stops or 'no stop was decided'}{how}{end}{left}"


def _closing(ran: HostedRun, code: int) -> str:
    stops = sum(len(story.stops) for story in ran.stories)
    held = sum(any(stop.blocked for stop in story.stops) for story in ran.stories)
    begins = f"on the real {ran.host} {ran.version}: {len(ran.stories)} sessions, {stops} stops, {held or 'none'} held"
    if ran.outcome == "differs":
        how = "some not as predicted: the hook answers otherwise to the same call, or this host is another than its "
        how += f"facts are about (ask it: windtunnel host check {ran.host}); nothing is said of the hook"
        return f"{begins} · {how} · exit {code}"
    lines = [f"  {found.clause} in {found.story}: {in_one_line(found.text)}" for found in ran.findings]
    if ran.message:
        lines.append(f"broke off: {in_one_line(ran.message)}")
    how = {
        "as_predicted": "each as predicted, nothing wrong with the hook",
        "not_strict": "each as predicted, a SHOULD is open:",
        "fails": "the hook fails:",
        "untested": "nothing is said of the hook:",
    }[ran.outcome]
    of = ", by the certification above" if code and not _EXIT[ran.outcome] else ""
    return "\n".join([f"{begins} · {how}", *lines, f"exit {code}{of}"])
