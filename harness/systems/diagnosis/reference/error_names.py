"""How an indication is written: a phrase, a needle with a pattern, names of error classes, statuses of HTTP. Pure."""

from typing import Final

Indication = str | tuple[str, str]

_ENDS: Final = r"(?:errors?|exceptions?|fault)?"


def named(names: str) -> Indication:
    """Errors whose class has one of those names, alone or before Error or Exception, as programs print it.

    That is at the beginning of a line, behind the path of its module or package or the words that introduce it, and
    before a colon, a bracket or the end of the line: names of methods and words of a sentence are none. A name that
    is one word needs its ending.
    """
    before = r"(?:^(?:[\w$/]{1,80}(?:\.|::)){0,8}|(?<=[\s:.'\"(\[<]))"
    class_name = r"(?=\w*(?:error|exception|fault)s?\b|(?-i:[A-Z]\w*[a-z][A-Z]))"
    return "", rf"{before}{class_name}(?:{names}){_ENDS}(?=(?: \[\w+\])?\)?(?::(?!:)|[;,'\"]|\)|[({{\]]|\s*$|\s\())"


def status(codes: str) -> Indication:
    """A reply with one of those statuses of HTTP: behind the word that introduces it, or before its reason."""
    said = (
        r"(?:http(?:/[\d.]+)?|status(?: ?code)?|error|code|response|returned|failed)\W{0,3}(?:is |was |with |code:? )?"
    )
    needle = "" if "|" in codes else codes
    return needle, rf"\b{said}(?:{codes})(?![\w.])|(?:^|error )(?:{codes}) (?:client|bad|un|for|gate|req|too|prox)"
