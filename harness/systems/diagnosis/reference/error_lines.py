"""What of a text is said by the error itself: source that it quotes does not count, and its last words come first.

Pure, and linear in the length of the text.
"""

import re
from typing import Final

_OF_PYTEST: Final = re.compile(r"^E(?= {2,}|$)", re.MULTILINE)
_EMPTY_LINES: Final = re.compile(r"\n{2,}")
_MARGIN: Final = re.compile(r"^[ \t]{2,4}(?=\S)", re.MULTILINE)
_QUOTED_BY_PYTHON: Final = re.compile(
    r'^(([ \t]*)File "[^"\n]*", line \d+[^\n]*)\n(?![ \t]*File ")\2[ \t][^\n]*', re.MULTILINE
)
_POINTED_AT: Final = re.compile(r"^[^\n]*\n[ \t]*[~^](?:[~^ \t]*|-+ ?error here)$", re.MULTILINE)
_IN_A_FRAME: Final = re.compile(r"^[ \t]*(?:\d+[ \t]*)?\|(?:[ \t][^\n]*)?$|^[ \t]*\d+:[ \t]{2,}[^\n]*$", re.MULTILINE)
_REMARK: Final = re.compile(
    r"^(?:\S* )?(?:warning|info|debug|note|hint)\b(?![^\n]*\bretr)[^\n]*$", re.MULTILINE | re.IGNORECASE
)
_FAILS: Final = re.compile(r"^[^\w\n]*(?:\w+ )?(?:error|fatal|err!)\b", re.MULTILINE | re.IGNORECASE)
_DRAWN: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|^[\u2500-\u257f]+ ?", re.MULTILINE)
_OF_NPM: Final = re.compile(r"^npm (?:warn|notice)\b[^\n]*$|^LINE \d+: [^\n]*$", re.MULTILINE | re.IGNORECASE)
_OF_A_TEST: Final = re.compile(
    r"^ *(?:[\u2713\u2714\u2715\u2717\u2718\u00d7\u25cf](?! ?\[)|--- (?:FAIL|PASS)|=== RUN|not ok \d|ok \d|test "
    r"\S+ \.\.\. )[^\n]*$",
    re.MULTILINE,
)
_TRACEBACK: Final = "Traceback (most recent call last):"
_LAST_WORDS: Final = re.compile(r"^(?![ \t\n])(?!Traceback)[^\n]+", re.MULTILINE)

_BROKEN: Final = re.compile(
    r"^[^\n]{0,100}?(?:\w*syntaxerror\b|\bsyntax errors?\b(?! or usage)|\bparse error\b|\bsql syntax\b|"
    r"\bjsondecodeerror\b|"
    r"\bunterminated\b|\bunexpected (?:token|eof|end of)|\brunaway string\b|\bmissing terminating\b)",
    re.MULTILINE | re.IGNORECASE,
)
_FAULTS: Final = re.compile(
    r"^(?:uncaught |unhandled |error: |exception in thread \"[^\"\n]*\" )?(?:\w+[.:]+)*"
    r"(?:(?:assertion|zerodivision|index|attribute|name|recursion|memory|unicode\w*|unboundlocal|notimplemented|"
    r"fileexists|isadirectory|notadirectory|overflow|reference|lookup|floatingpoint|stopiteration|nomethod|"
    r"nullpointer|arrayindexoutofbounds|indexoutofbounds|classcast|nullreference|invalidoperation|integrity|"
    r"numberformat|concurrentmodification|filenotfound(?!\w*: [^\n]*(?:permission denied|access is denied|load "
    r"file))|nosuchfile|nosuchelement|uninitializedconstant)"
    r"(?:error|exception)\b|assertion failed|enoent: no such file|"
    r"typeerror: (?:cannot (?:read|set|destructure)|[^\n]{0,80} is not (?:a function|iterable|defined|a constructor|"
    r"subscriptable|callable)|unsupported operand|can only concatenate)|keyerror: '(?-i:[a-z]))",
    re.MULTILINE | re.IGNORECASE,
)


def own_words(text: str) -> str:
    """The text without lines of source that it quotes, and without remarks where it also says an error."""
    text = _OF_NPM.sub("", _DRAWN.sub("", text))
    text = "\n".join(line.rstrip() for line in text.splitlines() if line.strip())
    marked = "\nE  " in f"\n{text}"
    if marked:
        text = _OF_PYTEST.sub("", text)
    text = _OF_A_TEST.sub("", text)
    if "^" in text or "~" in text:
        text = _POINTED_AT.sub("", text)
    if "|" in text or ":  " in text:
        text = _IN_A_FRAME.sub("", text)
    if 'File "' in text:
        text = _QUOTED_BY_PYTHON.sub(r"\1", text)
    if marked:
        text = _MARGIN.sub("", text)
    if _FAILS.search(text) is not None:
        text = _REMARK.sub("", text)
    return _EMPTY_LINES.sub("\n", text)


def last_words(text: str) -> str:
    """What the last traceback ends with: the error that was raised; empty where there is no traceback."""
    _, found, rest = text.rpartition(_TRACEBACK)
    if not found:
        return ""
    raised = _LAST_WORDS.search(rest)
    return rest[raised.start() :] if raised else ""


def is_fault(text: str) -> bool:
    """Is the error a fault of the program itself, or a file that is not there, whatever its words quote?"""
    return _FAULTS.search(text) is not None


def is_broken(text: str) -> bool:
    """Does a parser say, in the first words of a line, that it could not read on? What it then quotes is no error."""
    return _BROKEN.search(text) is not None
