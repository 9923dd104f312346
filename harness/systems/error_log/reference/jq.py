"""jq filters whose ``!=`` is written with ``| not`` (ER-JQ-02). Pure."""

import re
from collections.abc import Iterable

LONGEST = 131_072  # characters; no system takes a longer argument of a command
INJECTED = re.compile(r"\s{0,9}<\s{0,9}/dev/null(?=\s{0,9}\|)")  # what, the note says, is put before a pipe
_COMMAND = re.compile(r"\s*[\w./-]*\bjq\b")
_FILTER = re.compile(r"\s*(?:[.\[({$\"@-]|\w+\s*\(|(?:if|def|reduce|foreach|try)\b)")  # how a filter begins
_QUOTED = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)
_TOKEN = re.compile(
    r"(?P<text>\"(?:[^\"\\]|\\.)*\")|(?P<unequal>\\?!=)|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<bound>//=?|\|=?|[,;:]|[+*/%-]?=(?!=)"
    r"|(?<![.$\w])(?:and|or|if|then|else|elif|end|as|def|reduce|foreach|try|catch)\b)"
    r"|==",
    re.DOTALL,
)


class Jq:
    """Commands of jq, and filters alone."""

    def rewritten(self, command: str) -> str:
        """The command with every ``!=`` of its filters in the other form, and nothing injected before pipes."""
        if len(command) > LONGEST or ("!=" not in command and INJECTED.search(command) is None):
            return command
        if _COMMAND.match(command) is None:
            return self.filter(command)
        return _QUOTED.sub(self._quoted, command)

    def _quoted(self, found: re.Match[str]) -> str:
        if found[1] is not None:
            return f"'{self.filter(found[1])}'" if _FILTER.match(found[1]) else found[0]
        before = re.sub(r'\\(["\\])', r"\1", found[2])
        if not _FILTER.match(before):
            return found[0]
        after = self.filter(before)
        return found[0] if after == before else '"' + re.sub(r'(["\\])', r"\\\1", after) + '"'

    def filter(self, text: str) -> str:
        """One filter."""
        text = INJECTED.sub("", text)
        tokens = [found for found in _TOKEN.finditer(text) if found.lastgroup not in ("text", None)]
        edits: list[tuple[int, int, str]] = []
        for place, token in enumerate(tokens):
            if token.lastgroup == "unequal":
                begin = _bound((tokens[number] for number in range(place - 1, -1, -1)), "close", "open")
                end = _bound((tokens[number] for number in range(place + 1, len(tokens))), "open", "close")
                left = 0 if begin is None else begin.end()
                right = len(text) if end is None else end.start()
                alone = begin is not None and end is not None and begin[0] == "(" and end[0] == ")"
                edits += self.negation(text, token, left, right, alone=alone)
        return _edited(text, edits)

    def negation(
        self, text: str, operator: re.Match[str], left: int, right: int, *, alone: bool
    ) -> list[tuple[int, int, str]]:
        """What becomes of one comparison between ``left`` and ``right``; ``alone`` it needs no parentheses."""
        while left < operator.start() and text[left].isspace():
            left += 1
        while right > operator.end() and text[right - 1].isspace():
            right -= 1
        begin, end = _without_spaces(text, operator)
        opened, closed = ("", "") if alone else ("(", ")")
        return [(left, left, opened), (begin, end, " == "), (right, right, f" | not{closed}")]


def _without_spaces(text: str, operator: re.Match[str]) -> tuple[int, int]:
    begin, end = operator.span()
    while begin > 0 and text[begin - 1] == " ":
        begin -= 1
    while end < len(text) and text[end] == " ":
        end += 1
    return begin, end


def _bound(tokens: Iterable[re.Match[str]], opening: str, closing: str) -> re.Match[str] | None:
    """The first token on the way that ends this side of the comparison."""
    depth = 0
    for token in tokens:
        if token.lastgroup == opening:
            depth += 1
        elif token.lastgroup == closing and depth:
            depth -= 1
        elif depth == 0:
            return token
    return None


def _edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    place = 0
    for begin, end, put in sorted(edits, key=lambda edit: edit[:2]):
        parts += (text[place:begin], put)
        place = max(place, end)
    return "".join((*parts, text[place:]))
