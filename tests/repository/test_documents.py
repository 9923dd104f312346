"""What the documents say to type exists, and what is generated is up to date. Source: issue 2; ARCHITECTURE.md."""

import re
import shlex
from pathlib import Path

import click
import jsonschema
import msgspec
import pytest
import yaml

from harness.certify import corpus, materialise
from harness.cli import COMMANDS, group
from harness.qualify import materialise as qualified
from harness.systems import registry

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "examples").rglob("*.md"),
    *(ROOT / "tests").glob("*.md"),
]
PAGES += (ROOT / "benchmarks").rglob("*.md")
INSTALLED = {"node_modules", ".venv"}  # beside the adapters; pages of other people
PAGES = [page for page in PAGES if not INSTALLED & set(page.parts)]
BLOCK = re.compile(r"^```(?:sh|console|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def typed():
    """Every ``windtunnel`` command line in a block of commands, or in a code span, of a page."""
    for page in PAGES:
        text = page.read_text("utf-8")
        lines = [line for block in BLOCK.findall(text) for line in block.splitlines()]
        lines += re.findall(r"`(windtunnel [^`]+)`", text)
        for line in lines:
            for part in re.split(r"&&|\|(?=\s)|;", line.partition(" #")[0].removeprefix("$ ")):
                words = shlex.split(part) if "windtunnel" in part else []
                if words and Path(words[0]).name == "windtunnel" and len(words) > 1:
                    yield pytest.param(words[1:], id=f"{page.relative_to(ROOT)}: {' '.join(words)}")


@pytest.mark.parametrize("words", list(typed()))
def test_a_command_line_in_a_document_is_one_that_windtunnel_knows(words):
    name, *rest = words
    if name.startswith("-") or name.isupper() or name == "...":
        return
    assert name in COMMANDS
    command = group.get_command(click.Context(group), name)
    if isinstance(command, click.Group):
        command = command.commands[rest[0]]
    known = {flag for parameter in command.params if isinstance(parameter, click.Option) for flag in parameter.opts}
    ours = rest[: rest.index("--")] if "--" in rest else rest
    assert set() == {word.partition("=")[0] for word in ours if word.startswith("-")} - known - {"--help", "-h"}


def test_the_documents_show_how_to_certify_replay_and_explain():
    shown = {parameter.values[0][0] for parameter in typed()}
    assert {"certify", "replay", "explain", "doctor", "qualify"} <= shown


def test_links_between_documents_lead_somewhere():
    links = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in PAGES
        for target in links.findall(page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert [] == broken


GENERATED = materialise.documents()
FEW = ("rate_limit", "fallback")  # systems with few scenarios: test_corpus compares those of every one


@pytest.mark.parametrize("path", GENERATED)
def test_a_generated_file_is_up_to_date(path):
    """When red: `python -m harness.certify.materialise`, and look at the difference."""
    assert (ROOT / path).read_text("utf-8") == GENERATED[path]


def test_no_schema_is_left_that_nothing_generates():
    on_disk = {str(path.relative_to(ROOT)) for path in (ROOT / "docs" / "schemas").iterdir()}
    others = {str(qualified.PLACE / name) for name in qualified.schemas()}
    assert set() == on_disk - set(GENERATED) - others


def test_generating_writes_what_is_missing_and_takes_away_what_is_not_generated(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "NAMES", FEW)
    stale = tmp_path / "scenarios" / "rate_limit" / "stale.yaml"
    stale.parent.mkdir(parents=True)
    stale.write_text("")
    generated = materialise.generated()
    assert set(FEW) == {path.split("/")[1] for path in generated if path.startswith("scenarios/")}
    assert len(generated) == materialise.write(tmp_path)
    written = {
        str(path.relative_to(tmp_path)): path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file()
    }
    assert generated == written


def schema(name):
    found = msgspec.json.decode((ROOT / "docs" / "schemas" / f"{name}.schema.json").read_bytes())
    validator = jsonschema.validators.validator_for(found)
    validator.check_schema(found)
    return validator(found)


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "schemas").iterdir()), ids=lambda path: path.name)
def test_a_published_schema_is_a_schema(path):
    assert schema(path.name.partition(".")[0])


def test_the_scenario_files_keep_to_the_published_schema():
    validator = schema("scenario")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for path in sorted((corpus.directory() / "stop_gate").rglob("*.yaml")):
        errors = [error.message for error in validator.iter_errors(yaml.load(path.read_bytes(), Loader=loader))]
        assert [] == errors, path.name


def test_the_target_files_of_the_examples_keep_to_the_published_schema():
    validator = schema("target")
    for path in (ROOT / "examples").rglob("target.yaml"):
        assert [] == [error.message for error in validator.iter_errors(yaml.safe_load(path.read_text()))], path
    assert list(validator.iter_errors({"name": "x", "carrier": "hook", "comand": []}))


def test_every_clause_stands_in_the_list_of_clauses():
    page = (ROOT / "docs" / "clauses.md").read_text("utf-8")
    for system in registry.every():
        assert [] == [clause.id for clause in system.catalogue if f"| {clause.id} |" not in page]
