"""Text of what is under test, made harmless for whoever reads it."""

from rich.markup import escape as without_markup


def escape(text: str) -> str:
    """``text`` for the screen as it stands: neither Rich's markup nor the terminal's control sequences work in it."""
    return without_markup(printable(text))


def printable(text: str) -> str:
    """``text`` with every control, format and line-separator character but newline and tab shown as its escape."""
    # XML has no form for control characters, and a terminal obeys them
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)
