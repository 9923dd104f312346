"""What a person who reads scenarios/ may rely on: no scenario twice, and names that say what they name."""

import re
from collections import defaultdict

import msgspec
import pytest

from harness.certify import corpus
from harness.core.digest import sha256_of
from harness.core.scenario import Scenario, World
from harness.systems import registry
from harness.systems.titles import told_apart

SYSTEMS = registry.NAMES
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# what the ids of a profile begin with; a hook's power steering is a group of its own
PREFIXES = {
    ("stop_gate", "gate"): {"gate"},
    ("stop_gate", "stop_hook"): {"hook", "steering"},
    ("circuit_breaker", "breaker"): {"breaker"},
    ("rate_limit", "backoff"): {"backoff"},
    ("fallback", "ladder"): {"ladder"},
    ("diagnosis", "reflection"): {"diagnosis"},
    ("error_log", "log"): {"log"},
    ("dead_letter", "queue"): {"dlq"},
    ("signals", "signals"): {"signals"},
    ("session_recovery", "session"): {"session"},
    ("rationalization", "watch"): {"watch"},
    ("review_gate", "gate"): {"review"},
    ("phase_runner", "runner"): {"phases"},
}
# what else a scenario has says who it is for, or what it is called; none of it makes another run of it
WHAT_IS_RUN = ("profile", "world", "steps", "allowed")


def twice(scenarios):
    """The ids of those that would run alike, and be judged alike."""
    found = defaultdict(list)
    for scenario in scenarios:
        found[sha256_of([getattr(scenario, field) for field in WHAT_IS_RUN])].append(scenario.id)
    return [ids for ids in found.values() if len(ids) > 1]


def ids_by_title(scenarios):
    found = defaultdict(list)
    for scenario in scenarios:
        found[scenario.title].append(scenario.id)
    return found


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_two_scenarios_of_a_system_are_the_same_run(system):
    """When red: of the two, let the workload enumerate one, and give it the clauses of both."""
    assert [] == twice(corpus.scenarios(system))


@pytest.mark.parametrize("change", [
    {"id": "other"}, {"title": "Another."}, {"clauses": ("X-02",)}, {"seed": 7},
])  # fmt: skip
def test_another_name_does_not_make_a_copy_another_scenario(change):
    copy = msgspec.structs.replace(example("one"), **change)
    assert [["one", copy.id]] == twice([example("one"), copy])


@pytest.mark.parametrize("change", [
    {"profile": "q"}, {"world": World("2026-03-01T12:00:01Z")}, {"allowed": ({"x": 1},)},
])  # fmt: skip
def test_another_world_profile_or_answer_makes_another_scenario(change):
    assert [] == twice([example("one"), msgspec.structs.replace(example("two"), **change)])


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_file_is_called_after_its_scenario_in_lower_case_words_with_hyphens(system):
    paths = [path for path in corpus.directory().rglob("*.yaml") if system in path.parts]
    names = {path.stem for path in paths}
    assert names == {scenario.id for scenario in corpus.scenarios(system)}
    assert len(paths) == len(names)
    assert [] == [name for name in names if not NAME.fullmatch(name)]
    for path in paths:
        assert f"id: {path.stem}\n" in path.read_text("utf-8"), path.name


@pytest.mark.parametrize("system", SYSTEMS)
def test_an_id_begins_with_the_word_of_its_profile_and_names_its_level(system):
    for scenario in corpus.scenarios(system):
        prefix, _, rest = scenario.id.partition("-")
        assert prefix in PREFIXES[system, scenario.profile], scenario.id
        assert ("steering" == prefix) <= (scenario.group is not None), scenario.id
        if rest.startswith(("l2-", "l3-")):
            assert rest[:2].upper() == scenario.level, scenario.id


def test_every_profile_there_is_has_a_prefix_of_its_own_within_its_system():
    assert set(PREFIXES) == {(name, profile) for name in SYSTEMS for profile in registry.get(name).contract.PROFILES}
    for name in SYSTEMS:
        words = [word for (system, _), prefixes in PREFIXES.items() if system == name for word in prefixes]
        assert len(words) == len(set(words))


@pytest.mark.parametrize("system", SYSTEMS)
def test_titles_are_unique_and_say_something(system):
    found = ids_by_title(corpus.scenarios(system))
    assert {} == {title: ids for title, ids in found.items() if len(ids) > 1}
    assert [] == [
        title for title in found if len(title.split()) < 2 or title != title.strip() or not title.isprintable()
    ]


def example(name, title="One thing."):
    return Scenario(1, name, title, "s", "p", ("X-01",), World("2026-03-01T12:00:00Z"), ())


def told(*names, title="One thing."):
    return [scenario.title for scenario in told_apart(example(name, title) for name in names)]


@pytest.mark.parametrize(("names", "titles"), [
    (("a-one",), ["One thing."]),
    (("a-b-one-c", "a-b-two-c"), ["One thing (one).", "One thing (two)."]),
    (("a-b", "a-b-at-once"), ["One thing.", "One thing (at once)."]),
    (("a-l2-b", "a-b"), ["One thing (L2).", "One thing."]),
    (("a-b-b", "a-b"), ["One thing (b).", "One thing."]),
    (("x-1", "y-1", "z-2"), ["One thing (x 1).", "One thing (y 1).", "One thing (z 2)."]),
])  # fmt: skip
def test_a_title_that_several_have_is_given_what_only_their_ids_say(names, titles):
    assert titles == told(*names)


def test_a_title_without_a_full_stop_gets_none():
    assert ["One thing (a)", "One thing (b)"] == told("x-a", "x-b", title="One thing")
