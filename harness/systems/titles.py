"""Titles that tell the scenarios of one system apart, as their ids do. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from harness.core.scenario import Scenario

_LEVELS = ("l1", "l2", "l3")  # as ids spell what people call L1, L2, L3


def told_apart(scenarios: Iterable[Scenario]) -> tuple[Scenario, ...]:
    """The scenarios, in their order; to a title that several have is added what only this one's id says."""
    every = tuple(scenarios)
    by_title: dict[str, list[str]] = defaultdict(list)
    for scenario in every:
        by_title[scenario.title].append(scenario.id)
    own = {name: word for names in by_title.values() for name, word in _own_words(names).items()}
    return tuple(
        msgspec.structs.replace(scenario, title=_with(scenario.title, own[scenario.id]))
        if own[scenario.id]
        else scenario
        for scenario in every
    )


def _own_words(names: Sequence[str]) -> dict[str, str]:
    """Of ids, the words without those that all of them begin and end with; nothing of an id that is alone."""
    if len(names) == 1:
        return {names[0]: ""}
    words = [name.split("-") for name in names]
    first = _shared(words)
    last = _shared([each[first:][::-1] for each in words])
    return {
        name: " ".join(word.upper() if word in _LEVELS else word for word in each[first : len(each) - last])
        for name, each in zip(names, words, strict=True)
    }


def _shared(rows: Sequence[Sequence[str]]) -> int:
    """How many words at the beginning are the same in all rows."""
    count = 0
    for column in zip(*rows, strict=False):
        if len(set(column)) > 1:
            break
        count += 1
    return count


def _with(title: str, words: str) -> str:
    end = "." if title.endswith(".") else ""
    return f"{title.removesuffix('.')} ({words}){end}"
