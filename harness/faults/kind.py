"""What a fault is to the catalogue: its name, what it does, and the quantities it takes, each with its range."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from harness.core.fault import Scalar

ParamKind = Literal["whole", "share", "text", "flag"]


class Param(NamedTuple):
    """One quantity of a fault: ``whole`` numbers, a ``share`` from 0.0 to 1.0, a ``text`` or a ``flag``.

    ``low`` and ``high`` bound whole numbers, both ends included; ``choices`` are the only texts there are.
    """

    kind: ParamKind
    default: Scalar
    meaning: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()

    def checked(self, name: str, value: Scalar) -> Scalar:
        """``value``, which the file gives as ``name``; ValueError in one sentence when it is none of these."""
        if self.kind == "whole":
            return self._whole(name, value)
        if self.kind == "share":
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise ValueError(f"{name} has to be a number between 0.0 and 1.0, not {value!r}")
            return float(value)
        if self.kind == "flag":
            if not isinstance(value, bool):
                raise ValueError(f"{name} has to be true or false, not {value!r}")
            return value
        if not isinstance(value, str):
            raise ValueError(f"{name} has to be a text, not {value!r}")
        if self.choices and value not in self.choices:
            raise ValueError(f"{name} has to be one of {', '.join(self.choices)}, not {value!r}")
        return value

    def _whole(self, name: str, value: Scalar) -> int:
        bound = f" of at least {self.low}" if self.low is not None and self.high is None else ""
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError(f"{name} has to be a whole number{bound}, not {value!r}")
        if bound and self.low is not None and value < self.low:
            raise ValueError(f"{name} has to be a whole number{bound}, not {value:,}")
        if self.low is not None and self.high is not None and not self.low <= value <= self.high:
            raise ValueError(f"{name} has to be between {self.low:,} and {self.high:,}, not {value:,}")
        return value


class FaultKind(NamedTuple):
    """One fault by name, what it does in a few words, and what it takes; ``placed``: it strikes a path."""

    name: str
    meaning: str
    params: Mapping[str, Param] = {}
    placed: bool = False

    def complete(self, given: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """Every parameter with its value, given or default; ValueError in one sentence for what is wrong."""
        for name in given:
            if name not in self.params:
                known = ", ".join(self.params) or "none"
                raise ValueError(f"has no parameter {name!r}; it has: {known}")
        return {
            name: param.checked(name, given[name]) if name in given else param.default
            for name, param in self.params.items()
        }


def whole(params: Mapping[str, Scalar], name: str) -> int:
    """The value of a whole parameter of a complete fault."""
    value = params[name]
    if not isinstance(value, int):
        raise TypeError(f"{name} is no whole number")
    return value
