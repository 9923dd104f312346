"""Text of what is under test, made harmless for whoever reads it."""

from rich.markup import escape as without_markup

_COMMANDS = ("::", "##[", "##vso[")  # a line of a log that begins so is obeyed by GitHub's and Azure's pipelines


def escape(text: str) -> str:
    """``text`` for the screen as it stands: neither Rich's markup nor the terminal's control sequences work in it."""
    return without_markup(printable(text))


def printable(text: str) -> str:
    """``text`` with every control, format and line-separator character but newline and tab shown as its escape."""
    # XML has no form for control characters, and a terminal obeys them
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


def in_one_line(text: str) -> str:
    """``text`` as `printable`, with no line of its own."""
    return printable(" ".join(text.split()))


def as_line(text: str) -> str:
    """``text`` as one line of a log: as `printable`, its indentation too, and nothing that a CI takes for a command."""
    first, *rest = text.splitlines() or [""]
    line = printable(" ".join(filter(None, [first.rstrip() if rest else first, *map(str.strip, rest)])))
    return f"'{line}'" if line.lstrip().startswith(_COMMANDS) else line


def escape_line(text: str) -> str:
    """``text`` for the screen as it stands: as `escape`, and as `as_line`."""
    return without_markup(as_line(text))


def in_markdown(text: str) -> str:
    """``text`` on one line of a Markdown page: no table, markup or HTML of its own."""
    return "".join(f"\\{c}" if c in "|*_`<>[]#\\" else c for c in in_one_line(text))
