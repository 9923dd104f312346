"""What was simulated for L4, in sentences that every format shares. Pure."""

from collections.abc import Mapping, Sequence

from harness.core.chaos import RuleBroken, SeedPlayed, Simulated
from harness.core.verdict import SystemResult
from harness.report.sentences import plural

DIGEST_CHARACTERS = 16


def said(systems: Mapping[str, SystemResult]) -> list[str]:
    """Every line about the simulations of these systems; none when there was no simulation."""
    return [line for name, result in systems.items() for each in result.simulated for line in of_one(name, each)]


def of_one(system: str, simulated: Simulated) -> list[str]:
    """Those of one system in one profile."""
    asked = sum(count for played in simulated.seeds for count in played.questions.values())
    events = sum(played.events for played in simulated.seeds)
    lines = [
        f"simulated: {system} in profile {simulated.profile} ({simulated.carrier}), "
        f"{plural(simulated.days, 'virtual day')}, {plural(simulated.agents, 'agent')}, {simulated.weather} weather, "
        f"{plural(len(simulated.seeds), 'seed')}; {plural(events, 'event')}, asked {plural(asked, 'question')}; "
        f"{len(simulated.held)} of {plural(len(simulated.rules), 'rule')} held"
    ]
    lines += [f"  not simulated for it: {sentence}" for sentence in simulated.spared]
    for played in simulated.seeds:
        lines.append(_of_seed(played))
        lines += [line for broken in played.broken for line in _of_rule(broken, played)]
    return lines


def _of_seed(played: SeedPlayed) -> str:
    asked = ", ".join(f"{operation} {count:,}" for operation, count in played.questions.items()) or "nothing"
    parts = [f"asked {asked}"]
    parts += [f"{plural(played.unanswered, 'question')} unanswered"] if played.unanswered else []
    parts += [f"cut: {played.cut}"] if played.cut else []
    parts += [f"flaky: {', '.join(played.flaky)}"] if played.flaky else []
    return (
        f"  seed {played.seed}: {plural(played.events, 'event')}, digest {played.digest[:DIGEST_CHARACTERS]}, "
        f"{'; '.join(parts)}"
    )


def _of_rule(broken: RuleBroken, played: SeedPlayed) -> list[str]:
    if played.control is None:
        whose = "whose doing that is was not shown"
    elif played.control:
        whose = f"so does the reference in its place ({', '.join(played.control)})"
    else:
        whose = "the reference in its place holds every rule"
    times = "once" if broken.times == 1 else f"{broken.times:,} times"
    return [
        f"  {broken.rule} is broken {times}: {broken.says} ({', '.join(broken.rests_on)}); {whose}",
        f"    replay: {broken.replay}",
    ]


def blamed(simulated: Sequence[Simulated]) -> bool:
    """Does a simulation show that the system itself breaks a rule?"""
    return any(played.is_blamed for each in simulated for played in each.seeds)
