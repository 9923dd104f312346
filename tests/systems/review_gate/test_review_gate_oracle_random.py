"""Days by chance at a gate of a few lines: the oracle finds nothing in them, and one thing wrong it finds."""

from random import Random

import pytest
from handmade_gates import NOON, REVIEWERS, Day, failing, reviewer
from tiny_gate import TinyGate

SEEDS = range(40)
LENGTH = 45
TASKS = ("a", "b", "c")
SEVERITIES = ("low", "low", "low", "medium", "high", "critical", "odd")


def asked(rng, gate):
    """What is asked next: mostly what the gate waits for."""
    task = gate.last if gate.last is not None and rng.random() < 0.9 else rng.choice(TASKS)
    number, stage, missing, found, _ = gate.rounds.get(task, (0, "begun", (), (), 0))
    issues = [{"severity": rng.choice(SEVERITIES), "message": f"m{rng.randrange(9)}"} for _ in range(rng.randrange(2))]
    number += rng.choice((0, 0, 0, 0, 0, 1, -1))
    due = {
        "begun": ("open", {"task": task}) if task == gate.last else ("begin_task", {"task": task}),
        "analysis": ("analysed", {"task": task, "round": number, "issues": issues}),
        "reviewing": ("report", {"task": task, "round": number, "reviewer": rng.choice(missing or REVIEWERS),
                                 "issues": issues}),
        "decided": ("fixed", {"task": task}) if found else ("begin_task", {"task": rng.choice(TASKS)}),
    }  # fmt: skip
    others = (
        ("begin_task", {"task": rng.choice(TASKS)}), ("status", {"task": task}), ("open", {"task": task}),
        ("report", {"task": task, "round": number, "reviewer": rng.choice((*REVIEWERS, "reviewer-4")), "issues": issues}),
        ("fixed", {"task": task}), ("analysed", {"task": task, "round": number, "issues": issues}),
    )  # fmt: skip
    return due[stage] if rng.random() < 0.7 else rng.choice(others)


def lived(seed, change=None):
    """A day, with one answer changed: the first that ``change`` makes another one of; was there one?"""
    rng, gate, day = Random(seed), TinyGate(), Day()
    changed = False
    skip = rng.randrange(4)
    for _ in range(LENGTH):
        day.later(rng.choice((0.0, 0.0, 1.0, 599.0, 601.0)))
        op, args = asked(rng, gate)
        answer = gate.answer(op, args, day.at - NOON)
        wrong = change(op, answer) if change is not None and not changed else None
        if wrong is not None and skip:
            skip, wrong = skip - 1, None
        day.op(op, args, answer if wrong is None else wrong)
        if wrong is not None:
            changed = True
            break
    return day, changed


def begins(op, answer):
    return {"begun": True} if answer.get("begun") is False else None


def loses_a_reviewer(op, answer):
    return {**answer, "launch": answer["launch"][1:]} if len(answer.get("launch", ())) > 1 else None


def doubles_a_reviewer(op, answer):
    found = answer.get("launch", ())
    return {**answer, "launch": [*found[:2], found[0]]} if len(found) > 2 else None


def names_another_model(op, answer):
    found = answer.get("launch", ())
    return {**answer, "launch": [*found[:-1], reviewer(found[-1]["name"], "opus")]} if len(found) > 1 else None


def passes(op, answer):
    return {**answer, "decision": "passed", "issues": []} if answer.get("decision", "passed") != "passed" else None


def blocks(op, answer):
    is_one = answer.get("accepted") and op != "status" and answer["decision"] != "blocked"  # a status may give up
    return {**answer, "decision": "blocked"} if is_one else None


def never_decides(op, answer):
    return {**answer, "decision": "pending", "issues": []} if answer.get("decision", "pending") != "pending" else None


def hides_a_finding(op, answer):
    return {**answer, "issues": [{"severity": "high", "message": "another"}]} if answer.get("issues") else None


def tells_too_much(op, answer):
    more = {"severity": "high", "message": "nobody found it"}
    return {**answer, "issues": [*answer["issues"], more]} if answer.get("accepted") and op != "open" else None


def refuses(op, answer):
    return {**answer, "accepted": False, "launch": []} if answer.get("accepted") else None


def miscounts(op, answer):
    return {**answer, "round": answer["round"] + 1} if answer.get("accepted") else None


def launches_what_it_likes(op, answer):
    return {**answer, "launch": [reviewer("reviewer-1")]} if "launch" in answer and not answer["launch"] else None


WRONG = (begins, loses_a_reviewer, doubles_a_reviewer, names_another_model, passes, blocks, never_decides, hides_a_finding,
         tells_too_much, refuses, miscounts, launches_what_it_likes)  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_in_a_day_at_a_sound_gate(seed):
    assert set() == failing(lived(seed)[0])


@pytest.mark.parametrize("change", WRONG)
def test_one_answer_that_is_wrong_is_found(change):
    days = [day for day, changed in (lived(seed, change) for seed in SEEDS) if changed]
    assert len(days) > len(SEEDS) // 4
    assert [] == [day.entries[-1] for day in days if not failing(day)]
