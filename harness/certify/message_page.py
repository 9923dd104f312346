"""docs/messages.md: every error a person can meet, from its catalogue, and the exit codes."""

from collections.abc import Iterator

from harness import messages
from harness.messages import KINDS, PREFIX, Family

_BEGINNING = """\
# What an error means

Generated from `harness/messages/`. An error is one sentence on standard error, with a code at its end; `windtunnel
explain` takes the code and says what stands here. Where a run had to end early, the same sentence stands among its
results, without the code.

    windtunnel: cannot read the target file hook.yaml: No such file or directory [WT-U09]

## Exit codes

| exit code | meaning |
|---|---|
| 0 | conformant, or what was asked for is done |
| 1 | not conformant: a requirement is not met, or a failing state was found |
| 2 | usage: the command line or a file of yours is wrong |
| 3 | windtunnel itself broke, or a `qualify` failed |
| 4 | it cannot be tested: it does not start, does not speak its protocol, or the machine lacks what is needed |
| 5 | inconclusive: a clause that has to hold could not be established, or nothing ran |
| 130 | interrupted; what was judged is kept |
| 141 | whoever read the output went away, as `head` does |
"""


def message_page() -> str:
    """The whole page."""
    lines = [_BEGINNING]
    for letter, kind in KINDS.items():
        lines += [f"## {PREFIX}{letter}: {kind.title} (exit {kind.exit_code})", ""]
        for family in messages.families().values():
            if family.kind is kind:
                lines += _family(family)
    return "\n".join(lines).rstrip() + "\n"


def _family(family: Family) -> Iterator[str]:
    yield f"### {family.code}: {family.title}\n"
    yield f"{family.cause}\n"
    yield f"**What to do:** {family.remedy}\n"
    yield from (f"- {_code(messages.readable(template))}" for template in family.templates())
    yield ""


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"
