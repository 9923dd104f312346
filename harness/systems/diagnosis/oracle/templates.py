"""The rules of the four templates and of what their steps run: DR-REC-02 to DR-REC-05, and DR-REC-08. Pure.

Source: 001 Recovery Strategy Templates, Smoke Tests.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from harness.systems.diagnosis.contract import SHELLS, Approach, ErrorType, Tool
from harness.systems.diagnosis.oracle.failure import tools_of
from harness.systems.diagnosis.oracle.form import Raw, alternatives, field, steps_of, tools_named
from harness.systems.diagnosis.oracle.planning import in_order, judged_as
from harness.systems.diagnosis.oracle.proposals import Proposed, approach_of, commands, proposed, words
from harness.systems.diagnosis.oracle.quoting import failed_of, hazards
from harness.systems.diagnosis.oracle.rules import rule
from harness.systems.diagnosis.oracle.shell_lines import Command
from harness.systems.diagnosis.oracle.view import Observed, View
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stateless import number

_A = Approach
_DOWNLOADERS: Final = frozenset(("curl", "wget"))
_EXTRACTORS: Final = frozenset(("tar", "unzip", "bsdtar", "gunzip", "7z", "python3", "python"))
_FAMOUS: Final = {"wget": "curl", "curl": "wget"}  # the pair of the template that does the very same
_RAISERS: Final = frozenset(("sudo", "doas", "su", "pkexec", "runuser"))
_ACTIVE: Final = re.compile(r"[`$;&|<>\n'\"\\*?]|\s-|^-")
_BLANK: Final = re.compile(r"[\s#]")
_LOOSE: Final = re.compile(r"[\s'\"`\\]")
_NEVER_SUDO, _QUOTED = "never_sudo_unasked", "quoted"
_TOLD_LIMIT: Final = re.compile(r"(?<!\d)(\d+(?:\.\d+)?) ?(ms|milliseconds?|s|sec|seconds?)\b", re.IGNORECASE)
_PLACES: Final = ("path", "file", "directory", "cwd")


@rule("DR-REC-02")
def missing_binary(view: View) -> Judgement | None:
    """An equivalent binary, then a download that is extracted, then the user."""
    kind = ErrorType.COMMAND_NOT_FOUND
    order = judged_as(view, kind, lambda seen, diagnosis: in_order(kind, _needed_for(seen), seen, diagnosis))
    plans = judged_as(view, kind, lambda seen, _: combine(_runs(seen, plan) for plan in proposed(view, seen)))
    return combine([*order, *plans])


def _needed_for(seen: Observed) -> tuple[Approach, ...]:
    """What the template is sure to find something for: a shell is there, and the failed line is one that is known."""
    if not (tools_of(seen.args) or frozenset()) & SHELLS:
        return ()
    if _cloned(seen) is not None:
        return (_A.DOWNLOAD_AND_EXTRACT,)
    return (_A.EQUIVALENT_BINARY,) if _missing(seen) in _FAMOUS else ()


def _line(seen: Observed) -> str:
    found = field(seen.args.args, "command")
    return found if isinstance(found, str) and seen.args.tool in SHELLS else ""


def _missing(seen: Observed) -> str:
    """The program that the failed line begins with; empty when that is not what is missing."""
    found = commands(_line(seen))
    name = found[0].name if found else ""
    stderr = field(seen.args.error, "stderr")
    return name if name and isinstance(stderr, str) and f"{name}:" in stderr else ""


def _cloned(seen: Observed) -> str | None:
    """The repository of the smoke test: its last name in the address that git was to clone over HTTP.

    None where the address is not in the line as it is: a shell was to expand it, or it holds blanks or quotes.
    """
    for command in commands(_line(seen)):
        found = [word for word in command.words if word.value.startswith(("https://", "http://"))]
        if any(word.expanded or _LOOSE.search(word.value) for word in found):
            return None
        addresses = [word.value for word in found]
        if command.name == "git" and any(word.value == "clone" for word in command.words) and addresses:
            name = addresses[0].rstrip("/").rpartition("/")[2].removesuffix(".git")
            return name if re.fullmatch(r"[\w.-]+", name) else None
    return None


def _runs(seen: Observed, plan: Proposed) -> Judgement | None:
    """What a plan of the two approaches runs: not what is missing, and for a clone a download that is extracted."""
    found = [command for line in plan.lines for command in commands(line)]
    names = [command.name for command in found]
    missing = _missing(seen)
    if missing and _runs_in_vain(missing, found):
        return failed(f"another program than {missing}", _ran(plan))
    if plan.approach is _A.EQUIVALENT_BINARY and missing in _FAMOUS and plan.lines:
        other = _FAMOUS[missing]
        same = other in names or bool({"python3", "python"} & set(names))
        return passed(f"{other} for {missing}") if same else failed(f"{other} for {missing}", _ran(plan))
    cloned = _cloned(seen)
    if plan.approach is not _A.DOWNLOAD_AND_EXTRACT or cloned is None or not plan.lines:
        return None
    addresses = [
        word.value for each in found if each.name in _DOWNLOADERS for word in each.words if "://" in word.value
    ]
    fetched = [_address(step) for step in steps_of(plan.plan) if step.get("tool") == Tool.HTTP_FETCH]
    expected = f"curl or wget loads {cloned} from its address, and tar or unzip extracts it"
    derived = any(cloned in address for address in [*addresses, *fetched])
    extracted = bool(_EXTRACTORS & set(names))
    loaded = ", ".join([*addresses, *fetched]) or "nothing"
    said = f"{loaded} is loaded, extracted: {extracted}; {_ran(plan)}"
    return passed(expected) if derived and extracted else failed(expected, said)


def _ran(plan: Proposed) -> str:
    """What the plan runs, for a person."""
    return f"the plan {plan.strategy!r} runs {'; then '.join(map(repr, plan.lines)) or 'nothing'}"


def _runs_in_vain(missing: str, found: Sequence[Command]) -> bool:
    """Is what is missing run, although nothing before was done about it, and not only to see whether it is there?"""
    for command in found:
        if command.name == missing:
            return not any(word.value in ("--version", "-v", "-V", "version", "--help") for word in command.words[1:2])
        if any(missing in word.value for word in command.words):
            return False  # it is installed, or looked for
    return False


def _address(step: Raw) -> str:
    found = field(step.get("args"), "url")
    return found if isinstance(found, str) else ""


@rule("DR-REC-03")
def permission_denied(view: View) -> Judgement | None:
    """The bounds of the sandbox, then a directory within them, then the user; and nobody else's rights unasked."""
    kind = ErrorType.PERMISSION_DENIED
    order = judged_as(view, kind, lambda seen, diagnosis: in_order(kind, _bounds_for(view, seen), seen, diagnosis))
    plans = judged_as(view, kind, lambda seen, _: combine(_within(view, seen, plan) for plan in proposed(view, seen)))
    return combine([*order, *plans])


def _bounds_for(view: View, seen: Observed) -> tuple[Approach, ...]:
    """What tools there are suffices for; another directory only helps who wrote outside of the allowed one."""
    tools = tools_of(seen.args) or frozenset()
    if not tools & SHELLS or Tool.WRITE_FILE not in tools or seen.args.tool not in tools:
        return ()
    path = field(seen.args.args, "path")
    writes = seen.args.tool == Tool.WRITE_FILE and isinstance(path, str) and is_outside(path, view.tools_fs_root)
    return (_A.SANDBOX_BOUNDS, _A.ALLOWED_DIRECTORY) if writes else (_A.SANDBOX_BOUNDS,)


def _within(view: View, seen: Observed, plan: Proposed) -> Judgement | None:
    if not _RAISERS & words(_line(seen)):
        for line in plan.lines:
            names = {command.name for command in commands(line)} or words(line)
            if _RAISERS & names:
                return failed("no step that takes other rights unasked", f"{line!r}")
    if plan.approach is not _A.ALLOWED_DIRECTORY:
        return None
    places = [place for step in steps_of(plan.plan) for place in _places(step)]
    expected = f"an allowed directory: within {view.tools_fs_root}"
    outside = [place for place in places if is_outside(place, view.tools_fs_root)]
    if outside:
        return failed(expected, f"{outside[0]!r} in {plan.strategy}")
    return passed(expected, readings=(_NEVER_SUDO,)) if places else None


def _places(step: Raw) -> Iterator[str]:
    args = step.get("args")
    if step.get("tool") not in SHELLS:
        yield from (place for name in _PLACES if isinstance(place := field(args, name), str))


def is_outside(place: str, root: str) -> bool:
    """Does that path lead out of the root? A relative one begins there; of a root that is none nothing is said."""
    if not root.startswith(("/", "{")) or root.strip("/") == "":
        return False
    top = posixpath.normpath(root)
    path = posixpath.normpath(place if place.startswith(("/", "{")) else f"{top}/{place}")
    return path != top and not path.startswith(f"{top}/")


@rule("DR-REC-04")
def timeout(view: View) -> Judgement | None:
    """Less, then in pieces, then longer, then the user; less does not mean longer."""
    kind = ErrorType.TIMEOUT
    order = judged_as(view, kind, lambda seen, diagnosis: in_order(kind, _slower_for(seen), seen, diagnosis))
    plans = judged_as(view, kind, lambda seen, _: combine(_limited(seen, plan) for plan in proposed(view, seen)))
    return combine([*order, *plans])


def _slower_for(seen: Observed) -> tuple[Approach, ...]:
    tools = tools_of(seen.args) or frozenset()
    known = seen.args.tool in tools and seen.args.tool in SHELLS
    return (_A.REDUCED_SCOPE, _A.STREAMING, _A.RAISED_LIMIT) if known else ()


def _limited(seen: Observed, plan: Proposed) -> Judgement | None:
    given, limits = limit_of(seen), [limit for step in steps_of(plan.plan) for limit in _limits(step.get("args"))]
    if given is None or not limits:
        return None
    if plan.approach is _A.REDUCED_SCOPE:
        expected = f"less within {given:g} s, and no longer"
        return failed(expected, f"{max(limits):g} s") if max(limits) > given else passed(expected)
    if plan.approach is _A.RAISED_LIMIT:
        expected = f"more than {given:g} s"
        return passed(expected) if max(limits) > given else failed(expected, f"{max(limits):g} s")
    return None


def limit_of(seen: Observed) -> float | None:
    """The limit that was exceeded: of the arguments, of timeout(1) in the line, else the one the message tells."""
    given = next(iter(_limits(seen.args.args)), None)
    if given is not None or seen.failure is None:
        return given
    told = _TOLD_LIMIT.search(seen.failure.message)
    if told is None:
        return None
    return float(told[1]) / (1000 if told[2].lower().startswith("m") else 1)


def _limits(args: Any) -> Iterator[float]:
    """The limits that the arguments of a step set, in seconds."""
    limit, line = number(field(args, "timeout_s")), field(args, "command")
    if limit is not None:
        yield limit
    for command in commands(line) if isinstance(line, str) else ():
        if command.name == "timeout":
            plain = [word.value for word in command.words[1:] if re.fullmatch(r"\d+(\.\d+)?s?", word.value)]
            yield from (float(each.rstrip("s")) for each in plain[:1])


@rule("DR-REC-05")
def tool_not_found(view: View) -> Judgement | None:
    """A tool that does the same, then a built-in one, then the user; never the one that is not there."""
    kind = ErrorType.TOOL_NOT_FOUND
    order = judged_as(view, kind, lambda seen, diagnosis: in_order(kind, _built_in_for(seen), seen, diagnosis))
    return combine([*order, *judged_as(view, kind, _is_there)])


def _built_in_for(seen: Observed) -> tuple[Approach, ...]:
    """The built-in ones are known. What is similar is for whoever looks to say, but for a name written otherwise."""
    tools = tools_of(seen.args) or frozenset()
    named = isinstance(seen.args.tool, str) and bool(seen.args.args)
    same = named and _letters(seen.args.tool) in map(_letters, tools - {seen.args.tool})
    similar = (_A.SIMILAR_TOOL,) if same else ()
    return (*similar, _A.BUILT_IN) if Tool.RUN_BASH in tools else similar


def _letters(name: str) -> str:
    return "".join(each for each in name.lower() if each.isalnum())


def _is_there(seen: Observed, diagnosis: Raw) -> Judgement | None:
    for each in alternatives(diagnosis):
        if approach_of(each) in (_A.SIMILAR_TOOL, _A.BUILT_IN) and seen.args.tool in tools_named(each):
            return failed(f"another tool than {seen.args.tool!r:.80}", f"{each['strategy']!r}")
    return None


@rule("DR-REC-08")
def quoted(view: View) -> Judgement | None:
    """Text of a failure does nothing in a shell line but stand there."""
    return combine(_only_stands(view, seen) for seen in view.diagnosed)


def _only_stands(view: View, seen: Observed) -> Judgement | None:
    failure = failed_of(seen.args.args, seen.args.error)
    asked = (failure.line, *failure.places, *failure.others)
    if not any(map(_ACTIVE.search, failure.texts)) and not any(map(_BLANK.search, asked)):
        return None
    found = []
    for line in (line for plan in proposed(view, seen) for line in plan.lines):
        told, expected = hazards(line, failure), "text of the failure as a word, or not at all"
        if told is not None:
            said = f"{told[0]} in {line!r}" if told else ""
            found.append(failed(expected, said) if told else passed(expected, readings=(_QUOTED,)))
    return combine(found)
