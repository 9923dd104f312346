"""A scenario is all there is to a run: from its file, in another process, over another carrier, it goes the same way.

What is compared, and what is left out of that and why, stands in ``generated_histories``.
"""

import json
import subprocess
import sys
from pathlib import Path

import generated_histories
import pytest
from campaigns import sliced
from generated_histories import Told, digest, digests_of_files, generated, in_process, played, write

from harness.certify.reach import served_python
from harness.core.scenario import load
from harness.systems import registry
from harness.targets.slots import Slots

SEED = 20261125
PROGRAM = Path(generated_histories.__file__)
ROOT = PROGRAM.parents[2]


def shares(count):
    """So many in all, an equal share for each system."""
    names = registry.NAMES
    return {name: count // len(names) + (number < count % len(names)) for number, name in enumerate(names)}


def in_another_process(folder):
    words = [sys.executable, str(PROGRAM), str(folder)]
    path = f"{ROOT}:{ROOT / 'tests'}"
    done = subprocess.run(words, env={"PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


def over_stdio(folder, system):
    """What is compared of each scenario file of that folder, by id."""
    slots = Slots(1)
    with slots.held(), served_python(system, None, timeout_scale=1.0).open(slots) as session:
        found = {}
        for path in sorted(folder.glob("*.yaml")):
            scenario = load(path.read_bytes(), where=path.name)
            found[scenario.id] = played(scenario, system, session)[1]
        return found


def first_difference(mine, theirs, where=""):
    """Where two values part, for whoever reads a failure."""
    if isinstance(mine, list) and isinstance(theirs, list) and len(mine) == len(theirs):
        pairs = [(f"{where}[{n}]", *pair) for n, pair in enumerate(zip(mine, theirs, strict=True))]
    elif isinstance(mine, dict) and isinstance(theirs, dict) and mine.keys() == theirs.keys():
        pairs = [(f"{where}.{key}", mine[key], theirs[key]) for key in mine]
    else:
        return "" if mine == theirs else f"{where}: {mine!r} / {theirs!r}"
    return next(filter(None, (first_difference(one, other, place) for place, one, other in pairs)), "")


@pytest.mark.parametrize("count", sliced([24, 1000]))
def test_generated_scenarios_go_the_same_way_in_process_in_another_process_and_over_stdio(count, tmp_path):
    first, differ = {}, []
    for name, share in shares(count).items():
        system = registry.get(name)
        with in_process(system) as session:
            found = generated(system, share, SEED, session)
        write(tmp_path / name, (scenario for scenario, _ in found.values()))
        served = over_stdio(tmp_path / name, system)
        assert found.keys() == served.keys()
        for id_, (_, compared) in found.items():
            first[f"{name}/{id_}"] = digest(compared)
            if digest(served[id_]) != digest(compared):
                differ.append(
                    (name, id_, first_difference(json.loads(json.dumps(compared)), json.loads(json.dumps(served[id_]))))
                )
    assert count == len(first)
    assert [] == differ
    assert first == in_another_process(tmp_path)


def test_the_same_seed_generates_the_same_scenarios_and_another_seed_others():
    system = registry.get("rate_limit")
    with in_process(system) as session:
        one, again, other = (list(generated(system, 5, seed, session)) for seed in (1, 1, 2))
    assert one == again
    assert not set(one) & set(other)


class NoWorld:
    """A session without a world, as what ids are told by sees it."""

    def __init__(self):
        self.session = self

    def hide(self, text):
        return text


def told(*texts):
    tells = Told(NoWorld())
    return [tells.text(text) for text in texts]


@pytest.mark.parametrize(("texts", "same"), [
    (("err_17_abc123", "err_17_abc124"), True),
    (("unnamed-0123456789abcdef", "unnamed-0123456789abcdee"), True),
    (("diag_01KJMMA2G0D1BTS0CAMAZTAKQS", "diag_01KJMMA2G019MMTQEFEFM2Q5DN"), True),
    (("err_17_abc123", "err_18_abc123"), False),  # the time in an id is no chance
    (("err_17_abc123", "err_17_abc123x"), False),
])  # fmt: skip
def test_only_the_chance_in_an_id_is_left_out(texts, same):
    one, other = (told(text) for text in texts)
    assert same == (one == other)


def test_an_id_that_changes_within_a_history_is_seen():
    assert told("err_1_aaaaaa", "err_1_aaaaaa") != told("err_1_aaaaaa", "err_1_bbbbbb")


def test_a_file_that_a_reference_writes_otherwise_is_seen(tmp_path):
    """What is compared is no empty thing: another configuration gives another digest for the same steps."""
    system = registry.get("circuit_breaker")
    with in_process(system) as session:
        found = generated(system, 3, SEED, session)
        write(tmp_path / "one" / system.name, (scenario for scenario, _ in found.values()))
        before = digests_of_files(tmp_path / "one")
    assert before == {f"{system.name}/{id_}": digest(compared) for id_, (_, compared) in found.items()}
    path = next((tmp_path / "one" / system.name).glob("*.yaml"))
    path.write_text(path.read_text().replace("2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z"))
    changed = digests_of_files(tmp_path / "one")
    assert [f"{system.name}/{path.stem}"] == [name for name in before if changed[name] != before[name]]
