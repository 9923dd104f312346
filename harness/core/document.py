"""YAML that a person wrote, read into builtins. Whatever is wrong with it comes back as one kind of error."""

from collections.abc import Hashable
from typing import Any

import yaml
from yaml.constructor import ConstructorError

_MERGE = "tag:yaml.org,2002:merge"

# libyaml's binding recurses on the C stack and dies by SIGSEGV some 25,000 levels down (measured); a level takes one of
# these characters at least, and the longest scenario file has 250 of them. The slow loader raises instead.
_NESTING = ("[", "{", "-", "?", ":")
_FAST_LIMIT = 5_000


class NotYAMLError(ValueError):
    """The text is no YAML, names a key twice, or uses a tag on a value that it does not fit; ``str()`` is one line."""


def parse_yaml(text: str | bytes) -> Any:
    """What ``text`` says: mappings, lists, texts, numbers, dates; NotYAMLError when it is no YAML.

    A key that one mapping names twice is refused: PyYAML would keep the last and forget what the person wrote first.
    """
    try:
        return yaml.load(text, Loader=_loader(text))  # noqa: S506 - both loaders it gives are the safe ones
    # a tag on a value of another kind, such as `!!bool maybe`, makes PyYAML raise whatever its converters raise
    except (yaml.YAMLError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise NotYAMLError(" ".join(str(error).split()) or type(error).__name__) from error


class _UniqueKeys:
    """What both loaders are mixed with."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            if key_node.tag == _MERGE:
                continue  # `<<` may come again and again, and what it brings may be overridden: that is what it is for
            key = self.construct_object(key_node, deep=True)  # type: ignore[attr-defined]  # of the loader beside it
            if isinstance(key, Hashable) and key in seen:
                raise ConstructorError(None, None, f"the key {key!r} is given twice", key_node.start_mark)
            if isinstance(key, Hashable):
                seen.add(key)
        super().flatten_mapping(node)  # type: ignore[misc]  # the same


class _Slow(_UniqueKeys, yaml.SafeLoader):
    pass


class _Fast(_UniqueKeys, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # whichever there is
    pass


def _loader(text: str | bytes) -> Any:
    if isinstance(text, bytes):
        levels = sum(text.count(mark.encode()) for mark in _NESTING)
    else:
        levels = sum(text.count(mark) for mark in _NESTING)
    return _Slow if levels > _FAST_LIMIT else _Fast
