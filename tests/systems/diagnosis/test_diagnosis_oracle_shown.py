"""The text of the next reflection and the one for the user: DR-PRM-01 and DR-UI-01."""

import pytest
from handmade_diagnosis import FAIL, PASS, SECOND, Story, a_diagnosis, a_plan, a_prompt, a_report

from harness.systems.diagnosis.oracle.wording import Text

DOCUMENT = """Previous iteration failed. Diagnostic analysis:

Root Cause: git binary not installed in container (confidence: 0.95)

Why it happened:
1. Shell command 'git clone' failed with exit code 127
2. Binary 'git' not found in container PATH
3. Agent assumed git would be available without checking
4. No fallback strategy prepared
5. Missing tool capability introspection

Recommended Recovery (Priority 1):
Strategy: curl_download_and_extract (confidence: 0.9)
Steps:
  1. Download tarball: curl -L https://github.com/.../main.tar.gz -o repo.tar.gz
  2. Extract: tar -xzf repo.tar.gz
  3. Verify: read_dir ./forgekeeper-main

Alternatives if curl fails:
  - Manual HTTP download via write_file
  - Ask user to install git or provide alternative

Pattern to learn: When git unavailable, use curl + tar for GitHub repos"""


def prompted(text):
    return Story().failure().prompt(text=text)


def test_the_prompt_of_the_document_is_one():
    assert PASS == prompted(DOCUMENT).verdict("DR-PRM-01")


@pytest.mark.parametrize(
    ("part", "instead"),
    [
        ("Root Cause: git binary not installed in container", "Root Cause: nobody knows"),
        (" (confidence: 0.95)", ""),
        ("1. Shell command", "Shell command"),
        ("3. Agent assumed git would be available without checking", "3. Somebody did a thing"),
        ("4. No fallback strategy prepared\n", ""),
        ("2. Binary", "3. Binary"),
        ("Strategy: curl_download_and_extract", "Strategy: another_one"),
        (" (confidence: 0.9)", ""),
        ("  1. Download tarball: curl -L https://github.com/.../main.tar.gz -o repo.tar.gz", ""),
        ("  2. Extract: tar -xzf repo.tar.gz", "  - Extract: tar -xzf repo.tar.gz"),
        ("  - Manual HTTP download via write_file", ""),
        ("  - Ask user to install git or provide alternative", ""),
        ("Pattern to learn: When git unavailable, use curl + tar for GitHub repos", "Pattern to learn: none"),
    ],
)
def test_a_prompt_that_leaves_something_out_breaks_its_clause(part, instead):
    assert part in DOCUMENT
    assert FAIL == prompted(DOCUMENT.replace(part, instead)).verdict("DR-PRM-01")


def test_whys_in_another_order_break_the_clause():
    lines = a_prompt(a_diagnosis()).splitlines()
    lines[3], lines[4] = lines[4], lines[3]
    assert FAIL == prompted("\n".join(lines)).verdict("DR-PRM-01")


def test_confidences_may_be_told_in_per_cent():
    text = DOCUMENT.replace("0.95", "95 %").replace("0.9)", "90%)")
    assert PASS == prompted(text).verdict("DR-PRM-01")


def test_a_prompt_that_is_not_answered_breaks_the_clause():
    assert FAIL == Story().failure().prompt(answer=None).verdict("DR-PRM-01")
    assert FAIL == prompted("").verdict("DR-PRM-01")


def test_whys_that_were_not_asked_may_be_left_out():
    story = Story(flags={"AUTONOMOUS_DIAGNOSTIC_WHY_DEPTH": "1"})
    whys = {f"whyChain__why{n}": "Not asked: the depth is 1" for n in (2, 3, 4, 5)}
    made = a_diagnosis(**whys)
    text = "\n".join(line for line in a_prompt(made).splitlines() if "Not asked" not in line)
    story.failure(diagnosis=made).prompt(text=text)
    assert (PASS, PASS) == (story.verdict("DR-PRM-01"), story.verdict("DR-CFG-02"))


def test_a_prompt_of_a_diagnosis_that_is_not_complete_is_not_judged():
    assert None is Story().failure(diagnosis=a_diagnosis(whyChain=None)).prompt(text="").finding("DR-PRM-01")


def test_a_diagnosis_without_a_plan_has_none_to_show():
    made = a_diagnosis(recoveryPlan=None, errorClassification__canRecover=False)
    text = "\n".join([a_prompt(a_diagnosis()), "curl_download_and_extract"])
    assert PASS == Story().failure(diagnosis=made).prompt(text=text).verdict("DR-PRM-01")


def test_a_strategy_that_is_no_alternative_has_no_confidence_to_show():
    made = a_diagnosis(recoveryPlan=a_plan("unheard_of"))
    text = f"{a_prompt(made)}\n  - {made['alternatives'][0]['description']}"
    assert PASS == Story().failure(diagnosis=made).prompt(text=text).verdict("DR-PRM-01")


def reported(*lines):
    """A report after one recovery that failed and one that worked."""
    story = Story().failure().outcome(success=False, more={"next_plan": SECOND})
    story.outcome(strategy="manual_http_download")
    return story.report(text=a_report(story.made["c1"], *lines))


def test_a_report_tells_of_each_recovery_and_its_outcome():
    assert PASS == Story().failure().report().verdict("DR-UI-01")
    assert PASS == reported("curl download and extract - failed", "manual_http_download: SUCCESS").verdict("DR-UI-01")
    below = ("curl_download_and_extract", "  did not work", "manual_http_download", "  \u2713")
    assert PASS == reported(*below).verdict("DR-UI-01")


@pytest.mark.parametrize(
    "lines",
    [
        (),
        ("curl_download_and_extract failed",),
        ("manual_http_download worked",),
        ("curl_download_and_extract", "manual_http_download"),
        ("curl_download_and_extract worked", "manual_http_download worked"),
    ],
)
def test_a_report_without_an_outcome_breaks_the_clause(lines):
    assert FAIL == reported(*lines).verdict("DR-UI-01")


@pytest.mark.parametrize("line", [0, 1, 5])
def test_a_report_without_the_cause_or_a_why_breaks_the_clause(line):
    lines = a_report(a_diagnosis()).splitlines()
    del lines[line]
    assert FAIL == Story().failure().report(text="\n".join(lines)).verdict("DR-UI-01")


def test_a_report_that_is_not_answered_breaks_the_clause():
    assert FAIL == Story().failure().report(answer=None).verdict("DR-UI-01")


def test_an_outcome_of_a_strategy_nobody_named_is_not_looked_for():
    story = Story().failure().outcome(answer={"strategy": None})
    assert PASS == story.report().verdict("DR-UI-01")


def test_a_text_says_what_a_third_of_the_words_say_in_one_line():
    assert Text("the curl tool").says("use curl today")
    assert not Text("the\ntool").says("use curl today")
    assert not Text("").says("a b")
    assert not Text("x").says("?? !!")
    assert Text("is it ?? !!").says("?? !!")
