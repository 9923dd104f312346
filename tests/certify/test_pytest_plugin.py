"""The fixture that other people's tests use. Source: harness/pytest_plugin.py."""

from types import SimpleNamespace

import pytest

from harness.certify import engine
from harness.core.verdict import Outcome
from harness.errors import FileFormatError, HarnessFault
from harness.pytest_plugin import certified


@pytest.fixture
def target(tmp_path):
    (tmp_path / "hook.sh").write_text("exit 0\n")
    path = tmp_path / "target.yaml"
    path.write_text("name: mine\ncarrier: hook\ncommand: [sh, hook.sh]\ntimeout_s: 1\nmax_blocks: 2\n")
    return path


def test_the_fixture_gives_the_verdict_of_a_run(windtunnel_certify, target, monkeypatch):
    kept = tuple(s for s in engine.corpus.scenarios("stop_gate") if s.id in ("hook-calm", "hook-transcript-fifo"))
    monkeypatch.setattr(engine.corpus, "scenarios", lambda system: kept)
    end = windtunnel_certify(target)
    assert (Outcome.INCONCLUSIVE, 5, 2) == (end.outcome, end.exit_code, end.counts["scenarios"])


def test_a_target_file_that_is_none_is_an_error_of_the_test(tmp_path):
    (tmp_path / "target.yaml").write_text("[]")
    with pytest.raises(FileFormatError, match="is no target file"):
        certified(tmp_path / "target.yaml")


def test_what_cannot_be_tested_is_an_outcome(windtunnel_certify, target):
    (target.parent / "hook.sh").write_text("exit 7\n")
    assert Outcome.UNTESTABLE is windtunnel_certify(str(target)).outcome


def test_a_run_without_a_verdict_is_a_fault_of_ours(target, monkeypatch):
    monkeypatch.setattr(engine, "Engine", lambda plan, shards: SimpleNamespace(run=lambda: iter(())))
    with pytest.raises(HarnessFault, match="without its verdict"):
        certified(target)


def test_the_plugin_is_registered_for_everybody_who_installs_windtunnel(pytestconfig):
    assert pytestconfig.pluginmanager.hasplugin("windtunnel")
