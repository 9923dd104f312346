"""The configuration flags: DR-CFG-01 to DR-CFG-07."""

import json

import pytest
from handmade_diagnosis import (
    ASKING,
    FAIL,
    PASS,
    SECOND,
    Story,
    a_context,
    a_diagnosis,
    a_failure,
    a_session_record,
    fault,
)

from harness.systems.diagnosis.contract import Flag
from harness.systems.diagnosis.oracle.flags import Flags

ALL = ("words", "words_or_unset", "only_zero", "only_one")
OFF = {"reflection": "none"}


def flagged(flag, text):
    return Story(flags={} if text is None else {flag.value: text})


@pytest.mark.parametrize(
    ("text", "on", "off"),
    [
        (None, ALL, ()),
        ("1", ALL, ()),
        ("0", (), ALL),
        ("false", ("only_zero",), ("words", "words_or_unset", "only_one")),
        (" OFF ", ("only_zero",), ("words", "words_or_unset", "only_one")),
        ("", ("words_or_unset", "only_zero"), ("words", "only_one")),
        ("yes", ("words", "words_or_unset", "only_zero"), ("only_one",)),
        (" 0", ("only_zero",), ("words", "words_or_unset", "only_one")),
    ],
)
def test_the_reflection_is_on_or_off_as_the_flag_says(text, on, off):
    found = flagged(Flag.ENABLED, text).failure().finding("DR-CFG-01")
    assert (bool(on), on) == (found.verdict is PASS, found.readings if on else on)
    found = flagged(Flag.ENABLED, text).failure(answer=OFF).finding("DR-CFG-01")
    assert (bool(off), off) == (found.verdict is PASS, found.readings if off else off)


def test_one_failure_that_is_passed_over_is_no_matter_of_the_flag():
    story = Story().failure("c1").failure("c2", answer=OFF)
    assert (PASS, FAIL) == (story.verdict("DR-CFG-01"), story.verdict("DR-TRG-01"))
    assert None is Story().success().finding("DR-CFG-01")


def chain(asked):
    """A diagnosis with so many whys asked."""
    return a_diagnosis(**{f"whyChain__why{n}": "NOT ASKED: too deep" for n in range(asked + 1, 6)})


@pytest.mark.parametrize(
    ("text", "depths"),
    [(None, [5]), ("0", [0]), ("1", [1]), ("3", [3]), ("5", [5]), ("6", [5]), ("-1", [0, 5]), ("deep", [5]), ("", [5])],
)
def test_as_many_whys_are_asked_as_the_flag_says(text, depths):
    right = [
        n for n in range(6) if flagged(Flag.WHY_DEPTH, text).failure(diagnosis=chain(n)).verdict("DR-CFG-02") is PASS
    ]
    assert depths == right


def test_a_depth_below_zero_is_the_default_or_zero():
    of = [flagged(Flag.WHY_DEPTH, "-2").failure(diagnosis=chain(n)).readings("DR-CFG-02") for n in (0, 5)]
    assert [("nearest",), ("not_asked",)] == of


def test_whys_are_asked_from_the_first_on():
    made = a_diagnosis(whyChain__why1="not asked")
    assert FAIL == flagged(Flag.WHY_DEPTH, "4").failure(diagnosis=made).verdict("DR-CFG-02")


@pytest.mark.parametrize("text", ["3.0", " 3", "1e1", "+3"])
def test_of_a_number_in_another_form_nothing_is_said(text):
    assert None is flagged(Flag.WHY_DEPTH, text).failure().finding("DR-CFG-02")
    assert None is flagged(Flag.MAX_TOKENS, text).failure(model=[{"prompt": "x"}]).finding("DR-CFG-04")


def test_what_is_no_diagnosis_in_full_has_no_depth():
    assert None is Story().failure(reflection="fast").finding("DR-CFG-02")
    assert None is Story().failure(diagnosis=a_diagnosis(whyChain=3)).finding("DR-CFG-02")


def asked(flag, text, *told, **field):
    prompts = [{"prompt": "x", name: value} for name, values in field.items() for value in values]
    return flagged(flag, text).failure(model=prompts)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (None, [0.2]),
        ("0", [0, 0.0]),
        ("0.0", [0]),
        ("0.7", [0.7]),
        ("2", [2]),
        ("3", [3, 2, 0.2]),
        ("-1", [0.2, 0]),
        ("warm", [0.2]),
        ("nan", [0.2]),
        ("inf", [0.2]),
    ],
)
def test_the_temperature_is_the_one_of_the_flag(text, right):
    tried = [0, 0.0, 0.2, 0.7, 2, 3, -1, None, "0.2", True]
    verdicts = [asked(Flag.TEMPERATURE, text, temperature=[each]).verdict("DR-CFG-03") for each in tried]
    assert [PASS if type(each) is not bool and each in right else FAIL for each in tried] == verdicts


def test_of_a_temperature_in_another_form_nothing_is_said():
    assert None is asked(Flag.TEMPERATURE, " 1", temperature=[1]).finding("DR-CFG-03")
    assert None is Story().failure().finding("DR-CFG-03")


@pytest.mark.parametrize(
    ("text", "limits", "readings"),
    [
        (None, [1024], ("each_call", "shared")),
        (None, [1024, 1024], ("each_call",)),
        (None, [512, 512], ("shared",)),
        (None, [200] * 5, ("shared",)),
        ("700", [700], ("each_call", "shared")),
        ("0", [0], ("each_call", "shared")),
        ("many", [1024], ("each_call", "shared")),
        ("-5", [1024], ("each_call", "shared")),
    ],
)
def test_the_limit_of_tokens_is_the_one_of_the_flag(text, limits, readings):
    story = asked(Flag.MAX_TOKENS, text, max_tokens=limits)
    assert (PASS, readings) == (story.verdict("DR-CFG-04"), story.readings("DR-CFG-04"))


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        (None, [512]),
        (None, [None]),
        (None, ["1024"]),
        ("0", [1024]),
        ("0", [1024, 0]),
        (None, [1, 1]),
        (None, [1024, 1]),
    ],
)
def test_another_limit_of_tokens_breaks_its_clause(text, limits):
    assert FAIL == asked(Flag.MAX_TOKENS, text, max_tokens=limits).verdict("DR-CFG-04")


def test_with_no_tokens_no_model_need_be_asked():
    story = flagged(Flag.MAX_TOKENS, "0")
    story.failure(model=[])
    assert PASS == story.verdict("DR-CFG-04")
    story = Story()
    story.failure(model=[])
    assert None is story.finding("DR-CFG-04")


def recovered(limit, *asks, fourth=False):
    """Recoveries that failed one after the other: was the user asked after each? Before them at once, if first."""
    story = flagged(Flag.MAX_RECOVERY_ATTEMPTS, limit)
    made = a_diagnosis()
    if fourth:
        made["alternatives"].insert(2, {**made["alternatives"][1], "strategy": "third"})
    story.failure(diagnosis=made, more={"asks_user": asks[0]})
    strategies = ["curl_download_and_extract", "manual_http_download", "third"]
    for strategy, asked_now in zip(strategies, asks[1:], strict=False):
        more = {"next_plan": ASKING if asked_now else SECOND, "asks_user": asked_now}
        story.outcome(success=False, strategy=strategy, more=more)
    return story


@pytest.mark.parametrize(
    ("limit", "asks", "verdict"),
    [
        (None, (False, False, True), PASS),
        (None, (False, True), FAIL),
        (None, (False, False, False), FAIL),
        ("1", (False, True), PASS),
        ("1", (False, False), FAIL),
        ("0", (True,), PASS),
        ("0", (False,), FAIL),
        ("0", (True, False), FAIL),
        ("3", (False, False, False, True), PASS),
        ("3", (False, False, True), FAIL),
        ("-1", (True, True), PASS),
        ("-1", (False, False, True), PASS),
        ("-1", (False, True), FAIL),
        ("all", (False, False, True), PASS),
    ],
)
def test_the_user_is_asked_after_as_many_recoveries_as_the_flag_says(limit, asks, verdict):
    assert verdict == recovered(limit, *asks, fourth=True).verdict("DR-CFG-05")


def test_who_has_nothing_left_to_try_may_ask_earlier():
    assert PASS == recovered("3", False, False, True).verdict("DR-CFG-05")
    assert None is flagged(Flag.MAX_RECOVERY_ATTEMPTS, "1e1").failure().finding("DR-CFG-05")


def test_where_the_scopes_may_differ_nothing_is_said():
    story = Story().failure("c1").outcome("c1", False).failure("c2", error=a_failure("x")).outcome("c2", False)
    assert 1 == story.finding("DR-CFG-05").witnesses
    story = Story().failure("c1").outcome("c1").outcome("c1", False)
    assert None is story.finding("DR-CFG-05")
    assert None is Story().failure(diagnosis=None).outcome(success=False).finding("DR-CFG-05")
    assert None is Story().failure().outcome(success=False, answer=None).finding("DR-CFG-05")


def learned(text, *outcomes, reflection="full", **more):
    """The same failure again and again, with that outcome each; then it once more."""
    story = flagged(Flag.FAST_RECOVERY, text)
    for n, success in enumerate(outcomes):
        story.failure(f"c{n}", context=a_context(n)).outcome(f"c{n}", success)
    return story.failure("last", reflection=reflection, context=a_context(9), **more)


@pytest.mark.parametrize(
    ("text", "fast", "full"),
    [(None, ALL, ()), ("1", ALL, ()), ("0", (), ALL), ("no", ("only_zero",), ("words", "words_or_unset", "only_one"))],
)
def test_what_was_learned_is_used_as_the_flag_says(text, fast, full):
    found = learned(text, True, True, True, reflection="fast").finding("DR-CFG-06")
    assert (bool(fast), fast) == (found.verdict is PASS, found.readings if fast else fast)
    found = learned(text, True, True, True).finding("DR-CFG-06")
    assert (bool(full), full) == (found.verdict is PASS, found.readings if full else full)


@pytest.mark.parametrize("outcomes", [(), (True, True), (False, True, True, True), (False,)])
def test_where_little_was_learned_a_full_reflection_is_no_matter_of_the_flag(outcomes):
    assert None is learned("1", *outcomes).finding("DR-CFG-06")


def test_of_another_failure_nothing_was_learned():
    assert None is learned("1", True, True, True, error=a_failure("Other")).finding("DR-CFG-06")
    assert None is learned("1", True, True, True, answer=None).finding("DR-CFG-06")


def test_where_the_memory_may_be_lost_nothing_is_known_to_be_learned():
    assert None is learned("1", True, True, True, faults=[fault("filesystem.full", "{home}")]).finding("DR-CFG-06")
    story = Story()
    story.files["session_memory"] = b"{}\n"
    for n in range(3):
        story.failure(f"c{n}").outcome(f"c{n}")
    assert None is story.failure("last").finding("DR-CFG-06")


def whole(text, record):
    return flagged(Flag.STORE_FULL, text).failure(session=[record]).success()


@pytest.mark.parametrize(
    ("text", "stored", "bare"),
    [(None, ALL, ()), ("0", (), ALL), ("", ("words_or_unset", "only_zero"), ("words", "only_one"))],
)
def test_the_whole_diagnosis_is_stored_as_the_flag_says(text, stored, bare):
    record = a_session_record(a_diagnosis())
    found = whole(text, {**record, "diagnosis": a_diagnosis()}).finding("DR-CFG-07")
    assert (bool(stored), stored) == (found.verdict is PASS, found.readings if stored else stored)
    found = whole(text, record).finding("DR-CFG-07")
    assert (bool(bare), bare) == (found.verdict is PASS, found.readings if bare else bare)


def test_a_diagnosis_may_be_stored_anywhere_in_a_record():
    record = a_session_record(a_diagnosis())
    for value in ([{"x": a_diagnosis()}], json.dumps(a_diagnosis()), "{no json"):
        found = whole(None, {**record, "more": value}).verdict("DR-CFG-07")
        assert (FAIL if value == "{no json" else PASS) == found


def test_a_part_of_a_diagnosis_is_not_the_whole():
    made = a_diagnosis()
    del made["learningOpportunity"]
    assert FAIL == whole(None, {**a_session_record(a_diagnosis()), "diagnosis": made}).verdict("DR-CFG-07")


def test_where_nothing_was_stored_nothing_is_said_of_the_whole():
    assert None is Story().failure(session=()).success().finding("DR-CFG-07")
    assert None is Story().failure(reflection="fast").success().finding("DR-CFG-07")


def test_flags_that_are_none_are_not_set():
    flags = Flags(None)
    assert (None, True, True, 2) == (flags.text(Flag.ENABLED), flags.enabled, flags.fast, flags.attempts)
    assert flags.is_default(Flag.ENABLED)
    assert not Flags({Flag.ENABLED.value: "0"}).is_default(Flag.ENABLED)
    assert None is Flags({Flag.MAX_RECOVERY_ATTEMPTS.value: "-1"}).attempts


def test_of_asking_the_user_nothing_is_learned():
    story = Story()
    for n in range(3):
        story.failure(f"c{n}").outcome(f"c{n}", strategy="request_user_setup")
    assert None is story.failure("last").finding("DR-CFG-06")
