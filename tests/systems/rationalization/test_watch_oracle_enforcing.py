"""The oracle of a watch on actions that are excused: the four steps, and where the attempt is logged.

Source: document 000, Enforcement Protocol.
"""

import pytest
from handmade_watch import (
    EXCUSE,
    FAIL,
    FLAG,
    HEDGE,
    LOG,
    PASS,
    Day,
    action_of,
    countered,
    protocol,
    step,
)

from harness.systems.rationalization import contract

TABLE = {entry.value: row for entry, row in contract.TABLE.items()}
BOTH = f"{EXCUSE}, {FLAG} so."
NEUTRAL = "The login endpoint answers 200."
WARNING = {"level": "warning", "code": "attempt_unlogged", "message": "no"}


def answer(**changes):
    return {"steps": protocol(EXCUSE), "proceeds": False, "logged": True, "path": LOG, **changes}


ASKED = {"text": EXCUSE, "action": "merge", "agent": "eng"}


def steps_of(text, *steps):
    return Day().excuse(text, steps=list(steps)).verdict(6)


def test_the_protocol_in_its_ways():
    assert Day().excuse(EXCUSE, EXCUSE).broken() == set()
    assert Day().excuse(BOTH, EXCUSE, FLAG).broken() == set()
    assert Day().excuse(BOTH, FLAG, EXCUSE).broken() == set()
    named, action, flagged, flag_action = countered(EXCUSE, FLAG)
    first_all = (step("stop"), named, flagged, action, flag_action, step("document"))
    assert steps_of(BOTH, *first_all) is PASS
    assert steps_of(BOTH, step("stop"), flagged, named, action, flag_action, step("document")) is PASS
    told = (step("stop"), step("think", "hard"), named, action, step("notify"), step("document"))
    assert steps_of(EXCUSE, *told) is PASS
    by_phrase = (step("stop"), step("identify", f'The phrase "{EXCUSE}"'), action, step("document"))
    assert steps_of(EXCUSE, *by_phrase) is PASS
    twice = (step("stop"), named, action, named, action, step("document"))
    assert steps_of(f"{EXCUSE}. {EXCUSE}", *twice) is PASS


def test_steps_that_name_or_counter_everything_there_is():
    stop, named, action, document = protocol(EXCUSE)
    every = [*TABLE.values()]
    names = step("identify", "; ".join(row.phrase for row in every))
    assert steps_of(EXCUSE, stop, names, action, document) is FAIL
    counters = step("counter", "; ".join(row.required_action for row in every))
    assert steps_of(EXCUSE, stop, named, counters, document) is FAIL
    some = step("counter", "; ".join((action_of(EXCUSE), "Must pass CI", "Block until spec clarified")))
    assert steps_of(EXCUSE, stop, named, some, document) is PASS
    all_said = f"{EXCUSE}. {'. '.join(row.phrase for row in every if row.phrase != EXCUSE)}."
    steps = [step("stop"), *(step("identify", entry) for entry in TABLE), *([counters] * len(TABLE)), document]
    assert steps_of(all_said, *steps) is PASS


@pytest.mark.parametrize("place", range(4))
def test_a_step_that_failed(place):
    steps = protocol(EXCUSE)
    failed = [{**each, "ok": number != place} for number, each in enumerate(steps)]
    assert steps_of(EXCUSE, *failed) is (PASS if steps[place]["action"] == "document" else FAIL)


@pytest.mark.parametrize("missing", range(4))
def test_a_step_that_is_missing(missing):
    steps = protocol(EXCUSE)
    assert steps_of(EXCUSE, *(each for place, each in enumerate(steps) if place != missing)) is FAIL


def test_steps_in_another_order():
    stop, named, action, document = protocol(EXCUSE)
    for wrong in (
        (named, action, stop, document), (named, stop, action, document), (stop, action, named, document),
        (stop, document, named, action), (stop, named, document, action), (stop, named, action, document, stop),
        (stop, stop, named, action, document), (stop, named, action, document, document),
        (stop, named, named, action, document), (stop, named, action, action, document),
        (*protocol(EXCUSE), step("proceed")),
    ):  # fmt: skip
        assert steps_of(EXCUSE, *wrong) is FAIL, wrong
    assert Day().excuse(EXCUSE, EXCUSE, proceeds=True).verdict(6) is FAIL
    assert Day().proceed(EXCUSE).verdict(6) is FAIL


def test_each_is_named_and_countered_by_its_own():
    stop, named, action, flagged, flag_action, document = protocol(EXCUSE, FLAG)
    assert steps_of(BOTH, stop, named, action, document) is FAIL
    assert steps_of(BOTH, stop, flagged, flag_action, document) is FAIL
    assert steps_of(BOTH, stop, named, flag_action, flagged, action, document) is FAIL  # the flag is never countered
    assert steps_of(BOTH, stop, named, action, flagged, action, document) is FAIL
    assert steps_of(EXCUSE, stop, named, step("counter", "Do better"), document) is FAIL
    assert steps_of(EXCUSE, stop, named, step("counter"), document) is FAIL
    more = step("counter", f"First: {action_of(EXCUSE)}, then go on")
    assert steps_of(EXCUSE, stop, named, more, document) is PASS


def test_what_is_named_is_there():
    stop, named, action, document = protocol(EXCUSE)
    other = countered("This is good enough")
    assert steps_of(EXCUSE, stop, named, action, *other, document) is FAIL
    assert steps_of(EXCUSE, stop, step("identify", "something"), action, document) is FAIL
    assert steps_of(EXCUSE, stop, named, action, *countered(HEDGE), document) is FAIL
    mentioned = f'{EXCUSE}, they wrote "This is good enough"'
    assert steps_of(mentioned, stop, named, action, *other, document) is FAIL
    paraphrased = f"{EXCUSE}, it will suffice"
    assert steps_of(paraphrased, stop, named, action, *other, document) is PASS


def test_a_red_flag_is_named_by_its_phrase_or_by_the_nearest_row():
    by_phrase = Day().excuse(FLAG, FLAG)
    assert by_phrase.readings(6) == ("phrase_named",)
    stop, _, action, document = protocol(FLAG)
    row = step("identify", "already_verified")
    for counter in (action, step("counter", action_of("I already verified this"))):
        day = Day().excuse(FLAG, steps=[stop, row, counter, document])
        assert (day.verdict(6), day.readings(6)) == (PASS, ("nearest_entry",))
        assert day.excuse(FLAG, FLAG, action="other").verdict(6) is FAIL  # two readings in one run
    assert steps_of(FLAG, stop, row, step("counter", "Do better"), document) is FAIL
    assert Day().excuse(EXCUSE, EXCUSE).readings(6) == ("phrase_named", "nearest_entry")
    ours = "It is nice to have"
    assert Day().excuse(ours, "nice to have").readings(6) == ("phrase_named",)
    assert steps_of(ours, stop, step("identify", "nice to have"), step("counter", "Leave it"), document) is PASS
    assert steps_of(ours, stop, step("identify", "out_of_scope"), step("counter", "Leave it"), document) is FAIL


@pytest.mark.parametrize(
    "text", [NEUTRAL, "", '"I think" they wrote', "> This is out of scope", "improbably rethinking"]
)
def test_what_is_not_excused_proceeds(text):
    assert Day().proceed(text).broken() == set()
    assert Day().proceed(text, steps=[]).broken() == set()
    assert Day().proceed(text, steps=[step("look")]).broken() == set()
    assert Day().proceed(text, proceeds=False).verdict(6) is FAIL
    for action in ("stop", "identify", "counter", "document"):
        assert Day().proceed(text, steps=[step(action)]).verdict(6) is FAIL
    assert Day().proceed(text, logged=True, path=LOG).verdict(7) is FAIL


@pytest.mark.parametrize("text", ["`probably", "probably-not", "Maybe", "It could work later"])
def test_who_stops_what_is_doubtful_or_a_paraphrase_logs_it(text):
    assert Day().proceed(text).broken() == set()
    assert Day().excuse(text, HEDGE).broken() == set()
    assert Day().excuse(text, HEDGE, logged=False, path=None).verdict(7) is FAIL


def test_with_output_two_excuses_are_none():
    text = "I already verified this"
    assert Day().excuse(text, text, has_output=True).broken() == set()
    assert Day().proceed(text, steps=[step("proceed")]).verdict(6) is FAIL
    args = {"text": text, "action": "merge", "has_output": True}
    proceeds = {"steps": [step("proceed")], "proceeds": True}
    assert Day().do("enforce", args, proceeds).broken() == set()


def test_where_the_attempt_is_logged():
    for path in (LOG, ".loki/memory/episodic/2026/a.json", "./.loki/memory/../memory/episodic/b"):
        day = Day()
        day.looks = path == LOG  # the others have another name in the snapshot
        assert day.excuse(EXCUSE, EXCUSE, path=path).broken() == set()
    for path in (None, "rationalizations.jsonl", ".loki/memory/episodic", ".loki/memory/episodic/../a.json", "/tmp/x"):
        assert Day().do("enforce", ASKED, answer(path=path)).verdict(7) is FAIL
    assert Day().excuse(EXCUSE, steps=protocol(EXCUSE, logged=False)).verdict(7) is FAIL


def test_the_file_has_to_grow():
    assert Day().do("enforce", ASKED, answer()).verdict(7) is FAIL  # there is no file
    assert Day(log=b"{}\n").do("enforce", ASKED, answer()).verdict(7) is FAIL  # it is as it was
    empty = Day().begin("enforce", ASKED).put(b"").end("enforce", answer())
    assert empty.verdict(7) is FAIL
    same_size = Day(log=b"{}\n").begin("enforce", ASKED).put(b"[]\n").end("enforce", answer())
    assert same_size.verdict(7) is PASS
    unseen = Day()
    unseen.looks = False
    assert unseen.do("enforce", ASKED, answer()).broken() == set()
    hidden = Day().under("filesystem.unreadable").do("enforce", ASKED, answer())
    assert hidden.broken() == set()


def test_one_file_or_a_file_each():
    one = Day().excuse(EXCUSE, EXCUSE)
    assert one.readings(7) == ("one_file", "file_each")
    assert one.excuse(FLAG, FLAG, action="other").readings(7) == ("one_file",)
    each = Day().excuse(EXCUSE, EXCUSE).excuse(FLAG, FLAG, path=".loki/memory/episodic/2.json")
    assert each.readings(7) == ("one_file", "file_each")


def test_a_log_that_fails_is_told_and_nothing_proceeds():
    unlogged = {"logged": False, "path": None, "steps": protocol(EXCUSE, logged=False)}
    full = Day().under("filesystem.full", free_bytes=0)
    assert full.excuse(EXCUSE, **unlogged, log=[WARNING]).broken() == set()
    assert full.verdict(7) is None
    assert Day().under("filesystem.full", free_bytes=0).excuse(EXCUSE, **unlogged).verdict(7) is FAIL
    assert Day().excuse(EXCUSE, **unlogged, log=[WARNING]).verdict(7) is FAIL  # in calm weather
    said_done = {**unlogged, "steps": protocol(EXCUSE)}
    assert Day().under("filesystem.full").excuse(EXCUSE, **said_done, log=[WARNING]).verdict(7) is FAIL
    proceeds = {**unlogged, "proceeds": True}
    assert Day().under("filesystem.full").excuse(EXCUSE, **proceeds, log=[WARNING]).verdict(6) is FAIL
