"""What strategies are made of: steps for available tools, and lines for a shell that hold no foreign word bare."""

import itertools
import re
import shlex
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

from harness.systems.diagnosis.contract import SHELLS, Approach, Tool
from harness.systems.diagnosis.reference.hostile import line
from harness.systems.diagnosis.reference.reading import Failure
from harness.systems.diagnosis.reference.subjects import url_of, words_of
from harness.systems.diagnosis.reference.taxonomy import Verdict

PRIVILEGED: Final = frozenset({"sudo", "su", "doas", "pkexec", "runuser"})
_EXPANDING = re.compile(r"[$`\n\r!]|[<>]\(|\beval\b")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


class Step(msgspec.Struct, frozen=True):
    """One step of a recovery plan; ``tool`` is empty where the user is asked."""

    action: str
    tool: str
    args: Mapping[str, Any]
    expected: str


class Strategy(msgspec.Struct, frozen=True):
    """One way on, with the approach that its template or the Recovery Planner has for it."""

    name: str
    approach: Approach
    description: str
    confidence: float
    iterations: int
    steps: tuple[Step, ...]

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools it names, none where the user is asked."""
        return tuple(dict.fromkeys(step.tool for step in self.steps if step.tool))

    @property
    def asks(self) -> bool:
        """Does it ask the user?"""
        return not self.tools


class Case(NamedTuple):
    """A failure, what it is, and where tools may write."""

    failure: Failure
    verdict: Verdict
    root: str

    @property
    def subject(self) -> str:
        """What it is about."""
        return self.verdict.subject


def quoted(*words: str) -> str:
    """The words as one line of a shell, each safe from it."""
    return shlex.join(words)


class Toolbox:
    """The tools that may be used now (DR-OUT-10), and steps for them; a step that no tool can take is None."""

    def __init__(self, failure: Failure, *, without: str | None = None) -> None:
        known = (failure.tool,) if failure.available is None else failure.available
        self.tools = tuple(tool for tool in known if tool and tool != without)

    def has(self, tool: str) -> bool:
        """May it be used?"""
        return tool in self.tools

    def shell(self) -> str | None:
        """The tool that runs lines of a shell."""
        return next((tool for tool in self.tools if tool in SHELLS), None)

    def run(self, action: str, command: str, expected: str) -> Step | None:
        """A step that runs a line of a shell."""
        shell = self.shell()
        return None if shell is None else Step(action, shell, {"command": command}, expected)

    def use(self, tool: str, action: str, args: Mapping[str, Any], expected: str) -> Step | None:
        """A step with that tool."""
        return Step(action, tool, args, expected) if self.has(tool) else None

    def listed(self, action: str, path: str, expected: str) -> Step | None:
        """A step that lists a directory, by the tool for it or a shell."""
        found = self.use(Tool.READ_DIR, action, {"path": path}, expected)
        return found or self.run(action, quoted("ls", "-la", "--", path), expected)

    def fetched(self, action: str, url: str, name: str, expected: str) -> Step | None:
        """A step that downloads what stands at an address."""
        found = self.run(action, quoted("curl", "-fL", "--retry", "2", "-o", name, "--", url), expected)
        return found or self.use(Tool.HTTP_FETCH, action, {"url": url}, expected)


def made(
    name: str, approach: Approach, description: str, confidence: float, iterations: int, *steps: Step | None
) -> Strategy | None:
    """A strategy of the steps that tools can take; None when there is none."""
    there = tuple(step for step in steps if step is not None)
    return Strategy(name, approach, line(description), confidence, iterations, there) if there else None


def repeated(command: str) -> str | None:
    """The command for another try. Words that a shell would expand are quoted; None when it must not be run again.

    Nothing is run as another user unasked (DR-REC-03), and what a hostile word would start is not started (DR-REC-08).
    """
    words = words_of(command)
    if not words or PRIVILEGED & set(re.split(r"[\s;&|()]+", command)):
        return None
    return quoted(*words) if _EXPANDING.search(command) else command


def program_of(failure: Failure) -> list[str]:
    """The words of a command that is a single program with its arguments; none of what is more than that."""
    if (
        not failure.command
        or re.search(r"[$`\n\r;&|<>()!]", failure.command)
        or PRIVILEGED & set(words_of(failure.command))
    ):
        return []
    return words_of(failure.command)


class Archive(NamedTuple):
    """Where a repository can be downloaded without git, and the directory it is extracted to."""

    url: str
    name: str


def archive_of(failure: Failure) -> Archive | None:
    """The archive of the repository that was to be cloned; None when no address of one is known."""
    address = re.sub(r"^git@([\w.-]+):", r"https://\1/", url_of(failure))
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    path = parts.path.removesuffix("/").removesuffix(".git").strip("/")
    if not parts.hostname or path.count("/") < 1:
        return None
    words = words_of(failure.command)
    branch = next((after for word, after in itertools.pairwise(words) if word in {"-b", "--branch"}), "main")
    base, last = f"https://{parts.netloc.rpartition('@')[2]}/{path}", path.rpartition("/")[2]
    name = last if _PLAIN_NAME.fullmatch(last) else "repository"
    if parts.hostname == "gitlab.com":
        return Archive(f"{base}/-/archive/{branch}/{last}-{branch}.tar.gz", name)
    if parts.hostname == "bitbucket.org":
        return Archive(f"{base}/get/{branch}.tar.gz", name)
    return Archive(f"{base}/archive/refs/heads/{branch}.tar.gz", name)
