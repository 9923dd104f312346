"""Answers of the right form that mean nothing: a value of a contract's type, chosen without looking at a question."""

import random
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import inspect

_WORDS = ("", "task-1", "a", "error", "0", "opus", "closed")
_MOST = 3  # of a list that is drawn


class Chooser:
    """Chooses where a type leaves a choice: the yes of ``always-yes``, the no of the others, or anything."""

    def __init__(self, kind: str, draw: random.Random) -> None:
        self._is_yes = kind == "always-yes"
        self._draw = draw if kind == "random" else None

    def one_of(self, values: list[Any]) -> Any:
        """One of these."""
        if self._draw is not None:
            return self._draw.choice(values)
        return values[0 if self._is_yes else -1]

    def truth(self) -> bool:
        """Yes or no."""
        return bool(self.one_of([True, False]))

    def count(self) -> int:
        """How long a list is."""
        return int(self.one_of(list(range(_MOST, -1, -1)))) if self._draw is not None else int(self._is_yes)

    def number(self) -> int:
        """Any number."""
        return int(self.one_of([1, 2, 3, 5, 60, 300, 0]))

    def text(self) -> str:
        """Any text."""
        return str(self.one_of([*_WORDS[1:], ""]))


def answer(kind: type, chooser: Chooser) -> Any:
    """A value of that type, as builtins."""
    return _made(inspect.type_info(kind), chooser)


def copied(kind: type, given: Mapping[str, Any], chooser: Chooser) -> Any:
    """An answer that has the fields of what was given, where they have the right form."""
    made = answer(kind, chooser)
    for name, value in given.items():
        if isinstance(made, dict) and name in made:
            changed = {**made, name: value}
            try:
                msgspec.convert(changed, kind)
            except msgspec.ValidationError:
                continue
            made = changed
    return made


def _made(info: inspect.Type, chooser: Chooser) -> Any:  # noqa: PLR0911, PLR0912 - one line a kind of type
    match info:
        case inspect.Metadata(type=inner):
            return _made(inner, chooser)
        case inspect.BoolType():
            return chooser.truth()
        case inspect.IntType(ge=least, gt=above, le=most):
            low = least if least is not None else (above + 1 if above is not None else None)
            number = chooser.number() if low is None else max(chooser.number(), low)
            return number if most is None else min(number, most)
        case inspect.FloatType():
            return float(chooser.number())
        case inspect.StrType():
            return chooser.text()
        case inspect.EnumType(cls=kind):
            return chooser.one_of([each.value for each in kind])
        case inspect.LiteralType(values=values):
            return chooser.one_of(list(values))
        case inspect.UnionType(types=kinds):
            some = [each for each in kinds if not isinstance(each, inspect.NoneType)]
            none = [None] if len(some) < len(kinds) else []
            chosen = chooser.one_of([*some, *none])
            return None if chosen is None else _made(chosen, chooser)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item) | inspect.SetType(item_type=item):
            return [_made(item, chooser) for _ in range(chooser.count())]
        case inspect.TupleType(item_types=items):
            return [_made(item, chooser) for item in items]
        case inspect.DictType(value_type=value):
            return {chooser.text(): _made(value, chooser) for _ in range(chooser.count())}
        case inspect.StructType(fields=fields):
            return {field.encode_name: _made(field.type, chooser) for field in fields if field.encode_name != "log"}
        case _:
            return None
