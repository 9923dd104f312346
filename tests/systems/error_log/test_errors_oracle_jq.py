"""What the oracle says of jq filters that failed and were run again."""

import pytest
from handmade_errors import CONTEXT, PASS, Day, failing, found, progress, readings, step, steps

from harness.systems.error_log.oracle.jq import negations
from harness.systems.error_log.oracle.jq import readings as jq_readings

COMMAND = """jq '.[] | select(.a != "x")' state.json"""
AGAIN = """jq '.[] | select(.a == "x" | not)' state.json"""
JQ = {"command": COMMAND, "output": "jq: error"}


def jq(*actions, facts=JQ, outcome="recovered", retry=AGAIN, ok=True, context=..., **more):
    retries = [] if retry is None else [step("retry", detail=retry, ok=ok)]
    taken = actions or (
        step("capture_output", detail="jq: error"),
        "log",
        *retries,
        *(("log_resolution",) if ok and retries else ()),
    )
    found_in = {**CONTEXT, "failed_command": facts["command"]} if context is ... else context
    return Day().recover("jq_parse_failure", steps(*taken), outcome, facts=facts, context=found_in, **more).read()


FAILS = {**JQ, "retry_succeeds": False}


class TestJq:
    @pytest.mark.parametrize(("left", "day"), [
        ({"failed", "partial", "by_progress", "own"}, jq()),
        ({"failed", "own"}, jq(facts=FAILS, ok=False, outcome="failed")),
        ({"partial", "by_progress", "own"}, jq(facts=FAILS, ok=False, outcome="partial")),
        ({"failed", "partial", "by_progress", "own"} - {"failed", "partial"} | {"failed"},
         jq(facts=FAILS, ok=False, outcome="failed", at=progress(completed=[], partial=...))),
    ], ids=range(4))  # fmt: skip
    def test_each_reading_is_told_by_how_it_ends(self, left, day):
        assert left == readings("ER-JQ-01", day)

    @pytest.mark.parametrize(("clause", "day"), [
        ("ER-JQ-01", jq("log", step("capture_output", detail="jq: error"), step("retry", detail=AGAIN), "log_resolution")),
        ("ER-JQ-01", jq(step("capture_output", detail="?"), "log", step("retry", detail=AGAIN), "log_resolution")),
        ("ER-JQ-01", jq(step("capture_output", detail="jq: error"), "log", step("retry", detail=AGAIN))),
        ("ER-JQ-01", jq(step("capture_output", detail="jq: error"), "log", *[step("retry", detail=AGAIN)] * 2, "log_resolution")),
        ("ER-JQ-01", jq(retry=None)),
        ("ER-JQ-01", jq(outcome="failed")),
        ("ER-JQ-01", jq(facts=FAILS, ok=False)),
        ("ER-JQ-01", jq(facts=FAILS, outcome="failed")),
        ("ER-JQ-01", jq(step("capture_output", detail="jq: error"), "log", step("retry", detail=AGAIN, ok=False),
                        "log_resolution", facts=FAILS, outcome="failed")),
        ("ER-JQ-01", jq(context=CONTEXT)),
        ("ER-JQ-02", jq(retry=COMMAND)),
        ("ER-JQ-02", jq(facts={**JQ, "command": "jq '.a == \"!=\"' x"}, retry="jq '.a == \"==\"' x")),
        ("ER-JQ-02", jq(facts={**JQ, "command": AGAIN}, retry=COMMAND)),
        ("ER-JQ-02", jq(facts={**JQ, "command": "jq '.a == 1' x"}, retry="jq '.a == 1 | not' x")),
    ], ids=range(14))  # fmt: skip
    def test_what_is_done_wrong_fails_its_clause(self, clause, day):
        assert {clause} == failing(day)

    def test_a_filter_that_nobody_understands_is_not_judged(self):
        assert "ER-JQ-02" not in found(jq(retry="""jq '.[] | select("x" == .a | not)' state.json"""))

    def test_a_filter_without_the_comparison_may_be_run_again_or_not(self):
        facts = {**JQ, "command": "jq '.a == 1' x"}
        assert PASS is found(jq(facts=facts, retry="jq '.a == 1' x"))["ER-JQ-02"].verdict
        assert set() == failing(jq(facts=facts, retry=None, outcome="failed"))


BOTH = 'select(.a != "x" and .b == 1)'
PLAIN, OWN, EITHER, NONE = ("plain",), ("parenthesised",), ("plain", "parenthesised"), ()
FILTERS = [
    ('select(.a != "x")', 'select(.a == "x" | not)', PLAIN),
    ('select(.a != "x")', 'select((.a == "x") | not)', OWN),
    ('select(.a != "x")', 'select(.a == "x")', NONE),
    ('select(.a != "x")', 'select(.a != "x")', NONE),
    ('select(.a != "x")', 'select(.a == "y" | not)', NONE),
    ('select(.a != "x")', '(select(.a == "x") | not)', NONE),
    ('select(.a != "x")', 'select(.a == "x" | not | not)', NONE),
    ('select(.a \\!= "x")', 'select(.a == "x" | not)', PLAIN),
    ('select(.a != "x" and .b)', 'select(.a == "x" | not and .b)', NONE),
    ('select(.a != "x" and .b)', 'select(.a == "x" and .b | not)', NONE),
    ('select(.a != "x" and .b)', 'select((.a == "x" | not) and .b)', EITHER),
    ('select(.a != "!=" and .b != 1)', 'select((.a == "!=" | not) and (.b == 1 | not))', EITHER),
    ("map(.a | length != 0)", "map(.a | length == 0 | not)", PLAIN),
    ("map(.a | length != 0)", "map(.a | length == (0 | not))", NONE),
    (".a != 1, .b", ".a == 1 | not, .b", NONE),
    (".a != 1 | not", ".a == 1 | not | not", PLAIN),
    ("(.a|f) != (.b|f)", "(.a|f) == (.b|f) | not", PLAIN),
    ("if .a != 1 then .b == 2 else 3 end", "if .a == 1 | not then .b == 2 else 3 end", PLAIN),
    ("if .a != 1 then .b == 2 else 3 end", "if .a == 1 then .b == 2 | not else 3 end", NONE),
    ('jq ".[] | select(.a != \\"x\\")" f', "jq '.[] | select(.a == \"x\" | not)' f", PLAIN),
    ('/usr/bin/jq ".a != \\(1)" f', 'jq ".a == \\(1) | not" f', PLAIN),
    ("jq .a!=1 f", "jq .a==1|not f", NONE),
    (BOTH, 'select(.a == "x" | not) | select(.b == 1)', EITHER),
    (BOTH, 'select(.a == "x") | select(.b == 1 | not)', NONE),
    (BOTH, 'select(.a == "x" | not)', NONE),
    (BOTH, 'select(.b == 1 and (.a == "x" | not))', None),
    (BOTH, '(.a == "x" or .b != 1) | not', NONE),
    ('select(.a != "x" or .b)', 'select(.a == "x" | not) | select(.b)', None),
    ('select(.a != "x")', 'select("x" == .a | not)', None),
    ('select(.a != "x")', 'select(.a | . == "x" | not)', None),
    ("jq 'select(.a != \"x\")' f", "jq --arg v x 'select(.a == $v | not)' f", None),
    ("jq 'select(.a != \"x\")' f", "jq -f /tmp/filter f", None),
]


@pytest.mark.parametrize(("before", "after", "left"), FILTERS, ids=range(len(FILTERS)))
def test_a_filter_is_written_anew_so_that_it_says_the_same(before, after, left):
    assert left == jq_readings(before, after)


def test_a_text_is_no_comparison():
    assert (0, 1, 2) == (negations('select(.a == "!=")'), negations(".a != 1"), negations(".a != 1 or .b != 2"))
