"""The corpus of error texts is whole, and the page in reports/ is what the reference says of it. Source: issue 6, 3."""

import json
from collections import Counter
from pathlib import Path

import jsonschema
import msgspec
import pytest

from benchmarks.classification import collect
from benchmarks.classification.accuracy import (
    NO_ANSWER,
    Answer,
    ask,
    interval,
    observed,
    of_reference,
    page,
    reached,
    type_in,
)
from benchmarks.classification.corpus import DEVELOPMENT, HELD_OUT, Entry, Error, is_development, load, recipes
from harness.core.history import EntryType
from harness.ports.fake_files import FakeFiles
from harness.systems import registry
from harness.systems.diagnosis.contract import REFLECTION, ErrorType, ObserveArguments
from harness.targets.direct import DirectSession
from harness.targets.session import Reply

PAGE = Path(__file__).parents[2] / "reports" / "classification.md"
PARTS = {"development": load(DEVELOPMENT), "held out": load(HELD_OUT)}
ENTRIES = [entry for part in PARTS.values() for entry in part]


def test_each_type_has_eight_entries_at_least_and_some_in_each_part():
    assert dict.fromkeys(ErrorType, True) == {
        kind: count >= 8 for kind in ErrorType for count in [sum(entry.type is kind for entry in ENTRIES)]
    }
    for part in PARTS.values():
        assert set(ErrorType) == {entry.type for entry in part}


def test_ids_are_unique_and_decide_the_part():
    assert [] == [name for name, count in Counter(entry.id for entry in ENTRIES).items() if count > 1]
    assert all(is_development(entry.id) for entry in PARTS["development"])
    assert not any(is_development(entry.id) for entry in PARTS["held out"])


def test_no_text_stands_in_both_parts():
    texts = [
        {(entry.tool, json.dumps(msgspec.to_builtins(entry.error), sort_keys=True)) for entry in part}
        for part in PARTS.values()
    ]
    assert set() == texts[0] & texts[1]


def test_entries_are_what_the_recipes_make():
    made = {each.id: (each.type, each.why, each.available, each.source if each.error else None) for each in recipes()}
    assert made == {
        each.id: (each.type, each.why, each.available, each.origin if each.made == "documented" else None)
        for each in ENTRIES
    }


def test_a_tool_outside_the_available_ones_is_tool_not_found_and_no_other_is():
    assert {entry.id for entry in ENTRIES if entry.tool not in entry.available} == {
        entry.id for entry in ENTRIES if entry.type is ErrorType.TOOL_NOT_FOUND
    }


def test_an_exit_code_of_127_is_command_not_found():
    assert {ErrorType.COMMAND_NOT_FOUND} == {entry.type for entry in ENTRIES if entry.error.code == 127}


def test_every_entry_agrees_with_the_published_schema_and_is_a_failed_call():
    schema = msgspec.json.schema(tuple[Entry, ...])
    for path in (DEVELOPMENT, HELD_OUT):
        jsonschema.validate(msgspec.yaml.decode(path.read_bytes()), schema)
    for entry in ENTRIES:
        asked = msgspec.convert(observed(entry), ObserveArguments)
        assert not asked.success
        assert asked.error["message"]


def entry(name, kind, **error):
    return Entry(name, kind, "because", "run_bash", {}, Error(**error), "run", "true")


class Echo:
    """Says of each error what its message says."""

    def observe(self, args, now_s):
        said = args["error"]["message"]
        return {"diagnosis": {"errorClassification": {"type": said}} if said else None}


def asked(*entries):
    with DirectSession(REFLECTION, lambda config: Echo()) as session:
        return ask(session, entries)


def test_an_answer_is_right_when_it_is_the_type_of_its_entry():
    answers = asked(
        entry("a", ErrorType.TIMEOUT, message="timeout"),
        entry("b", ErrorType.TIMEOUT, message="network_error"),
        entry("c", ErrorType.TIMEOUT, message=""),
    )
    assert [("timeout", True), ("network_error", False), (NO_ANSWER, False)] == [(a.said, a.right) for a in answers]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(EntryType.FAIL, {"diagnosis": {"errorClassification": {"type": "timeout"}}}),
        Reply(EntryType.OK, {"diagnosis": {"errorClassification": []}}),
        Reply(EntryType.OK, {"diagnosis": {"errorClassification": {"type": 3}}}),
        Reply(EntryType.OK, {}),
    ],
    ids=["refused", "list", "number", "empty"],
)
def test_an_answer_without_a_type_is_none(reply):
    assert NO_ANSWER == type_in(reply)


def test_the_interval_is_wilsons():
    assert (0.0, 0.2775) == tuple(round(edge, 4) for edge in interval(0, 10))
    assert (0.8882, 0.9785) == tuple(round(edge, 4) for edge in interval(95, 100))
    assert (0.0, 1.0) == interval(0, 0)


def test_the_goal_is_above_95_percent_not_at_it():
    right = Answer(entry("a", ErrorType.TIMEOUT, message="x"), "timeout")
    wrong = Answer(entry("b", ErrorType.TIMEOUT, message="x"), "unknown")
    assert not reached([right] * 19 + [wrong])
    assert reached([right] * 20 + [wrong])
    assert not reached([])


def test_a_page_tells_the_misses_by_id_and_that_a_goal_was_missed():
    wrong = Answer(entry("odd-one", ErrorType.TIMEOUT, message="secret text"), "unknown")
    text = page("somebody", [wrong], [wrong])
    assert "It is **missed**" in text
    assert "- held out: `odd-one` is timeout, called unknown" in text
    assert "secret text" not in text


def test_a_recipe_is_run_and_its_own_paths_are_replaced():
    recipe = msgspec.structs.replace(
        recipes()[0], run="cat {server}/a; pwd; cat nowhere; exit 3", setup="", says="exit"
    )
    made = collect.entry_of(recipe, 4321)
    assert "http://127.0.0.1:8080/a" in made.args["command"]
    assert (3, "/workspace\n") == (made.error.code, made.error.stdout)
    assert "cat: nowhere: No such file or directory" in made.error.stderr


class Served:
    """The reference as ``serve`` calls it, on files that are none."""

    def __init__(self, config):
        system = registry.System("diagnosis")
        self.instance = system.reference.create(msgspec.convert(config, system.contract.Configuration), FakeFiles())

    def observe(self, args, now_s):
        return self.instance.observe(msgspec.convert(args, ObserveArguments), now_s)


def test_the_page_in_reports_is_what_the_reference_says_now():
    with DirectSession(REFLECTION, Served) as session:
        assert PAGE.read_text("utf-8") == of_reference(session)
