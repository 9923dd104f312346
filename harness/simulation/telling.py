"""What a person reads of a simulation: lines of plain text, the same for the same result."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from harness.simulation.result import BrokenRule, Metric, Numbered, Result
from harness.simulation.rules import RULES
from harness.simulation.simulation import Plan
from harness.simulation.systems import REFERENCE

SHOWN_BEFORE = 8
_LEFT_OUT = ("event", "at", "correlation_id")


def heading(plan: Plan, systems: Mapping[str, str]) -> Iterator[str]:
    """What is simulated; ``systems`` says what stands for each."""
    yield f"{_many(plan.days, 'day')}, {_many(plan.agents, 'agent')}, {plan.profile}, seed {plan.seed}"
    others = [f"{name} = {by}" for name, by in systems.items() if by != REFERENCE]
    if others:
        yield f"with {', '.join(others)}; references for the rest"
    yield ""


def lines(result: Result) -> Iterator[str]:
    """What came of it."""
    count = result.counts.get
    rows = (
        ("all", f"{_many(result.events, 'event')} in {_many(result.sessions, 'session')}"),
        ("tasks", f"{count('task_claimed', 0):,} claimed, {count('operation_begun', 0):,} to put down, phases too"),
        ("humans", f"{count('review_requested', 0):,} reviews asked for, {count('human_decided', 0):,} decisions"),
        ("plans", f"{count('phase_begun', 0):,} attempts at phases, {_ended(count)}"),
        ("calls", f"{count('call_begun', 0):,} to models, {count('attempt_started', 0):,} attempts"),
        ("tools", f"{count('use_begun', 0):,} used"),
        ("failures", _failures(result.counts)),
        ("back-off", f"{count('retry_scheduled', 0):,} retries, given up {_times(count('retries_ended', 0))}"),
        ("breakers", f"{count('call_refused', 0):,} calls refused, {count('breaker_moved', 0):,} moves"),
        ("ladders", f"{count('fell_back', 0):,} steps down, a human called {_times(count('escalation_raised', 0))}"),
        ("recovery", f"{count('diagnosed', 0):,} diagnoses, {count('recovery_ended', 0):,} recoveries tried"),
        ("stops", f"{count('stop_requested', 0):,} asked, {count('stop_answered', 0):,} answered"),
        ("machine", _machine(result.counts)),
    )
    for name, text in rows:
        yield f"  {name:<9} {text}"
    yield ""
    yield from _metrics(result.metrics)
    for broken in result.broken:
        yield from _broken(broken)
    if result.outcome == "interrupted":
        hours, rest = divmod(int(result.ended_at_s), 3600)
        yield f"Interrupted on day {hours // 24 + 1}, at {hours % 24:02}:{rest // 60:02}; digest {result.digest}"
    else:
        held = "All" if not result.broken else f"{len(RULES) - len(result.broken)} of"
        yield f"{held} {len(RULES)} rules held; digest {result.digest}"


def _ended(count: Callable[[str, int], int]) -> str:
    return f"halted {_times(count('plan_halted', 0))}, {_many(count('plan_completed', 0), 'plan')} complete"


def _metrics(metrics: tuple[Metric, ...]) -> Iterator[str]:
    """The table of document 001, Success Metrics: what came of it beside the target, and over how many."""
    if not metrics:
        return
    width = max(len(metric.name) for metric in metrics)
    yield f"  {'document 001, no gate':<{width}} {'here':>8} {'target':>7}   over"
    for metric in metrics:
        yield f"  {metric.name:<{width}} {_measured(metric):>8} {metric.target:>7}   {metric.count:,} {metric.of}"
    yield ""


def _measured(metric: Metric) -> str:
    if metric.value is None:
        return "-"
    return f"{metric.value:.1%}".replace("%", " %") if metric.target.endswith("%") else f"{metric.value:.2f}"


def event_line(numbered: Numbered) -> str:
    """One event."""
    fields = msgspec.to_builtins(numbered.event)
    told = " ".join(f"{name}={_value(value)}" for name, value in fields.items() if name not in _LEFT_OUT)
    where = " ".join(filter(None, (numbered.session, fields["correlation_id"])))
    return f"{numbered.number:>9} {fields['at']} {where} {fields['event']} {told}".rstrip()


def replay_command(plan: Plan, targets: tuple[str, ...], number: int, script: Path | None = None) -> str:
    """The command that plays the same up to an event: the plan, or the script that was played."""
    played = plan_words(plan) if script is None else shlex.join(["--script", str(script)])
    exchanged = shlex.join([word for target in targets for word in ("--target", target)])
    return " ".join(filter(None, ("windtunnel simulate", played, exchanged, f"--until {number}")))


def plan_words(plan: Plan) -> str:
    """The options of the command that plays it."""
    words = f"--days {plan.days} --agents {plan.agents} --seed {plan.seed} --profile {plan.profile}"
    return " ".join([words, *(f"--fork {fork.at}:{fork.seed}" for fork in plan.forks)])


def _broken(broken: BrokenRule) -> Iterator[str]:
    yield f"{broken.rule} is broken {_times(broken.times)}: {broken.says} ({', '.join(broken.rests_on)})"
    for numbered in (*broken.before[-SHOWN_BEFORE:], broken.first):
        yield event_line(numbered)
    yield f"  replay  {broken.replay}"
    yield ""


def _failures(counts: Mapping[str, int]) -> str:
    failed, beside = counts.get("failure_observed", 0), counts.get("non_blocking_failed", 0)
    return f"{failed:,} of tools, {beside:,} beside the work, {counts.get('failure_recorded', 0):,} recorded"


def _machine(counts: Mapping[str, int]) -> str:
    said = (
        (counts.get("storage_changed", 0) + 1) // 2,
        counts.get("clock_stepped", 0),
        counts.get("machine_restarted", 0),
        counts.get("session_cut", 0),
    )
    if not any(said):
        return "no trouble"
    full, stepped, restarted, cut = said
    return (
        f"full disk {_times(full)}, clock set {_times(stepped)}, restarted {_times(restarted)}, "
        f"{_many(cut, 'session')} cut off"
    )


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count:,} times")


def _value(value: object) -> str:
    return msgspec.json.encode(value).decode()
