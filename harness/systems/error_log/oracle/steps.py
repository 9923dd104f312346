"""Questions about the steps that an implementation took. Pure."""

from collections.abc import Sequence

from harness.systems.error_log.contract import Action, StepTaken

Steps = Sequence[StepTaken]


def places(steps: Steps, *actions: Action) -> list[int]:
    """Where steps with one of these actions stand."""
    return [place for place, step in enumerate(steps) if step.action in actions]


def of(steps: Steps, action: Action) -> list[StepTaken]:
    """The steps with that action."""
    return [step for step in steps if step.action == action]


def has(steps: Steps, action: Action) -> bool:
    """Was that step taken?"""
    return bool(places(steps, action))


def disorder(steps: Steps, *wanted: Action | tuple[Action, ...], optional: Sequence[Action] = ()) -> str:
    """What is wrong with the order in which these steps were first taken, "" when nothing is.

    Each of ``wanted`` is an action or several of which one is enough; ``optional`` ones may be missing.
    """
    before, last = -1, ""
    for one in wanted:
        actions = (one,) if isinstance(one, Action) else one
        found = places(steps, *actions)
        named = " or ".join(action.value for action in actions)
        if not found:
            if all(action in optional for action in actions):
                continue
            return f"no step {named}"
        if found[0] < before:
            return f"{named} before {last}"
        before, last = found[0], named
    return ""


def said(steps: Steps) -> str:
    """The steps, for a person."""
    return ", ".join(step.action + ("" if step.ok else " (failed)") for step in steps) or "no step"
