"""YAML that a person wrote, read into builtins. Whatever is wrong with it comes back as one kind of error."""

from typing import Any

import yaml

# libyaml's binding recurses on the C stack and dies by SIGSEGV some 25,000 levels down (measured); a level takes one of
# these characters at least, and the longest scenario file has 250 of them. The slow loader raises instead.
_NESTING = ("[", "{", "-", "?", ":")
_FAST_LIMIT = 5_000


class NotYAMLError(ValueError):
    """The text is no YAML, or uses a tag on a value that it does not fit; ``str()`` is one line."""


def parse_yaml(text: str | bytes) -> Any:
    """What ``text`` says: mappings, lists, texts, numbers, dates; NotYAMLError when it is no YAML."""
    try:
        return yaml.load(text, Loader=_loader(text))  # noqa: S506 - both loaders it gives are the safe ones
    # a tag on a value of another kind, such as `!!bool maybe`, makes PyYAML raise whatever its converters raise
    except (yaml.YAMLError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise NotYAMLError(" ".join(str(error).split()) or type(error).__name__) from error


def _loader(text: str | bytes) -> Any:
    if isinstance(text, bytes):
        levels = sum(text.count(mark.encode()) for mark in _NESTING)
    else:
        levels = sum(text.count(mark) for mark in _NESTING)
    return yaml.SafeLoader if levels > _FAST_LIMIT else getattr(yaml, "CSafeLoader", yaml.SafeLoader)
