"""Same implementation, suite, seed and scope: the same verdicts and the same digest. Source: CERTIFICATION.md."""

import json

import pytest

SELECTION = ("--clause", "PS-TR-07", "--cases", "0")


def certified(windtunnel, report, *words):
    ran = windtunnel("certify", *words, "--report", report)
    found = json.loads((report / "result.json").read_text())
    return ran, found


@pytest.fixture
def twice(windtunnel, tmp_path):
    def run(first, second):
        return [certified(windtunnel, tmp_path / name, *words)[1] for name, words in (("a", first), ("b", second))]

    return run


def test_the_reference_has_one_digest_a_seed_whatever_the_jobs(twice, windtunnel, tmp_path):
    one, four = twice(("reference", *SELECTION, "--jobs", "1"), ("reference", *SELECTION, "--jobs", "4"))
    assert one == four
    assert 64 == len(one["digest"])
    other = certified(windtunnel, tmp_path / "c", "reference", *SELECTION, "--seed", "1")[1]
    assert one["digest"] != other["digest"]


def test_a_search_with_the_same_seed_runs_the_same_cases(twice):
    words = ("reference", "--clause", "PS-TR-07", "--cases", "4", "--seed", "7")
    one, two = twice((*words, "--jobs", "1"), (*words, "--jobs", "3"))
    assert one == two
