"""Facts about scope and verification, for who has the group behaviour: each alone, made up for, and all. Level L1."""

from collections.abc import Iterator, Mapping
from typing import Final

from harness.core.scenario import Scenario
from harness.systems.rationalization.workload.watch_steps import BEHAVIOUR, SCOPE, SKIPPING, calm, scenario

OF_SCOPE: Final[Mapping[str, str | None]] = {
    "expanded": "justified", "reduced": "documented", "reinterpreted": "announced", "unspecified_feature": None,
}  # fmt: skip
OF_VERIFICATION: Final[Mapping[str, str | None]] = {
    "next_task_begun": "tests_run",
    "success_claimed": "evidence_shown",
    "failed_check_dismissed": None,
    "relies_on_other_component": "integration_verified",
    "tests_cited": "cited_tests_run",
    "compatibility_claimed": "compatibility_tested",
    "behavior_asserted": "behavior_demonstrated",
}
"""What somebody did, and what makes up for it; None where nothing does."""
FACTS: Final = (("scope", SCOPE, OF_SCOPE), ("verification", SKIPPING, OF_VERIFICATION))


def behaviour_boundaries() -> Iterator[Scenario]:
    """The scenarios, in a fixed order."""
    for word, clause, facts in FACTS:
        for done, excuse in facts.items():
            yield _fact(word, clause, done, excuse)
        yield _crossed(word, clause, facts)
    story = calm().assess().assess(dict.fromkeys(OF_SCOPE, True)).assess(None, dict.fromkeys(OF_VERIFICATION, True))
    story.assess(dict.fromkeys(OF_SCOPE, True), dict.fromkeys(OF_VERIFICATION, True))
    story.assess(_whole(OF_SCOPE), _whole(OF_VERIFICATION)).assess(_excuses(OF_SCOPE), _excuses(OF_VERIFICATION))
    yield scenario("behaviour-everything", "Everything was done, nothing, and all with what makes up for it.",
                   (SCOPE, SKIPPING), story, group=BEHAVIOUR)  # fmt: skip


def _fact(word: str, clause: str, done: str, excuse: str | None) -> Scenario:
    story = calm().assess(**{word: {done: True}}).assess(**{word: {done: False}})
    if excuse is not None:
        story.assess(**{word: {done: True, excuse: True}}).assess(**{word: {excuse: True}})
    story.restart().assess(**{word: {done: True}})
    words = done.replace("_", " ")
    return scenario(f"behaviour-{done.replace('_', '-')}", f"{words.capitalize()}, alone and made up for.",
                    (clause,), story, group=BEHAVIOUR)  # fmt: skip


def _crossed(word: str, clause: str, facts: Mapping[str, str | None]) -> Scenario:
    """What makes up for one thing makes up for no other."""
    story = calm()
    everything = {name: _excuses(each) for name, _, each in FACTS}
    for done, excuse in facts.items():
        others = {other: True for other in everything[word] if other != excuse}
        story.assess(**{word: {done: True, **others}}).assess(**{**everything, word: {done: True, **others}})
    return scenario(f"behaviour-{word}-crossed", "What makes up for one thing makes up for no other.", (clause,), story,
                    group=BEHAVIOUR)  # fmt: skip


def _excuses(facts: Mapping[str, str | None]) -> dict[str, bool]:
    return {excuse: True for excuse in facts.values() if excuse is not None}


def _whole(facts: Mapping[str, str | None]) -> dict[str, bool]:
    return {**dict.fromkeys(facts, True), **_excuses(facts)}
