"""Fresh search finds a defect within few cases, shrinks it, and ends wherever it is told to."""

import importlib

import pytest
from hypothesis.errors import Flaky
from hypothesis.stateful import initialize
from toy import LIMIT, ToyMachine, ToySession, add, seeded, sound, toy

from harness.core.scenario import Scenario
from harness.explore.stateful import search


def searched(
    answer, *, seed=1, cases=100, stopped=lambda: False, system=None
) -> tuple[list[Scenario], int, ToySession]:
    session = ToySession(answer)
    found, begun = search(system or toy(), session, "toy", (), seed, cases, stopped)
    return found, begun, session


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_seeded_defect_is_found_and_shrunk_to_its_two_steps(seed):
    (found,), _, _ = searched(seeded, seed=seed, cases=60)
    assert found.steps == (add(LIMIT), add(LIMIT))


def test_after_so_many_cases_of_shrinking_only_needless_steps_are_left_out():
    session = ToySession(seeded)
    (found,), begun = search(toy(), session, "toy", (), 1, 60, lambda: False, shrinks=3)
    _, with_more = search(toy(), ToySession(seeded), "toy", (), 1, 60, lambda: False)
    assert 2 == len(found.steps)
    assert begun < with_more


def test_the_same_seed_finds_the_same_scenario_after_the_same_cases():
    first, second = searched(seeded, seed=5), searched(seeded, seed=5)
    assert first[:2] == second[:2]
    assert first[2].performed == second[2].performed


def test_the_same_seed_draws_the_same_cases_whatever_this_process_has_imported(tmp_path, monkeypatch):
    def drawn():
        numbers = []
        searched(lambda now: numbers.append(now[-1]) or {}, seed=5, cases=60)
        return numbers

    before = drawn()
    (tmp_path / "many_constants.py").write_text(f"NUMBERS = {list(range(101, 1000, 7))}")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.import_module("many_constants")
    monkeypatch.setattr(
        "hypothesis.internal.conjecture.providers.is_local_module_file", lambda path: True, raising=False
    )
    assert before == drawn()


def test_another_seed_draws_other_cases():
    def drawn(seed):
        numbers = []
        searched(lambda now: numbers.append(now[-1]) or {}, seed=seed, cases=5)
        return numbers

    assert drawn(1) == drawn(1) != drawn(2)


def test_nothing_is_found_in_a_sound_implementation_and_nothing_is_printed(capsys):
    found, begun, session = searched(sound, cases=20)
    assert found == []
    assert 20 <= begun < 25  # Hypothesis begins a few more than it counts
    assert session.performed > 20
    assert capsys.readouterr() == ("", "")


def test_a_finding_prints_nothing_either(capsys):
    searched(seeded)
    assert capsys.readouterr() == ("", "")


def test_a_search_that_is_stopped_from_the_start_begins_no_case():
    assert searched(seeded, stopped=lambda: True)[:2] == ([], 0)


@pytest.mark.parametrize("after", [1, 3, 7])
def test_a_stop_in_the_middle_ends_the_search_without_a_finding(after):
    asked = iter(range(10**6))
    found, begun, _ = searched(sound, stopped=lambda: next(asked) >= after)
    assert (found, begun <= after) == ([], True)


def test_a_stop_while_shrinking_keeps_what_was_found():
    seen = []

    def answer(numbers):
        if seeded(numbers)["broken"]:
            seen.append(tuple(numbers))
        return seeded(numbers)

    found, _, _ = searched(answer, stopped=lambda: bool(seen))
    (kept,) = found
    assert all(add(number) in kept.steps for number in seen[0])


@pytest.mark.parametrize("hang", [{"timed_out": True}, {"reason": "timed_out"}])
def test_a_hang_is_not_shrunk(hang):
    cases = []

    def answer(numbers):
        if len(numbers) == 1:
            cases.append(False)
        cases[-1] = cases[-1] or seeded(numbers)["broken"]
        return {"broken": True, **hang} if seeded(numbers)["broken"] else {}

    (found,), _, _ = searched(answer)
    assert found.steps != (add(LIMIT), add(LIMIT))
    assert [False] * (len(cases) - 1) + [True] == cases


def test_an_implementation_that_fails_only_once_is_told_and_breaks_nothing():
    seen = []

    def answer(numbers):
        if numbers[-1] >= LIMIT and not seen:
            seen.append(numbers[-1])
            return {"broken": True}
        return {"broken": False}

    (found,), _, _ = searched(answer)
    assert add(seen[0]) in found.steps


def test_what_breaks_besides_a_clause_is_not_swallowed():
    def answer(numbers):
        raise OSError("the sandbox is gone")

    with pytest.raises(OSError, match="the sandbox is gone"):
        searched(answer)


def test_a_machine_that_draws_at_random_is_our_own_defect():
    count = iter(range(10**6))

    class Unsteady(ToyMachine):
        @initialize()
        def begin(self) -> None:
            super().begin()
            if next(count) == 0:
                raise ValueError("only once")

    with pytest.raises((Flaky, ValueError)):
        searched(sound, system=toy(Unsteady))
