"""Questions about the steps that an implementation took; words that are not the contract's say nothing. Pure."""

from collections.abc import Sequence

from harness.systems.session_recovery.contract import Action, StepTaken

Steps = Sequence[StepTaken]


def known(steps: Steps) -> list[StepTaken]:
    """The steps whose words are the contract's."""
    return [step for step in steps if step.action in set(Action)]


def of(steps: Steps, *actions: Action) -> list[StepTaken]:
    """The steps with one of these actions, in their order."""
    return [step for step in steps if step.action in actions]


def has(steps: Steps, *actions: Action) -> bool:
    """Was such a step taken?"""
    return bool(of(steps, *actions))


def until(steps: Steps, *actions: Action) -> list[StepTaken]:
    """The steps before the first with one of these actions; all where there is none."""
    found = list(steps)
    first = next((place for place, step in enumerate(found) if step.action in actions), len(found))
    return found[:first]


def disorder(steps: Steps, *wanted: Action, optional: Sequence[Action] = ()) -> str:
    """What is wrong with the order in which these steps were first taken, "" when nothing is.

    ``optional`` ones may be missing.
    """
    places = {step.action: place for place, step in reversed(list(enumerate(steps)))}
    before, last = -1, ""
    for action in wanted:
        place = places.get(action)
        if place is None:
            if action in optional:
                continue
            return f"no step {action}"
        if place < before:
            return f"{action} before {last}"
        before, last = place, action
    return ""


def said(steps: Steps) -> str:
    """The steps, for a person."""
    words = [step.action[:60] + ("" if step.ok else " (failed)") for step in steps[:40]]
    return ", ".join(words) or "no step"
