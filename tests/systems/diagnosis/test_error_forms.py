"""The reference takes every form of error of the table for its type, and its cost grows with the text's length only."""

import time
from pathlib import Path

import pytest
import yaml

from harness.systems.diagnosis.contract import ObserveArguments
from harness.systems.diagnosis.reference.error_lines import last_words, own_words
from harness.systems.diagnosis.reference.reading import Reading
from harness.systems.diagnosis.reference.taxonomy import Taxonomy

FORMS = yaml.load(Path(__file__).with_name("error_forms.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
# GNU's words for a malformed parameter and for malformed input are the same.
NOT_TOLD_APART = {("unknown", "base64: invalid input"): "invalid_arguments"}
# perl prints the errno only: a program that is missing, and a file, read the same.
NOT_TOLD_APART["command_not_found", "exec: No such file or directory at -e line 1."] = "unknown"
HALF = 4096


def kind_of(form):
    where = form.get("where", "stderr")
    error = {"message": f"Command failed: exit code {form.get('code')}", "code": form.get("code"), where: form["text"]}
    return kind(error)


def kind(error, tool="run_bash"):
    arguments = ObserveArguments("call", tool, {}, False, error, {})
    return Taxonomy().kind(Reading().failure(arguments))[0].value


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_of_its_type(name):
    found = {(name, form["text"]): kind_of(form) for form in FORMS[name]}
    wrong = {key: said for key, said in found.items() if said != name}
    assert {key: said for key, said in NOT_TOLD_APART.items() if key[0] == name} == wrong


@pytest.mark.parametrize("name", FORMS)
def test_colours_do_not_change_the_type(name):
    wrong = [
        form["text"]
        for form in FORMS[name][:20]
        if kind_of(form) != kind_of(form | {"text": f"\x1b[31m{form['text']}\x1b[0m"})
    ]
    assert [] == wrong


def test_quoted_source_is_not_what_the_error_says():
    text = (
        'File "a.py", line 3\n    raise PermissionError("permission denied"\n         ^\nSyntaxError: was never closed'
    )
    assert 'File "a.py", line 3\nSyntaxError: was never closed' == own_words(text)


def test_the_last_traceback_is_what_counts():
    first = "Traceback (most recent call last):\nKeyError: 'a'\n"
    assert "ValueError: b" == last_words(
        f"{first}During handling:\nTraceback (most recent call last):\n  x\nValueError: b"
    )


@pytest.mark.parametrize("part", ["\n", " \n", " ", "a.", "A::", '"', "^\n", "| a\n", "not ", "could not find ", "x: "])
def test_cost_is_not_quadratic(part):
    def seconds(length):
        error = {"message": "failed", "code": 1, "stderr": (part * length)[:length]}
        begun = time.process_time()
        kind(error)
        return time.process_time() - begun

    kind({"message": "patterns are compiled", "stderr": part})
    assert min(seconds(2 * HALF) for _ in range(3)) < 4 * min(seconds(HALF) for _ in range(3)) + 0.02
