"""The rules of the group power_steering about configuration, skip variable, links and the prompt. Pure.

They continue stop_hook_steering.py; this module's table is the whole one of the profile stop_hook.
"""

from collections.abc import Iterable

import msgspec

from harness.systems import standing
from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stop_gate.contract import (
    CONFIG_PATH,
    PROMPT_MARK,
    RUNTIME_DIRECTORY,
    SKIP_VARIABLE,
    TRANSCRIPT_LIMIT_BYTES,
    Decision,
)
from harness.systems.stop_gate.oracle import struck, weather
from harness.systems.stop_gate.oracle.session import Config, read_config
from harness.systems.stop_gate.oracle.stop_hook_rules import RULES
from harness.systems.stop_gate.oracle.stop_hook_steering import (
    gets,
    semaphore_of,
    settled,
    steering,
    unfinished,
    unmarked,
    whole,
)
from harness.systems.stop_gate.oracle.stop_hook_stops import Stop, StopHistory

__all__ = ["RULES"]

LINKS = frozenset({"filesystem.link_outside", "filesystem.dangling_link"})
EXCERPT_CHARACTERS = 2_000  # contract.StopResult: a longer reason may have its mark further on


def config_of(stop: Stop) -> Config:
    """The configuration as it stood when the stop began; unsure when it comes and goes, or a call on it fails."""
    if weather.moving(CONFIG_PATH, stop.injections) or any(struck.hides(each, CONFIG_PATH) for each in stop.injections):
        return Config("unsure")
    return Config("unsure") if stop.config.kind == "unknown" else read_config(stop.config)


def may_end_early(stop: Stop) -> bool:
    """What document 004 asks before it looks at a session, or may: configuration, semaphore and size."""
    configured = config_of(stop).state not in ("missing", "usable") or False in config_of(stop).enabled
    return configured or semaphore_of(stop) in stop.before or stop.transcript.size > TRANSCRIPT_LIMIT_BYTES


def plain(stop: Stop) -> bool:
    """Nothing but the configuration can decide the stop before its session does."""
    on_config = {each.fault.name for each in stop.injections if standing.on_the_way(each, CONFIG_PATH)}
    elsewhere = {each.fault.name for each in stop.injections if not standing.on_the_way(each, CONFIG_PATH)}
    return not on_config & elsewhere and stop.steady(*on_config, follower=True)


@steering("PS-CFG-01")
def config_has_its_place(view: StopHistory) -> Judgement | None:
    """004 4.1: read from the documented path, defaults without it."""
    absent = [stop for stop in view.controls if stop.sample == "block" and stop.config.kind == "missing"]
    if not absent or not view.guard_blocks:
        return None
    return combine(
        gets(Decision.APPROVE, stop, "the file at the documented path says enabled false; without it the hook blocks")
        for stop in unmarked(view)
        if plain(stop) and config_of(stop).raw.get("enabled") is False
    )


@steering("PS-CFG-02")
def broken_config(view: StopHistory) -> Judgement | None:
    """004 4.2: what is no JSON object gives the defaults."""
    return combine(
        gets(Decision.BLOCK, stop, f"the defaults hold {stop.weather}")
        for stop in unmarked(view)
        if plain(stop) and (config_of(stop).state == "unusable" or _unread(stop))
    )


def _unread(stop: Stop) -> bool:
    """Did a call on the configuration fail, which enables the hook whether it is read or not?"""
    failing = any(struck.hides(each, CONFIG_PATH) for each in stop.injections)
    return failing and stop.config.kind == "file" and read_config(stop.config).enabled == {True}


@steering("PS-CFG-03")
def known_keys_override(view: StopHistory) -> Judgement | None:
    """004 4.2 and 4.3: the file overrides key by key."""
    found: list[Judgement] = []
    for stop in unmarked(view):
        config = config_of(stop)
        if not plain(stop) or config.state != "usable" or config.bad:
            continue
        if config.raw.keys() == {"enabled"} and config.raw["enabled"] is False:
            found.append(gets(Decision.APPROVE, stop, "enabled false overrides its default"))
        elif config.raw.keys() == {"timeout_seconds"}:
            found.append(gets(Decision.BLOCK, stop, "enabled keeps its default when only timeout_seconds is set"))
    return combine(found)


@steering("PS-CFG-05")
def enabled_is_boolean(view: StopHistory) -> Judgement | None:
    """004 4.4: anything but true and false is replaced by the default."""
    return combine(
        gets(Decision.BLOCK, stop, f"enabled {config_of(stop).raw['enabled']!a} is no boolean: the default holds")
        for stop in unmarked(view)
        if plain(stop) and "enabled" in config_of(stop).bad
    )


@steering("PS-CFG-07")
def disabled_approves(view: StopHistory) -> Judgement | None:
    """004 4.4: enabled false turns the check off."""
    return combine(
        gets(Decision.APPROVE, stop, "the check is not enabled")
        for stop in unmarked(view)
        if plain(stop) and config_of(stop).raw.get("enabled") is False
    )


def _lured(view: StopHistory) -> Iterable[Stop]:
    """Finished sessions for which a link leads out of the runtime directory where the hook writes in calm weather."""
    writes = any(f"{RUNTIME_DIRECTORY}/" in path for stop in view.control_of("approve") for path in stop.changes())
    links = {path for path, spec in view.scenario.world.files.items() if spec.kind == "symlink"}
    return [
        stop
        for stop in view.subjects
        if writes
        and stop.sample == "approve"
        and (
            any(fault.name in LINKS and RUNTIME_DIRECTORY in str(fault.path) for fault in stop.faults)
            or any(path in stop.before and str(stop.given_id) in path for path in links)
        )
    ]


@steering("PS-FS-04")
def links_are_refused(view: StopHistory) -> Judgement | None:
    """004 5.3: nothing is written where a link leads out of the runtime directory."""
    expected = "nothing changes outside the runtime directory"
    found: list[Judgement] = []
    for stop in filter(lambda lured: lured.ended, _lured(view)):
        strays = stop.strays((RUNTIME_DIRECTORY,))
        found.append(failed(expected, f"changed: {', '.join(strays[:5])}") if strays else passed(expected))
    return combine(found)


@steering("PS-FS-05")
def refusal_never_blocks(view: StopHistory) -> Judgement | None:
    """004 Core Principle: a refused path is no reason to keep the user."""
    return combine(
        gets(Decision.APPROVE, stop, "the session deserves to end, whatever path is refused")
        for stop in _lured(view)
        if view.approves_in_calm
    )


@steering("PS-PRM-04")
def prompt_has_its_mark(view: StopHistory) -> Judgement | None:
    """004 7.2: the prompt can be recognised."""
    expected = f"the reason of a block holds {PROMPT_MARK!r}"
    found: list[Judgement] = []
    for stop in view.stops:
        if not stop.blocked or stop.result is None:
            continue
        said = stop.result.stderr_excerpt if stop.result.means == "exit_2" else stop.result.stdout_excerpt
        if PROMPT_MARK in said:
            found.append(passed(expected))
        elif len(said) < EXCERPT_CHARACTERS:
            found.append(failed(expected, f"the reason was {said[:80]!a}"))
    return combine(found)


@steering("PS-ENV-01")
def skip_variable(view: StopHistory) -> Judgement | None:
    """004 Recovery Procedures: 1 turns the check off, unsetting it turns it on."""
    found: list[Judgement] = []
    if not any(SKIP_VARIABLE in stop.arguments.environment for stop in view.stops):
        return None
    for stop in unfinished(view):
        value = stop.arguments.environment.get(SKIP_VARIABLE)
        given = msgspec.structs.replace(stop, arguments=msgspec.structs.replace(stop.arguments, environment={}))
        if set(stop.arguments.environment) - {SKIP_VARIABLE} or not settled(given) or may_end_early(stop):
            continue
        if value == "1":
            found.append(gets(Decision.APPROVE, stop, "the skip variable is 1"))
        elif value in (None, "", "0"):
            found.append(gets(Decision.BLOCK, stop, "the skip variable does not skip"))
        elif stop.ended:
            reading = "one_only" if stop.blocked else "non_empty"
            found.append(passed("the skip variable has another value", stop.answer, readings=[reading]))
    return whole(found, sides=2)
