"""What a model is told of the failure and its context: DR-IN-01 to DR-IN-04."""

import pytest
from handmade_diagnosis import FAIL, INCONCLUSIVE, PASS, Story, a_context, a_diagnosis, a_failure

ERROR = a_failure("It did not work", code=91, stdout="cloning ...", stderr='fatal: "x"\nno route', signal="SIGPIPE")
TOLD = (
    'shell git clone x It did not work 91 cloning ... fatal: "x" no route SIGPIPE '
    "run_bash write_file shell notes.md src Clone the repository"
)
ACTIONS = [
    {"tool": f"tool_{n}", "args": {"path": f"place-{n}"}, "result": f"the result number {n}", "success": n % 2 == 0}
    for n in range(5)
]
LAST = " ".join(f"tool_{n} place-{n} the result number {n}" for n in (2, 3, 4))


def asked(text, error=None, **context):
    """A failure about which a model was asked that."""
    return Story().failure(error=error or ERROR, context=a_context(**context), model=[{"prompt": text}])


def test_everything_that_was_given_is_told():
    story = asked(TOLD)
    assert (PASS, PASS) == (story.verdict("DR-IN-01"), story.verdict("DR-IN-02"))
    assert None is story.finding("DR-IN-03")


@pytest.mark.parametrize(
    "word", ["shell git", "git clone x", "It did not work", "91", "cloning ...", 'fatal: "x" no route', "SIGPIPE"]
)
def test_what_is_left_out_of_the_failure_breaks_in_01(word):
    kept = TOLD.replace(word, "")
    text = kept.replace("shell", "") if word == "shell git" else kept
    assert FAIL == asked(text, availableTools=[]).verdict("DR-IN-01")


@pytest.mark.parametrize("word", ["write_file", "notes.md", "src", "Clone the repository"])
def test_what_is_left_out_of_the_context_breaks_in_02(word):
    assert FAIL == asked(TOLD.replace(word, "")).verdict("DR-IN-02")


@pytest.mark.parametrize(
    "text",
    [
        TOLD.replace('fatal: "x" no route', 'fatal: \\"x\\"\\nno route'),
        TOLD.replace('fatal: "x" no route', 'fatal: "x"\n    no route'),
        TOLD.replace(" 91 ", " (exit code 91) "),
        TOLD.replace(" 91 ", " code=91, "),
        TOLD.replace(" 91 ", " code 91. "),
    ],
    ids=["escaped", "indented", "in-brackets", "assigned", "end-of-sentence"],
)
def test_in_what_form_it_is_told_does_not_matter(text):
    assert PASS == asked(text).verdict("DR-IN-01")


@pytest.mark.parametrize("text", [TOLD.replace(" 91 ", " 191 "), TOLD.replace(" 91 ", " 91.5 ")])
def test_another_number_is_not_the_code(text):
    assert FAIL == asked(text).verdict("DR-IN-01")


def test_several_prompts_tell_together():
    story = Story().failure(error=ERROR, model=[{"prompt": TOLD[:60]}, {"prompt": TOLD[60:]}, {"prompt": TOLD[40:80]}])
    assert PASS == story.verdict("DR-IN-01")


def test_a_code_that_is_a_text_may_be_left_out():
    error = {"message": "It did not work", "code": "EACCES", "signal": None}
    text = TOLD.replace("91", "")
    assert ("numbers",) == asked(text, error).readings("DR-IN-01")
    assert ("numbers_and_texts",) == asked(f"{text} EACCES", error).readings("DR-IN-01")
    assert FAIL == asked(text.replace("clone x", ""), error).verdict("DR-IN-01")


def test_of_a_long_text_the_beginning_or_the_end_is_enough():
    error = a_failure("It did not work", code=91, stdout="s" * 90 + "m" * 5000 + "e" * 90, stderr="")
    assert PASS == asked(f"{TOLD} {'s' * 90} ...", error).verdict("DR-IN-01")
    assert PASS == asked(f"{TOLD} ... {'e' * 90}", error).verdict("DR-IN-01")
    assert FAIL == asked(f"{TOLD} ... {'m' * 90}", error).verdict("DR-IN-01")


def test_a_long_list_may_be_cut():
    files = [f"file-{n}.txt" for n in range(21)]
    assert PASS == asked(TOLD, workspaceState={"files": files, "directories": ["src"]}).verdict("DR-IN-02")
    assert FAIL == asked(TOLD, workspaceState={"files": files[:20], "directories": ["src"]}).verdict("DR-IN-02")


@pytest.mark.parametrize(
    ("args", "told", "verdict"),
    [
        ({"n": 3, "deep": [{"x": 2.5}], "no": None, "yes": True}, "3 2.5", PASS),
        ({"n": 3.0}, "3", PASS),
        ({"n": 3.0}, "3.0", PASS),
        ({"n": 1e21}, "1e+21", PASS),
        ({"n": 3}, "4", FAIL),
        ({"blank": "  "}, "", PASS),
    ],
)
def test_of_the_arguments_each_text_and_number_is_told(args, told, verdict):
    story = Story().failure(error={"message": "no way"}, args=args, model=[{"prompt": f"shell no way {told}"}])
    assert verdict == story.verdict("DR-IN-01")


def test_of_the_previous_actions_the_last_three_are_told():
    assert ("three",) == asked(f"{TOLD} {LAST}", previousActions=ACTIONS).readings("DR-IN-03")
    assert PASS == asked(f"{TOLD} {LAST}", previousActions=ACTIONS[2:]).verdict("DR-IN-03")


@pytest.mark.parametrize("word", ["tool_2", "place-3", "the result number 4"])
def test_an_action_that_is_not_told_breaks_in_03(word):
    assert FAIL == asked(f"{TOLD} {LAST.replace(word, '')}", previousActions=ACTIONS).verdict("DR-IN-03")


def test_a_fourth_action_that_is_told_breaks_in_03():
    assert FAIL == asked(f"{TOLD} {LAST} the result number 1", previousActions=ACTIONS).verdict("DR-IN-03")


def test_what_stands_in_another_place_too_is_no_fourth_action():
    actions = [{**ACTIONS[0], "result": "ok"}, {**ACTIONS[1], "result": "It did not work"}, *ACTIONS[2:]]
    assert PASS == asked(f"{TOLD} {LAST} ok", previousActions=actions).verdict("DR-IN-03")


def test_where_no_model_was_asked_nothing_is_established():
    story = Story(("DR-IN-01",)).failure(error=ERROR)
    assert INCONCLUSIVE == story.verdict("DR-IN-01")
    assert None is Story().failure(model=[{"prompt": 3}, "no"]).finding("DR-IN-02")


HOSTILE = {
    "no-error": {"error": []},
    "no-message": {"error": {"code": 3}},
    "blank-message": {"error": {"message": " "}},
    "numeric-message": {"error": {"message": 3}},
    "list-code": {"error": {"message": "a", "code": []}},
    "true-code": {"error": {"message": "a", "code": True}},
    "numeric-stderr": {"error": {"message": "a", "stderr": 3}},
    "no-tool": {"tool": ""},
    "list-args": {"args": []},
    "huge": {"error": {"message": "a" * 70_000}},
    "huge-integer": {"error": {"message": "a", "code": 10**30}},
    "no-context": {"context": []},
    "text-iteration": {"context": a_context("2")},
    "true-iteration": {"context": a_context(True)},
    "no-goal": {"context": a_context(taskGoal=None)},
    "no-tools": {"context": a_context(availableTools="all")},
    "no-state": {"context": a_context(workspaceState=[])},
    "no-files": {"context": a_context(workspaceState={"files": [1], "directories": []})},
    "no-actions": {"context": a_context(previousActions={})},
    "odd-action": {"context": a_context(previousActions=["a"])},
    "object-result": {"context": a_context(previousActions=[{"tool": "a", "result": {}}])},
}


@pytest.mark.parametrize("shape", HOSTILE)
def test_whatever_the_shape_the_diagnosis_is_complete(shape):
    finding = Story().failure(diagnosis=a_diagnosis(iteration=2), **HOSTILE[shape]).finding("DR-IN-04")
    assert (PASS, ("complete",)) == (finding.verdict, finding.readings)
    assert FAIL == Story().failure(diagnosis=None, **HOSTILE[shape]).verdict("DR-IN-04")
    assert FAIL == Story().failure(answer=None, **HOSTILE[shape]).verdict("DR-IN-04")


def test_a_deep_failure_is_a_hostile_one():
    deep = {}
    for _ in range(40):
        deep = {"a": deep}
    assert PASS == Story().failure(args=deep).verdict("DR-IN-04")


def test_where_the_reflection_may_be_off_nothing_is_said_of_shapes():
    story = Story(flags={"AUTONOMOUS_DIAGNOSTIC_REFLECTION_ENABLED": "0"}).failure(error=[], answer=None)
    assert None is story.finding("DR-IN-04")


def test_a_well_formed_failure_is_none_of_another_shape():
    assert None is Story().failure().finding("DR-IN-04")
