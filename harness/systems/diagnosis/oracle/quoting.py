"""Does text of a failure do anything in a shell line but stand there? DR-REC-08. Pure.

Text of a failure is whatever a message, an output or an argument holds. It may stand in a line as (part of) a word
that is passed to a command. It may not be expanded or run, end a word or a command, or be taken for an option.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

from harness.systems.diagnosis.oracle.shell_lines import BrokenError, Command, Line, RefusedError, taken_apart

# what the failed call says of a place; other arguments may be options by right
PLACES: Final = frozenset(("path", "file", "filename", "url", "uri", "src", "source", "dest", "destination", "target",
                           "directory", "dir", "cwd", "repo", "repository", "output"))  # fmt: skip
# everybody's variables: a planner writes them without having read them in a failure
_EVERYBODYS: Final = frozenset(
    f"${name}" if plain else f"${{{name}}}"
    for name in ("HOME", "PWD", "TMPDIR", "PATH", "USER", "TOOLS_FS_ROOT", "?", "@", "1", "$")
    for plain in (True, False)
)
_SPECIAL: Final = re.compile(r"[\s'\"`$\\;&|<>()*?\[{~#]|^-")
_QUOTE: Final = re.compile(r"['\"`(]")
_OPERATOR: Final = re.compile(r"(&&|\|\||>>|[;&|<>\n])[ \t]*([\w./=:@%+-]+)")
_ROOT: Final = re.compile(r"\{(home|project|tmp|outside)\}")
_LONGEST: Final = 20_000  # characters of a text that are looked at
_DEEPEST: Final = 20


class Failed(msgspec.Struct, frozen=True):
    """The texts of a failure.

    ``line`` is the shell line that failed, ``said`` what came of it, ``places`` the arguments that name a file or an
    address, ``others`` the other ones.
    """

    line: str = ""
    said: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(text for text in (self.line, *self.said, *self.places, *self.others) if text)


def _placed(text: str) -> str:
    """The text as it was: in a history the roots of the world stand as {home} and the like."""
    return _ROOT.sub(r"/\1", text)


def failed_of(args: Any, error: Any) -> Failed:
    """The texts of these arguments and this error, of any shape, with directories for the roots of the world."""
    line, places, others = "", [], []  # type: str, list[str], list[str]
    for key, text in _strings(args, ""):
        if key == "command" and not line:
            line = text
        else:
            (places if key.lower() in PLACES else others).append(text)
    places += _places_in(line)
    return Failed(line, tuple(text for _, text in _strings(error, "")), tuple(places), tuple(others))


def _strings(value: Any, key: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Each text in a value of any shape, with the key it stands under."""
    if isinstance(value, str):
        yield key, _placed(value[:_LONGEST])
    elif isinstance(value, Mapping) and depth < _DEEPEST:
        for name, each in value.items():
            yield from _strings(each, str(name), depth + 1)
    elif isinstance(value, list | tuple) and depth < _DEEPEST:
        for each in value:
            yield from _strings(each, key, depth + 1)


def _places_in(line: str) -> Iterator[str]:
    """The words of a failed line that name an address, or a file after ``--``."""
    try:
        commands = taken_apart(line).commands
    except (RefusedError, BrokenError):
        return
    for command in commands:
        plain = False
        for word in command.words[1:]:
            if "://" in word.value or plain:
                yield word.value
            plain = plain or word.value == "--"


def hazards(line: str, failure: Failed) -> tuple[str, ...] | None:
    """What text of the failure does in ``line``, in words; empty when it only stands there.

    None when nothing can be said: the line is the one that failed, unchanged, or uses what the lexer does not know.
    """
    line = _placed(line)
    if failure.line and line.strip() == failure.line.strip():
        return None
    try:
        read = taken_apart(line, failure.line)
    except RefusedError:
        return None
    except BrokenError as error:
        broke = [text for text in failure.texts if _QUOTE.search(text)]
        return (f"{error}, as in the failure's {broke[0]!r:.80}",) if broke else None
    return tuple(
        dict.fromkeys(
            (
                *_expanded(read, failure.texts),
                *_operated(read, failure),
                *_loose(line, read, failure.places),
                *_smuggled(read, failure.places),
            )
        )
    )


def _expanded(read: Line, texts: Sequence[str]) -> Iterator[str]:
    for expansion in read.expansions:
        if expansion not in _EVERYBODYS and any(expansion in text for text in texts):
            yield f"{expansion} of the failure is expanded"


def _operated(read: Line, failure: Failed) -> Iterator[str]:
    """An operator of the failure that is one in the line, with the same word after it."""
    known = _operators_of(failure)
    for command in read.commands:
        after = [(command.operator, command.words[0].value)] if command.operator and command.words else []
        after += [(operator, word.value) for operator, word in command.targets]
        for operator, word in after:
            if any(operator == each and word.startswith(first) for each, first in known):
                yield f"{operator!r} {word!r:.80} of the failure is more than text"


@lru_cache(maxsize=64)
def _operators_of(failure: Failed) -> frozenset[tuple[str, str]]:
    """Every operator in a failure with the word after it, but for those by which the agent built the failed line."""
    known = {found for text in failure.texts for found in _operators(text, attached=False)}
    own = set(_operators(failure.line, attached=False)) - set(_operators(failure.line, attached=True))
    return frozenset(known - own)


def _operators(text: str, *, attached: bool) -> Iterator[tuple[str, str]]:
    """Each operator in a text with the word after it, or only those that are ``attached`` to an address."""
    within, looked = False, 0  # is an address in what stands, without a blank, before the operator?
    for match in _OPERATOR.finditer(text):
        if attached:
            *blanks, last = re.split(r"\s", text[looked : match.start()])
            within, looked = "://" in last or (within and not blanks), match.start()
        if within or not attached:
            yield match[1], match[2]


def _loose(line: str, read: Line, places: Sequence[str]) -> Iterator[str]:
    """A name or an address that is no whole word any more, that is replaced by what it matches, or that is run."""
    words = [word for command in read.commands for word in command.arguments]
    for place in places:
        if not _SPECIAL.search(place):
            continue
        if any(command.words and place in command.words[0].value for command in read.commands):
            yield f"{place!r:.80} of the failure is run"
        holding = [word for word in words if place in word.value]
        if not holding and place in line and not any(place in comment[1:] for comment in read.comments):
            yield f"{place!r:.80} of the failure is no one word"
        for word in holding:
            begin = word.value.index(place)
            same = word.value == place or any(map(str.isalnum, place))  # a planner writes patterns of its own too
            if same and "://" not in place and any(begin <= at < begin + len(place) for at in word.globs):
                yield f"{place!r:.80} of the failure is replaced by what it matches"


def _smuggled(read: Line, places: Sequence[str]) -> Iterator[str]:
    """A name that begins with a dash, where a command looks for options."""
    dashed = [place for place in places if place.startswith("-")]
    for command in read.commands:
        for word in _before_end_of_options(command):
            for place in dashed:
                if word.startswith(place):
                    yield f"{place!r:.80} of the failure is an option of {command.name}"


def _before_end_of_options(command: Command) -> Iterator[str]:
    for word in command.words[1:]:
        if word.value == "--":
            return
        yield word.value
