"""Certified runs, and what somebody who cheats does to what is left of them."""

import json
import shutil

import msgspec
import pytest

from harness.certify import closing
from harness.report.certificate import Certificate
from harness.report.verifying import verified


@pytest.fixture(scope="module")
def issued(tmp_path_factory, request):
    """The report of a run that was certified, by a harness that is taken to be qualified."""
    from harness.cli import main

    report = tmp_path_factory.mktemp("issued")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(closing, "why_not", lambda names: "")
        code = main(["certify", "reference", "--system", "rate_limit", "--level", getattr(request, "param", "L1"),
                     "--cases", "3", "--report", str(report)])  # fmt: skip
    assert 0 == code
    return report


@pytest.fixture
def qualified_harness(monkeypatch):
    """The harness counts as qualified for every system."""
    monkeypatch.setattr(closing, "why_not", lambda names: "")


@pytest.fixture
def report(issued, tmp_path, qualified_harness):
    """A copy of it that a test may spoil."""
    return shutil.copytree(issued, tmp_path / "report")


def steps(report, evidence=None):
    return {step.name: step.ok for step in verified(report / "certificate.json", evidence)}


def changed(report, change):
    path = report / "certificate.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def ours(content):
    return content["predicate"]["windtunnel"]


def resealed(report, lines):
    """The events changed, and the certificate told of it: only what follows from the histories is left to notice."""
    import hashlib

    data = b"\n".join(lines) + b"\n"
    (report / "events.jsonl").write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()

    def change(content):
        ours(content)["evidence"].update(sha256=digest, bytes=len(data))
        content["predicate"]["configuration"][1]["digest"].update(sha256=digest)

    changed(report, change)


def without(lines, change):
    """The lines with those of scenarios changed, and a footer that was made to fit, as somebody who cheats would."""
    from harness.certify import events
    from harness.certify.rejudging import finished_again, stored

    found = [events.decode(line) for line in lines]
    kept = [each for each in map(change, found) if each is not None]
    run = stored(kept)
    told = msgspec.structs.replace(finished_again(run), digest=run.finished.digest)
    return [events.encode(each).rstrip(b"\n") for each in (*kept[:-1], told)], told


def finished_as(report, **changes):
    """The footer says that instead, and the certificate with it."""
    from harness.certify import events
    from harness.certify.rejudging import stored
    from harness.report import certificate

    lines = (report / "events.jsonl").read_bytes().splitlines()
    run = stored([events.decode(line) for line in lines])
    told = msgspec.structs.replace(run.finished, **changes)
    resealed(report, [*lines[:-1], events.encode(told).rstrip(b"\n")])
    found = msgspec.json.decode((report / "certificate.json").read_bytes(), type=Certificate).predicate.windtunnel
    made = certificate.certificate(run.started, list(run.met), told, found.evidence)
    (report / "certificate.json").write_bytes(msgspec.json.encode(made))
