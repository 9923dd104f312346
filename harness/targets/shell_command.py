"""What a command names: its own words, and those in the text that it gives to a shell. Nothing is run or expanded."""

import os
import shlex
from collections.abc import Sequence

SHELLS = ("sh", "bash", "dash", "zsh")
_OPERATORS = frozenset("();<>|&")
_PREFIXES = ("exec", "command", "time", "nohup")  # what may stand before a command's own name


def simple_commands(command: Sequence[str], folder: str) -> tuple[tuple[str, ...], ...]:
    """The simple commands that ``command`` consists of: itself, or what its shell is asked to run.

    Words that a shell would have to expand are "" there, ``{project}`` is ``folder``. A text that is no shell's has
    none.
    """
    text = _shell_text(command)
    if text is None:
        return (tuple(command),)
    lexer = shlex.shlex(text.replace("\n", ";"), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:  # a quote that is not closed
        return ()
    return tuple(_commands(tokens, folder))


def is_shell_text(command: Sequence[str]) -> bool:
    """Is ``command`` a shell with a text to run?"""
    return _shell_text(command) is not None


def _shell_text(command: Sequence[str]) -> str | None:
    if len(command) > 2 and os.path.basename(command[0]) in SHELLS and command[1] == "-c":
        return command[2]
    return None


def _commands(tokens: Sequence[str], folder: str) -> list[tuple[str, ...]]:
    found: list[list[str]] = [[]]
    redirected = False
    for token in tokens:
        if set(token) <= _OPERATORS:
            redirected = token[0] in "<>" or token[-1] in "<>"
            if not redirected:
                found.append([])
        elif redirected:
            redirected = False
        elif found[-1] or not _comes_before(token):
            found[-1].append(_known(token.replace("{project}", folder)))
    return [tuple(words) for words in found if words]


def _comes_before(token: str) -> bool:
    name, equals, _ = token.partition("=")
    return token in _PREFIXES or (bool(equals) and name.isidentifier())


def _known(word: str) -> str:
    return "" if set(word) & set("$`*?~") else word
