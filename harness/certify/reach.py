"""From what a person names on the command line to sessions that can be played in."""

import hashlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from harness import __version__
from harness.certify.commands import INTERPRETERS, commands, files_named, require_script, shown_for
from harness.core.digest import sha256_of
from harness.core.scenario import Scenario
from harness.errors import HarnessFault, MachineError, UsageError
from harness.ports.clock import RealClock
from harness.ports.home import real_home
from harness.sandbox import SandboxPlan
from harness.sandbox.exposure import exposure_for
from harness.systems import registry
from harness.targets import target_file
from harness.targets.hook import HookSession
from harness.targets.session import Session
from harness.targets.slots import Slots
from harness.targets.stdio import StdioSession
from harness.targets.target_file import TargetFile, TargetSpec

# what the harness's own Python processes need of the environment: nothing of the person's
_PYTHON_ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONSAFEPATH": "1"}
# what hooks call by name besides their own command; anything further is named under `expose` in the target file
COMMON_PROGRAMS = ("python3", "node", "bash", "jq", "git")
MUTANT_TIMEOUT_S = 10.0  # a mutant that hangs for this long would hang for the host's time-out too
UNCONTAINED = (
    "this machine refuses namespaces, so the command could reach your files and your network; run "
    "`windtunnel doctor` for what would permit them, or add --unsafe to go on all the same"
)
# modules of ours that are started again and again, and how many of their words say what they import
_WARM = {
    "harness.targets.served": 1,
    "harness.qualify.served": 2,
    "harness.qualify.degenerate": 1,
    "harness.systems.stop_gate.mutants.run": 0,
    "harness.systems.stop_gate.reference.hook": 0,
}


class NotAskedAsHookError(UsageError):
    """The target is a hook, and this system is none."""


class ReachSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way to an implementation as a value, from which any process with the same files opens it: see ``reopened``.

    ``digest`` is that of what is certified, ``timeout_scale`` multiplies every real time-out. Of the command the word
    ``{python}`` is whoever opens it.
    """

    system: str
    target: TargetSpec
    timeout_scale: float
    digest: str
    force_fallback: bool = False


class Reach(NamedTuple):
    """One way to an implementation: which system and profile is judged there, with which groups, and how to open it.

    ``probe`` is played before anything else; ``unusable`` says of its results why the run would be pointless, or "".
    ``spec`` is all of it as a value, None where there is none.
    """

    system: registry.System
    profile: str
    carrier: str
    groups: tuple[str, ...]
    declared: Mapping[str, str]
    stated_samples: tuple[str, ...]
    digest: str
    open: Callable[[Slots], Session]
    probe: Scenario | None = None
    unusable: Callable[[Sequence[Mapping[str, Any]]], str] | None = None
    spec: ReachSpec | None = None


def reference(system: registry.System, *, timeout_scale: float, force_fallback: bool = False) -> tuple[Reach, ...]:
    """The reference over stdio, and where it is one, as the hook that people install."""
    served = served_python(system, None, timeout_scale=timeout_scale, force_fallback=force_fallback)
    hook = _reference_hook(system)
    if hook is None:
        return (served,)
    return (served, _hook(hook, system, timeout_scale, _source_digest(system), force_fallback=force_fallback))


def served_python(
    system: registry.System, mutant: str | None, *, timeout_scale: float, force_fallback: bool = False
) -> Reach:
    """The reference, or one of its mutants, served by a process of its own."""
    words = (sys.executable, "-m", "harness.targets.served", system.name, *((mutant,) if mutant else ()))
    return own_process(system, words, mutant or "", timeout_scale=timeout_scale, force_fallback=force_fallback)


def own_process(
    system: registry.System,
    words: tuple[str, ...],
    name: str,
    *,
    timeout_scale: float,
    force_fallback: bool = False,
    env: Mapping[str, str] = MappingProxyType({}),
    expose: tuple[str, ...] = (),
) -> Reach:
    """What a command of our own Python serves, such as a mutant of that name; of the reference the name is empty.

    ``env`` and ``expose`` are those of a target file.
    """
    file = TargetFile(
        name=name or "reference",
        carrier="stdio",
        command=words,
        env=dict(env),
        groups=system.served_groups,
        expose=expose,
    )
    digest = _source_digest(system) + name
    return _stdio(TargetSpec(file, ""), system, timeout_scale, digest, force_fallback=force_fallback)


def mutant_hook(system: registry.System, mutant: str, *, timeout_scale: float) -> Reach:
    """A mutant of the reference hook, as a process."""
    hook = _reference_hook(system)
    if hook is None:
        raise HarnessFault(f"{system.name} has a mutant hook, {mutant}, and no reference hook")
    module = f"harness.systems.{system.name}.mutants.run"  # a process that imports no more
    words = (sys.executable, "-m", module, mutant)
    file = msgspec.structs.replace(hook.file, name=mutant, command=words, timeout_s=MUTANT_TIMEOUT_S)
    return _hook(TargetSpec(file, "", hook.samples), system, timeout_scale, _source_digest(system) + mutant)


def python_factory(path: str, system: registry.System, *, timeout_scale: float) -> Reach:
    """Somebody's Python code, in a worker process that can be killed."""
    words = (sys.executable, "-m", "harness.cli", "serve", "--system", system.name, "--python", path)
    # the factory lies where the person works, so that is the folder, and on the module path
    file = TargetFile(name=path, carrier="in_process", command=words, env={"PYTHONPATH": str(Path.cwd())})
    return _stdio(TargetSpec(file, str(Path.cwd())), system, timeout_scale, sha256_of(path))


def from_spec(
    spec: TargetSpec, system: registry.System, *, timeout_scale: float, force_fallback: bool = False
) -> Reach:
    """The way to what a target file, or a command on the command line, names."""
    file = spec.file
    if file.carrier == "in_process":
        words = (sys.executable, "-m", "harness.cli", "serve", "--system", system.name, "--python", file.factory or "")
        file = msgspec.structs.replace(file, command=words, env={"PYTHONPATH": spec.folder, **file.env})
        spec = msgspec.structs.replace(spec, file=file)
    elif file.carrier == "hook":
        if not system.runs_as_hook:
            raise NotAskedAsHookError(
                f"{system.name} is not asked one process a call; use --stdio -- CMD, or carrier: stdio in a target file"
            )
        return _hook(spec, system, timeout_scale, _command_digest(spec), force_fallback=force_fallback)
    return _stdio(spec, system, timeout_scale, _command_digest(spec), force_fallback=force_fallback)


class StdioStart(NamedTuple):
    """How a process that speaks over its streams is started: in which sandbox, by which words, where."""

    plan: SandboxPlan
    command: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str


def stdio_start(spec: TargetSpec, *, force_fallback: bool = False) -> StdioStart:
    """How the command of a target is started; UntestableError when it, or its script, is not there."""
    require_script(spec)
    file = spec.file
    environment = {**_PYTHON_ENVIRONMENT, **file.env}
    command, exposed = _exposed(spec)
    if spec.folder:
        exposed = (*exposed, spec.folder)
        command = _with_its_script(command, spec.folder)
    if file.command[0] == sys.executable:
        environment["PYTHONPATH"] = ":".join([_package_parent(), *filter(None, [environment.get("PYTHONPATH")])])
    warm = _kept_warm(file.command)
    plan = SandboxPlan(exposed=exposed, network=file.network, force_fallback=force_fallback, warm=warm)
    return StdioStart(plan, command, environment, spec.folder or "/")


def _stdio(
    spec: TargetSpec, system: registry.System, timeout_scale: float, digest: str, *, force_fallback: bool = False
) -> Reach:
    start = stdio_start(spec, force_fallback=force_fallback)

    def open_session(slots: Slots) -> Session:
        sandbox = slots.sandbox(start.plan)
        return StdioSession(sandbox, start.command, start.environment, start.folder, system.name, slots, timeout_scale)

    file = spec.file
    profile, value = system.served_profile, _value(spec, system, timeout_scale, digest, force_fallback)
    return Reach(system, profile, file.carrier, file.groups, {}, (), digest, open_session, spec=value)


def _with_its_script(command: tuple[str, ...], folder: str) -> tuple[str, ...]:
    """The command with the script of its interpreter as an absolute path: it is found where the folder is gone, too."""
    script = os.path.normpath(os.path.join(folder, command[1])) if len(command) > 1 else ""
    is_script = Path(command[0]).name.rstrip("0123456789.") in INTERPRETERS and os.path.isfile(script)
    return (command[0], script, *command[2:]) if is_script else command


def _kept_warm(command: Sequence[str]) -> tuple[str, ...]:
    """The module of a reference or mutant, and the words that say what it imports."""
    python, switch, module, *words = (*command, "", "", "")
    if (python, switch) == (sys.executable, "-m") and module in _WARM:
        return (module, *words[: _WARM[module]])
    return ()


def _hook(
    spec: TargetSpec, system: registry.System, timeout_scale: float, digest: str, *, force_fallback: bool = False
) -> Reach:
    value = _value(spec, system, timeout_scale, digest, force_fallback)
    spec, exposed = hook_as_run(spec)
    file = spec.file
    calls = system.process_calls
    plan = SandboxPlan(
        project=spec.folder or None,
        exposed=exposed,
        network=file.network,
        force_fallback=force_fallback,
        warm=_kept_warm(file.command),
    )
    of_host_s = system.hosts.default_timeout_s(file.host)  # a host that is not known is told here, before anything runs
    timeout_s = (file.timeout_s or of_host_s) * timeout_scale
    samples = {**calls.default_samples(), **spec.samples}

    def open_session(slots: Slots) -> Session:
        return HookSession(slots.sandbox(plan), spec, calls, samples, timeout_s, slots, RealClock())

    return Reach(
        system,
        "stop_hook",
        "hook",
        file.groups,
        file.paths.stated(),
        tuple(sorted(spec.samples)),
        digest,
        open_session,
        calls.probe(),
        calls.unusable,
        value,
    )


def _value(
    spec: TargetSpec, system: registry.System, timeout_scale: float, digest: str, force_fallback: bool
) -> ReachSpec:
    words = tuple("{python}" if word == sys.executable else word for word in spec.file.command)
    target = msgspec.structs.replace(spec, file=msgspec.structs.replace(spec.file, command=words))
    return ReachSpec(system.name, target, timeout_scale, digest, force_fallback)


def reopened(value: ReachSpec) -> Reach:
    """The way that ``value`` is of, in this process.

    UntestableError when it does not lead anywhere here; MachineError when what is there is not what is certified.
    """
    system, file = registry.get(value.system), value.target.file
    words = tuple(sys.executable if word == "{python}" else word for word in file.command)
    spec = msgspec.structs.replace(value.target, file=msgspec.structs.replace(file, command=words))
    own = value.digest.startswith(_source_digest(system)) or value.digest == sha256_of(file.name)  # a factory's path
    way = _hook if file.carrier == "hook" else _stdio
    reach = way(spec, system, value.timeout_scale, value.digest, force_fallback=value.force_fallback)
    if not own and value.digest != _command_digest(spec):
        raise MachineError(
            f"{file.name} is another on this machine than the one that is certified; a worker needs the same files at "
            f"the same place, which is {spec.folder or ' '.join(words)}"
        )
    return reach


def hook_as_run(spec: TargetSpec) -> tuple[TargetSpec, tuple[str, ...]]:
    """That hook with its program resolved and its variables whole, and the paths a sandbox has to show for it to run.

    UsageError when its script is not there.
    """
    require_script(spec)
    command, exposed = _exposed(spec)
    environment = dict(spec.file.env)
    if spec.file.command[0] == sys.executable:
        environment = {**_PYTHON_ENVIRONMENT, "PYTHONPATH": _package_parent(), **environment}
    file = msgspec.structs.replace(spec.file, command=command, env=environment)
    return msgspec.structs.replace(spec, file=file), exposed


def _exposed(spec: TargetSpec) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The command with its program resolved, and the paths the sandbox has to show for it to run."""
    words = spec.file.command
    named = [shown_for(path) for path in files_named(spec) if not path.is_relative_to(spec.folder or "/nowhere")]
    found = exposure_for(
        (words[0], *filter(None, (each[0] for each in commands(spec))), *COMMON_PROGRAMS),
        search=os.environ.get("PATH", os.defpath),
        home=str(real_home()),
        cwd=spec.folder or "/",
        extra=(*spec.file.expose, *named),
        needs_harness=words[0] == sys.executable,
    )
    return (found.programs[0] or words[0], *words[1:]), found.paths


def command_target(words: tuple[str, ...], carrier: str) -> TargetSpec:
    """The target that ``--hook -- CMD...`` or ``--stdio -- CMD...`` means: nothing is declared.

    It runs in the current folder when a word of the command names a file in there; else in an empty one, so that
    nothing is shown that is not needed. UsageError when that would show the whole home.
    """
    file = TargetFile(name=Path(words[0]).name, carrier="hook" if carrier == "hook" else "stdio", command=words)
    spec = TargetSpec(file, str(Path.cwd()))
    if not any(path.is_relative_to(Path.cwd()) for path in files_named(spec)):
        return TargetSpec(file, "")
    if Path.cwd() in (real_home(), Path("/")):
        raise UsageError(
            f"the command would see all of {Path.cwd()}; go to the folder that holds the hook and try again"
        )
    return spec


def _reference_hook(system: registry.System) -> TargetSpec | None:
    text = system.hook_target()
    if text is None:
        return None
    file = target_file.parse(text, f"hook.yaml of {system.name}")
    command = tuple(sys.executable if word == "{python}" else word for word in file.command)
    return TargetSpec(msgspec.structs.replace(file, command=command), "", system.process_calls.default_samples())


def _package_parent() -> str:
    return str(Path(str(resources.files("harness"))).parent)


@cache
def _source_digest(system: registry.System) -> str:
    total = hashlib.sha256(__version__.encode())
    folder = Path(str(resources.files(f"harness.systems.{system.name}")))
    for path in sorted(folder.rglob("*.py")):
        total.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def _command_digest(spec: TargetSpec) -> str:
    """What was certified: the words of the command, the files among them, and what the target file states."""
    parts: list[str] = []
    for word in (*spec.file.command, *(word for each in commands(spec) for word in each)):
        path = Path(spec.folder or "/") / word
        try:
            parts.append(hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else word)
        except OSError:
            parts.append(word)
    samples = {name: hashlib.sha256(data).hexdigest() for name, data in spec.samples.items()}
    return sha256_of([parts, msgspec.to_builtins(msgspec.structs.replace(spec.file, command=(), folder=None)), samples])
