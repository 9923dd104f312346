"""Where hosts are told about Stop hooks, and what such a settings file says. Pure: reading is the caller's.

The forms are those of the hosts in `hosts`: ``hooks.Stop`` is a list of groups, each with a list ``hooks`` of
handlers; a handler of type ``command`` has a text for the shell, or with ``args`` the words themselves, and a time-out
in seconds. A matcher means nothing for a stop.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

import msgspec

from harness.core.discovered import Found, FoundHook, SampleSession, SettingsFile
from harness.core.scenario import FileSpec, Operation, Scenario, Step, World
from harness.errors import FileFormatError
from harness.systems.stop_gate.contract import Decision, StopArguments
from harness.systems.stop_gate.hosts import default_timeout_s
from harness.systems.stop_gate.process import default_samples, probe

EVENT, OF_SUBAGENTS = "Stop", "SubagentStop"
CLAUDE, CODEX = "claude-code", "codex"
LONGEST_MEANT_S = 3600.0  # above an hour somebody counted milliseconds
_QUOTED = re.compile(r"""('[^']*'|"[^"]*")""")
_PROJECT = re.compile(r"\$(?:CLAUDE_PROJECT_DIR\b|\{CLAUDE_PROJECT_DIR\})")
_HOME = re.compile(r"(?:(?<![\w/.$~\\])~|\$HOME\b|\$\{HOME\})(/(?:\\.|[^\s\"';|&<>()`\\])*)")
_HOME_IN_QUOTES = re.compile(r"(?:\$HOME\b|\$\{HOME\})(/[^\"$`]*)")  # a shell keeps ~ there, and spaces


def settings_files(project: str, home: str, environment: Mapping[str, str]) -> tuple[SettingsFile, ...]:
    """The files that may name Stop hooks for somebody who works in ``project``, nearest first within a host."""
    claude = environment.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude"
    codex = environment.get("CODEX_HOME") or f"{home}/.codex"
    return (
        SettingsFile(f"{project}/.claude/settings.json", CLAUDE, "the project's"),
        SettingsFile(f"{project}/.claude/settings.local.json", CLAUDE, "the project's, for you alone"),
        SettingsFile(f"{claude}/settings.json", CLAUDE, "yours, for all projects"),
        SettingsFile(f"{project}/.codex/hooks.json", CODEX, "the project's"),
        SettingsFile(f"{codex}/hooks.json", CODEX, "yours, for all projects"),
    )


def hooks_in(file: SettingsFile, data: bytes, home: str, exists: Callable[[str], bool]) -> Found:
    """The Stop hooks that ``file``, with that content, names; FileFormatError when a host could not read it either.

    ``exists`` says whether a file is there: a path below ``home`` that is, is written out, since the sandbox's home
    is another one.
    """
    settings = _settings(file, data)
    said: list[str] = []
    if settings.get("disableAllHooks") is True:
        said.append(f"{file.path} sets disableAllHooks, so the host runs no hooks; they are certified all the same")
    hooks: list[FoundHook] = []
    for where, handler in _handlers(file, settings, EVENT, said):
        refused = _refused(handler)
        if refused:
            said.append(f"{where} {refused}")
        else:
            hooks.append(_hook(file, where, handler, home, exists))
    stops = {hook.text for hook in hooks}
    for where, handler in _handlers(file, settings, OF_SUBAGENTS, []):
        if isinstance(handler.get("command"), str) and handler["command"] not in stops:
            said.append(f"{where} is for subagents and is not certified here; name it with --hook -- COMMAND")
    return Found(tuple(hooks), tuple(said))


def _settings(file: SettingsFile, data: bytes) -> Mapping[str, Any]:
    if not data.strip():
        return {}
    try:
        settings = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileFormatError(f"{file.path} is no JSON: {error}; the host reads no hooks from it either") from error
    if not isinstance(settings, dict):
        raise FileFormatError(f"{file.path} holds no JSON object; the host reads no hooks from it either")
    return settings


def _handlers(
    file: SettingsFile, settings: Mapping[str, Any], event: str, said: list[str]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every handler of ``event`` with the place it stands at; what has another form becomes a sentence."""
    hooks = settings.get("hooks", {})
    groups = hooks.get(event, []) if isinstance(hooks, dict) else None
    if not isinstance(groups, list):
        said.append(f"{file.path}: hooks.{event} is no list of groups, each with a list `hooks`; it is passed over")
        return
    for number, group in enumerate(groups):
        inner = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(inner, list):
            said.append(f"{file.path}: hooks.{event}[{number}] has no list `hooks`; it is passed over")
            continue
        for position, handler in enumerate(inner):
            where = f"{file.path}: hooks.{event}[{number}].hooks[{position}]"
            if isinstance(handler, dict):
                yield where, handler
            else:
                said.append(f"{where} is no object; it is passed over")


def _refused(handler: Mapping[str, Any]) -> str:
    """Why this handler is nothing that can be certified, as the end of a sentence; "" when it can."""
    kind = handler.get("type", "command")
    command, words = handler.get("command"), handler.get("args", [])
    if kind != "command":
        return f"is of type {kind!r}, not a command, so there is nothing to run here"
    if not isinstance(command, str) or not command.strip():
        return "has no `command`, so there is nothing to run"
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return "has `args` that are no list of texts; it is passed over"
    if handler.get("async") is True:
        return "is async: the host does not wait for it, so it cannot hold a session and is not certified"
    if handler.get("shell", "bash") not in ("bash", "sh"):
        return f"is for the shell {handler['shell']!r}, which is not run here"
    return ""


def _hook(
    file: SettingsFile, where: str, handler: Mapping[str, Any], home: str, exists: Callable[[str], bool]
) -> FoundHook:
    text: str = handler["command"]
    timeout_s, said = _timeout(file.host, handler)
    if handler.get("args"):
        words = tuple(_PROJECT.sub("{project}", word) for word in (text, *handler["args"]))
    else:
        placed, moved = _placed(text, home, exists)
        words = ("bash" if handler.get("shell") == "bash" else "sh", "-c", placed)
        said += [
            f"{path} lies in your home, of which the sandbox shows only what is named" for path in dict.fromkeys(moved)
        ]
    return FoundHook(EVENT.lower(), words, text, where, file.host, timeout_s, tuple(said))


def _timeout(host: str, handler: Mapping[str, Any]) -> tuple[float | None, list[str]]:
    of_host_s = default_timeout_s(host)
    stated = handler.get("timeout", handler.get("timeout_sec"))
    if stated is None:
        return None, [f"no time-out is stated: the host's {of_host_s:g} s"]
    if isinstance(stated, bool) or not isinstance(stated, int | float) or not 0 < stated < float("inf"):
        return None, [f"the time-out {stated!r} is no positive number of seconds: the host's {of_host_s:g} s instead"]
    if stated > LONGEST_MEANT_S:
        return float(stated), [f"the time-out is {stated:g} s, since hosts count seconds; were milliseconds meant?"]
    return float(stated), []


def _placed(text: str, home: str, exists: Callable[[str], bool]) -> tuple[str, list[str]]:
    """``text`` with the project as its placeholder and files of the real home written out; and those files."""
    moved: list[str] = []

    def of_home(match: re.Match[str]) -> str:
        path = home + re.sub(r"\\(.)", r"\1", match[1])
        if not exists(path):
            return match[0]
        moved.append(path)
        return home + match[1]

    def placed(part: str) -> str:
        if part.startswith("'"):
            return part  # a shell replaces nothing between single quotes
        pattern = _HOME_IN_QUOTES if part.startswith('"') else _HOME
        return pattern.sub(of_home, _PROJECT.sub("{project}", part))

    return "".join(placed(part) for part in _QUOTED.split(text)), moved


def sessions() -> tuple[SampleSession, ...]:
    """Sessions that most owners agree about: one that ended well, one with open todos, a question and its answer."""
    data = default_samples()
    question = resources.files("harness.systems.stop_gate").joinpath("samples", "question.jsonl").read_bytes()
    return (
        SampleSession("finished", Decision.APPROVE.value, "a session that ended well", data["approve"]),
        SampleSession("question", Decision.APPROVE.value, "a question that was answered", question),
        SampleSession("unfinished", Decision.BLOCK.value, "an unfinished session with open todos", data["block"]),
    )


def trial(sample: str) -> Scenario:
    """One stop in calm weather at the end of that session of ours."""
    calm = probe()
    files = {StopArguments().transcript_path: FileSpec(sample=sample)}
    steps = (Step(op=Operation("stop", {"role": "control"})),)
    return msgspec.structs.replace(calm, id=f"trial-{sample}", world=World(calm.world.clock, files), steps=steps)


def decided(results: Sequence[Mapping[str, Any]]) -> str | None:
    """Whether the hook let the session end, approve or block; None when it gave no answer a host would count as one."""
    for value in results:
        if value.get("timed_out") or value.get("start_error") or value.get("exit_code") not in (0, 2):
            return None
        return str(value.get("decision"))
    return None


def without_block_sample(title: str) -> str:
    """What it means that no session of ours was blocked."""
    return f"it let {title} end too, so it could not be seen to guard anything (SH-08); give one under samples.block"
