"""A plan of shell commands: what may stand in it, and what is said of what may not. Source: issue 10; document 003."""

import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from harness.errors import FileFormatError
from harness.runtime.shell_plan import argv_of, parse, schema, table
from harness.systems.phase_runner.contract.words import Gate
from harness.systems.phase_runner.reference.plan import PlanReader

PLAN = """
name: a release
phases:
  - {id: Phase 1-A, title: "Build | it", run: make, verify: make test}
  - {id: 2, after: [phase 1a], run: [cp, a b, c], verify: {lint: ruff check, test: pytest}}
"""


ROOT = Path(__file__).parents[2]


def plan_with(**fields):
    phase = {"id": "a", "run": "true", "verify": "true"} | fields
    return yaml.safe_dump({"name": "p", "phases": [{k: v for k, v in phase.items() if v is not ...}]}).encode()


def plan_of(**after):
    phases = [{"id": id_, "run": "true", "verify": "true", "after": needed} for id_, needed in after.items()]
    return yaml.safe_dump({"name": "p", "phases": phases}).encode()


def test_a_text_is_run_by_the_shell_and_a_list_as_it_is():
    first, second = parse(PLAN.encode(), "plan").phases
    assert ("sh", "-c", "make") == argv_of(first.run)
    assert ("cp", "a b", "c") == argv_of(second.run)


def test_one_verification_is_the_gate_of_tests():
    first, second = parse(PLAN.encode(), "plan").phases
    assert {Gate.TEST: "make test"} == first.gates
    assert {Gate.LINT: "ruff check", Gate.TEST: "pytest"} == second.gates


def test_the_table_is_read_by_the_phase_runner_as_it_is_meant():
    first, second = PlanReader().phases(table(parse(PLAN.encode(), "plan")))
    assert ("1a", "Build | it", ()) == first[:3]
    assert ("2", "2", ("1a",)) == second[:3]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"name: [", "plan.yaml is no YAML: "),
        (b"- a", "plan.yaml is no plan: Expected `object`, got `array`"),
        (b"name: p", "missing required field `phases`"),
        (b"name: p\nphases: []", "Expected `array` of length >= 1 - at `$.phases`"),
        (b"name: ../x\nphases: []", "at `$.name`"),
        (plan_with(verify=...), "missing required field `verify` - at `$.phases[0]`"),
        (plan_with(run=""), "at `$.phases[0].run`"),
        (plan_with(run=" "), "phase a has an empty command, which would always pass"),
        (plan_with(verify={}), "at `$.phases[0].verify`"),
        (plan_with(verify="\n"), "phase a has an empty command, which would always pass"),
        (plan_with(verify={"tests": "true"}), "Invalid enum value 'tests'"),
        (plan_with(verify=[""]), "phase a has a command that no system can run"),
        (plan_with(run="a\0b"), "phase a has a command that no system can run"),
        (plan_with(timeout_s=0), "Expected `float` > 0.0 - at `$.phases[0].timeout_s`"),
        (plan_with(timeout_s=float("nan")), "timeout_s"),
        (plan_with(timeout_s=1e9), "Expected `float` <= 604800.0"),
        (plan_with(id="phase"), "the id 'phase' has no letter and no digit"),
        (plan_with(id="a/b"), "at `$.phases[0].id`"),
        (plan_with(veriffy="x"), "there is no key 'veriffy' in phases[0]; did you mean 'verify'?"),
        (plan_with(zzz="x"), "there is no key 'zzz' in phases[0]; known keys: id, run, verify, "),
        (b"name: p\nphase: []", "there is no key 'phase'; did you mean 'phases'?"),
        (b"name: p\nenv: {A=B: c}\nphases: [{id: a, run: x, verify: y}]", "env has 'A=B', which no environment can"),
        (plan_of(a=["b"], bb=[]), "phase a comes after b, which is no phase; did you mean 'bb'?"),
        (plan_of(a=["zz"]), "phase a comes after zz, which is no phase; there are: a"),
        (plan_of(a=["a"]), "the phases a -> a wait for each other"),
        (plan_of(a=["c"], b=["a"], c=["b"]), "wait for each other, so none can begin; take one out of an `after`"),
        (plan_of(**{"2-a": [], "2A": []}), "the ids '2-a' and '2A' are the same, since case and punctuation do not"),
    ],
)
def test_what_is_wrong_with_a_plan_is_one_sentence(text, said):
    with pytest.raises(FileFormatError) as error:
        parse(text, "plan.yaml")
    assert said in str(error.value)
    assert str(error.value).startswith("plan.yaml")
    assert "\n" not in str(error.value)


def test_the_schema_takes_a_plan_and_refuses_a_misspelt_one():
    validator = jsonschema.Draft202012Validator(schema())
    assert [] == list(validator.iter_errors(yaml.safe_load(PLAN)))
    assert list(validator.iter_errors(yaml.safe_load(plan_with(veriffy="x"))))


def test_the_plans_that_are_shown_to_people_are_plans():
    (shown,) = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "agent-run.md").read_text(), re.DOTALL)
    validator = jsonschema.Draft202012Validator(schema())
    for text in (shown, *(path.read_text() for path in (ROOT / "examples" / "plans").glob("*.yaml"))):
        assert parse(text.encode(), "plan").phases
        assert [] == list(validator.iter_errors(yaml.safe_load(text)))
