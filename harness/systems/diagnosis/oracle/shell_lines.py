"""A line for a POSIX shell, taken apart: its commands, their words as the shell would pass them, what is active.

Only as much of the grammar as the steps of a recovery use. What it does not know is refused, never guessed: here
documents, process substitution, ``$'...'``, ``case``, functions, arrays. Pure. Source: POSIX.1-2024, Shell Command
Language 2.2 (quoting), 2.3 (token recognition), 2.6 (word expansions).
"""

from typing import Final

import msgspec

_BLANKS: Final = " \t"
_ENDS_WORD: Final = " \t\n;&|<>()"
_GLOBS: Final = "*?[{~"
_ESCAPABLE_IN_QUOTES: Final = '$`"\\\n'
_OPERATORS: Final = ("&&", "||", ";;", ";", "&", "|", "\n", "(", ")")
_REDIRECTIONS: Final = (">>", "<&", ">&", "<>", ">|", "<", ">")
_REFUSED: Final = ("<<", "<(", ">(", ";;")
# after these the next word is a command again
_RESERVED: Final = frozenset(
    ("if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "time", "fi", "done")
)
_BEYOND: Final = frozenset(("case", "select", "function", "[[", "coproc"))
_SHELLS: Final = frozenset(("sh", "bash", "dash", "zsh", "ksh", "ash"))
_SPECIAL_PARAMETERS: Final = "@*#?-$!0123456789"
_DEEPEST: Final = 20


class RefusedError(ValueError):
    """The line uses what this lexer does not know: nothing can be said of it."""


class BrokenError(ValueError):
    """The line is no shell line: a quote or a substitution does not end, or a parenthesis does not begin."""


class Word(msgspec.Struct, frozen=True):
    """``value`` is what the shell passes, expansions left out (``expanded``: there are some).

    ``globs`` are the places in ``value`` of unquoted characters that a shell may replace: ``*``, ``?``, ``[``, ``{``,
    and ``~`` at the beginning.
    """

    value: str
    expanded: bool = False
    globs: tuple[int, ...] = ()
    bare: bool = True  # without any quote or escape


class Command(msgspec.Struct, frozen=True):
    """A simple command. ``operator`` is what stands before it, empty at the beginning of a line.

    ``words`` begin with the name of the command; assignments, reserved words and redirections are left out.
    ``targets`` are its redirections, each with its file. ``line`` is what it runs in a shell of its own.
    """

    operator: str
    words: tuple[Word, ...]
    targets: tuple[tuple[str, Word], ...] = ()
    line: str = ""

    @property
    def name(self) -> str:
        """The last part of the path of what is run; empty when nothing is."""
        return self.words[0].value.rpartition("/")[2] if self.words else ""

    @property
    def arguments(self) -> tuple[Word, ...]:
        """What it is passed and where it writes, but for what is itself a line."""
        passed = () if self.name == "eval" else tuple(word for word in self.words if word.value != self.line)
        return (*passed, *(word for _, word in self.targets))


class Line(msgspec.Struct, frozen=True):
    """All commands of a line, those of its substitutions and of shells that it starts too.

    ``expansions`` and ``comments`` are as written.
    """

    commands: tuple[Command, ...]
    expansions: tuple[str, ...]
    comments: tuple[str, ...] = ()


def taken_apart(line: str, own: str = "") -> Line:
    """The line as a shell reads it; RefusedError, BrokenError.

    ``own`` is a line that may be run as it is: where another shell is to run it, it is an argument and nothing more.
    """
    return _Lexer(line, own.strip(), 0).line()


class _Lexer:
    """Reads one text from the left, itself again for what is inside a substitution."""

    def __init__(self, text: str, own: str, depth: int) -> None:
        if depth > _DEEPEST:
            raise RefusedError("shells within shells without end")
        if "\0" in text:
            raise RefusedError("no argument of a program holds a NUL")
        self._text = text
        self._own = own
        self._depth = depth
        self._at = 0
        self._commands: list[Command] = []
        self._expansions: list[str] = []
        self._comments: list[str] = []

    def line(self) -> Line:
        """The whole text."""
        self._until_closed(closed=False)
        return self._read()

    def _read(self) -> Line:
        return Line(tuple(self._commands), tuple(self._expansions), tuple(self._comments))

    def _until_closed(self, *, closed: bool) -> None:
        """Commands up to the end, or to the parenthesis that closes."""
        operator, words, targets = "", [], []  # type: str, list[Word], list[tuple[str, Word]]
        open_groups = 0
        while True:
            self._blanks()
            if self._at >= len(self._text):
                self._end(operator, words, targets)
                if closed or open_groups:
                    raise BrokenError("a parenthesis does not end")
                return
            found = self._one_of(_REFUSED)
            if found:
                raise RefusedError(f"{found} is beyond this lexer")
            redirection = self._one_of(_REDIRECTIONS)
            if redirection:
                self._at += len(redirection)
                targets.append((redirection, self._target()))
                continue
            sign = self._one_of(_OPERATORS)
            if not sign:
                word = self._word()
                if not (word.bare and word.value.isdigit() and self._one_of(("<", ">"))):
                    words.append(word)
                continue
            if sign == "(" and words:
                raise RefusedError("functions and arrays are beyond this lexer")
            self._end(operator, words, targets)
            self._at += len(sign)
            operator, words, targets = sign, [], []
            open_groups += (sign == "(") - (sign == ")")
            if open_groups < 0:
                if closed:
                    return
                raise BrokenError("a parenthesis does not begin")

    def _end(self, operator: str, words: list[Word], targets: list[tuple[str, Word]]) -> None:
        passed = tuple(_without_prefix(words))
        inner = _inner_line(passed)
        if inner.strip() == self._own:
            inner = ""
        command = Command(operator, passed, tuple(targets), inner)
        if not command.words and not command.targets:
            return
        if command.words and command.words[0].bare and command.words[0].value in _BEYOND:
            raise RefusedError(f"{command.words[0].value} is beyond this lexer")
        self._commands.append(command)
        if command.line:
            self._take(_Lexer(command.line, self._own, self._depth + 1).line())

    def _take(self, inner: Line) -> None:
        self._commands += inner.commands
        self._expansions += inner.expansions
        self._comments += inner.comments

    def _blanks(self) -> None:
        """Past blanks, line continuations and a comment."""
        text = self._text
        while self._at < len(text):
            if text[self._at] in _BLANKS:
                self._at += 1
            elif text.startswith("\\\n", self._at):
                self._at += 2
            elif text[self._at] == "#":
                end = text.find("\n", self._at)
                end = len(text) if end < 0 else end
                self._comments.append(text[self._at : end])
                self._at = end
            else:
                return

    def _one_of(self, tokens: tuple[str, ...]) -> str:
        return next((token for token in tokens if self._text.startswith(token, self._at)), "")

    def _target(self) -> Word:
        self._blanks()
        if self._at >= len(self._text) or self._text[self._at] in _ENDS_WORD:
            raise BrokenError("a redirection leads nowhere")
        return self._word()

    def _word(self) -> Word:
        """The word that begins here; it has at least one character."""
        text, value, globs = self._text, "", []  # type: str, str, list[int]
        begin, expansions = self._at, len(self._expansions)
        bare = True
        while self._at < len(text) and text[self._at] not in _ENDS_WORD:
            each = text[self._at]
            bare = bare and each not in "'\"\\"
            if each == "'":
                value += self._single_quoted()
            elif each == '"':
                value += self._double_quoted()
            elif each == "\\":
                value += self._escaped()
            elif each in "$`":
                value += self._expansion(quoted=False)
            else:
                if each in _GLOBS and (each != "~" or self._at == begin):
                    globs.append(len(value))
                value += each
                self._at += 1
        return Word(value, len(self._expansions) > expansions, tuple(globs), bare)

    def _single_quoted(self) -> str:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise BrokenError("a single quote does not end")
        found = self._text[self._at + 1 : end]
        self._at = end + 1
        return found

    def _escaped(self) -> str:
        if self._at + 1 >= len(self._text):
            raise RefusedError("an escape of nothing")
        each = self._text[self._at + 1]
        self._at += 2
        return "" if each == "\n" else each

    def _double_quoted(self) -> str:
        text, value = self._text, ""
        self._at += 1
        while self._at < len(text):
            each = text[self._at]
            if each == '"':
                self._at += 1
                return value
            if each == "\\" and text[self._at + 1 : self._at + 2] in _ESCAPABLE_IN_QUOTES:
                value += self._escaped()
            elif each in "$`":
                value += self._expansion(quoted=True)
            else:
                value += each
                self._at += 1
        raise BrokenError("a double quote does not end")

    def _expansion(self, *, quoted: bool) -> str:
        """Notes the expansion that begins here; what of it is literal: a dollar that expands nothing."""
        text, begin = self._text, self._at
        if text[begin] == "`":
            self._backquoted()
        elif text.startswith("$(", begin):
            self._at += 2
            self._substituted()
        elif text.startswith("${", begin):
            self._braced()
        elif text[begin + 1 : begin + 2] in ("'", '"') and not quoted:
            raise RefusedError("$'...' is beyond this lexer")
        else:
            self._at += 1
            while self._at < len(text) and (
                text[self._at] == "_" or (text[self._at].isascii() and text[self._at].isalnum())
            ):
                self._at += 1
                if text[begin + 1].isdigit():
                    break
            if self._at == begin + 1:
                if text[begin + 1 : begin + 2] not in _SPECIAL_PARAMETERS or begin + 1 >= len(text):
                    return "$"
                self._at += 1
        self._expansions.append(text[begin : self._at])
        return ""

    def _substituted(self) -> None:
        inner = _Lexer(self._text, self._own, self._depth + 1)
        inner._at = self._at
        inner._until_closed(closed=True)
        self._at = inner._at
        self._take(inner._read())

    def _backquoted(self) -> None:
        end = self._at + 1
        while end < len(self._text) and self._text[end] != "`":
            end += 2 if self._text[end] == "\\" else 1
        if end >= len(self._text):
            raise BrokenError("a back-quote does not end")
        body = self._text[self._at + 1 : end]
        for escaped in "`$\\":
            body = body.replace(f"\\{escaped}", escaped)
        self._at = end + 1
        self._take(_Lexer(body, self._own, self._depth + 1).line())

    def _braced(self) -> None:
        end = self._text.find("}", self._at)
        if end < 0:
            raise BrokenError("a parameter expansion does not end")
        if set(self._text[self._at + 2 : end]) & set("'\"\\`${"):
            raise RefusedError("quotes and expansions within ${} are beyond this lexer")
        self._at = end + 1


def _without_prefix(words: list[Word]) -> list[Word]:
    """The words from the name of the command on."""
    for place, word in enumerate(words):
        head, equals, _ = word.value.partition("=")
        assigns = bool(equals) and head.isidentifier() and head.isascii()
        if not (assigns or (word.bare and word.value in _RESERVED)):
            return words[place:]
    return []


def _inner_line(words: tuple[Word, ...]) -> str:
    """The line that a command runs in a shell of its own, empty when it runs none, or only reads it."""
    values = [word.value for word in words]
    name = values[0].rpartition("/")[2] if values else ""
    if name == "eval":
        return " ".join(values[1:])
    options = ""
    for place, value in enumerate(values[1:] if name in _SHELLS else (), 1):
        if not value.startswith("-") or value.startswith("--"):
            return ""
        options += value
        if "c" in options:
            return "" if "n" in options else "".join(values[place + 1 : place + 2])
    return ""
