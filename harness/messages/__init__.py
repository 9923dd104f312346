"""The catalogue of every error a person can meet: families of messages that have one cause and one remedy.

The files beside this hold it, one a kind of error. Nothing is read before the first error, or the first question.
"""

import functools
from collections.abc import Mapping
from importlib import resources
from typing import NamedTuple

import click
import msgspec

from harness.core.document import parse_yaml
from harness.errors import (
    AdapterError,
    FileFormatError,
    HarnessFault,
    MachineError,
    NothingRanError,
    UntestableError,
    UsageError,
    WindtunnelError,
)

GAP = "{}"  # a part of a message that is known only when it is raised


class Kind(NamedTuple):
    """One kind of error: the class it is raised as, the file of its families, and whose fault it is."""

    error: type[WindtunnelError | click.ClickException]
    file: str
    title: str

    @property
    def exit_code(self) -> int:
        """What a run that it ends exits with."""
        return click.UsageError.exit_code if self.error is click.ClickException else self.error.exit_code


KINDS: Mapping[str, Kind] = {
    "C": Kind(click.ClickException, "command_line", "the command line does not parse"),
    "U": Kind(
        UsageError, "usage", "what was asked for does not exist, cannot be combined, or cannot be read or written"
    ),
    "F": Kind(FileFormatError, "file_format", "a file is not in its published format"),
    "T": Kind(UntestableError, "untestable", "the implementation cannot be tested"),
    "A": Kind(AdapterError, "adapter", "an adapter broke the protocol"),
    "M": Kind(MachineError, "machine", "this machine lacks or refuses what the run needs"),
    "N": Kind(NothingRanError, "nothing_ran", "nothing was checked"),
    "H": Kind(HarnessFault, "defect", "windtunnel itself broke"),
}


class Family(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Messages with one cause and one remedy. ``says`` are the templates that stand where they are raised.

    ``built`` are those that are put together elsewhere, by the file that raises them, or the package that is not ours.
    """

    code: str
    title: str
    cause: str
    remedy: str
    says: tuple[str, ...] = ()
    built: Mapping[str, tuple[str, ...]] = {}

    @property
    def kind(self) -> Kind:
        """The kind of all its messages."""
        return KINDS[self.code.removeprefix(PREFIX)[0]]

    def templates(self) -> tuple[str, ...]:
        """Every message, wherever it is put together."""
        built = (template for templates in self.built.values() for template in templates)
        return tuple(dict.fromkeys((*self.says, *built)))


PREFIX = "WT-"


@functools.cache
def families() -> Mapping[str, Family]:
    """The catalogue, by code: kind by kind, and in the order of the files."""
    beside = resources.files(__name__)
    read = [
        family
        for kind in KINDS.values()
        for family in msgspec.convert(parse_yaml(beside.joinpath(f"{kind.file}.yaml").read_bytes()), list[Family])
    ]
    return {family.code: family for family in read}


def with_code(message: str, error: type[Exception]) -> str:
    """The message as it is printed: with its code in brackets, where it has one."""
    code = code_of(message, error)
    return f"{message} [{code}]" if code else message


def code_of(message: str, error: type[Exception]) -> str:
    """The code of the family that ``message``, raised as ``error``, belongs to; "" when none knows it.

    Where several templates fit, the one with most text of its own is meant. A kind that ``error`` derives from, or
    that derives from it, is asked when its own knows nothing: errors of workers come back as their base.
    """
    own = [letter for letter, kind in KINDS.items() if issubclass(error, kind.error)]
    near = [letter for letter, kind in KINDS.items() if issubclass(kind.error, error)]
    for letter in (*reversed(own), *near):
        fitting = [
            (len(template.replace(GAP, "")), family.code)
            for family in families().values()
            if family.code.startswith(PREFIX + letter)
            for template in family.templates()
            if fits(template, message)
        ]
        if fitting:
            return max(fitting)[1]
    return ""


def readable(template: str) -> str:
    """The template as people are shown it."""
    return "anything else" if template == GAP else template.replace(GAP, "...")


def fits(template: str, message: str) -> bool:
    """Whether ``message`` is ``template`` with something, or nothing, in its gaps."""
    first, *parts = template.split(GAP)
    if not parts:
        return message == template
    *between, last = parts
    at, end = len(first), len(message) - len(last)
    if at > end or not message.startswith(first) or not message.endswith(last):
        return False
    for part in between:
        at = message.find(part, at, end) + len(part)
        if at < len(part):
            return False
    return True
