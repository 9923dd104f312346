"""Rules on the configuration and the skip variable: document 004, section 4 and Recovery Procedures. Pure."""

from collections.abc import Iterator

from harness.systems.rules import Judgement, combine, failed, passed
from harness.systems.stop_gate import contract
from harness.systems.stop_gate.contract import LogCode
from harness.systems.stop_gate.oracle import session, struck
from harness.systems.stop_gate.oracle.gate_rules import RULES, as_permitted, guarded, with_log
from harness.systems.stop_gate.oracle.gate_view import Check, GateView
from harness.systems.stop_gate.oracle.session import READ, Outcome
from harness.systems.stop_gate.oracle.transcript import Answer3

KNOWN = frozenset(contract.CONFIG_DEFAULTS)


def _configured(view: GateView, *states: str) -> Iterator[Check]:
    """The checks that surely used a configuration of one of these states."""
    for check in view.judged():
        if check.facts.config.state not in states or check.untold:
            continue
        if check.outcomes <= READ | {Outcome.APPROVE, Outcome.DISABLED}:
            yield check


@RULES.rule("PS-CFG-01")
def where_from(view: GateView) -> Judgement | None:
    """4.1: read from its documented place; the defaults, with a debug entry, when nothing is there."""
    judgements = [
        with_log(check, f"the defaults, with a debug entry: {check.wanted}", "debug", LogCode.CONFIG_MISSING)
        for check in _configured(view, "missing")
        if check.args.project_root == "{project}"
    ]
    for check in _configured(view, "usable"):
        if check.outcomes == {Outcome.DISABLED} and check.would_block:
            judgements.append(as_permitted(check, "approve: the file at the documented path disables the gate"))
    return combine(judgements)


@RULES.rule("PS-CFG-02")
def unusable(view: GateView) -> Judgement | None:
    """4.2: what is no readable JSON object gives the defaults and a warning."""
    judgements: list[Judgement] = []
    for check in _configured(view, "unusable"):
        expected = f"the defaults, with a warning: {check.wanted}"
        refused = check.answer is not None and check.answer.logged("warning error", LogCode.PATH_OUTSIDE_ROOT)
        if refused and _leads_away(check):
            judgements.append(as_permitted(check, expected))  # 5.3: told as a path that is refused
        else:
            judgements.append(with_log(check, expected, "warning", LogCode.CONFIG_INVALID))
    for check in _configured(view, "unsure"):
        path = contract.CONFIG_PATH.replace("{project}", check.args.project_root)
        if any(struck.hides(each, path) for each in check.faults):  # it may have been read all the same
            judgements.append(as_permitted(check, f"as configured, or the defaults: {check.wanted}"))
    return combine(judgements)


def _leads_away(check: Check) -> bool:
    """Is the configuration a link?"""
    fact = check.begin.files.get(contract.CONFIG_PATH.replace("{project}", check.args.project_root))
    return fact is not None and fact.kind in ("symlink", "link")


@RULES.rule("PS-CFG-03")
def overrides(view: GateView) -> Judgement | None:
    """4.2, 4.3: known keys override, missing ones keep their defaults, and the defaults stay what they are."""
    judgements: list[Judgement] = []
    for check in view.judged():
        config = check.facts.config
        if not check.would_block or check.decision is None or not check.outcomes <= READ | {Outcome.DISABLED}:
            continue
        keys = KNOWN & set(config.raw)
        if len(keys) == 1 and not config.bad:
            judgements.append(as_permitted(check, f"only {', '.join(keys)} is overridden: {check.wanted}"))
        elif config.bad and check.outcomes == {Outcome.DISABLED}:
            judgements.append(as_permitted(check, "approve: enabled is overridden beside a value that is not usable"))
        elif config.state == "missing" and any(other.facts.config.raw for other in view.earlier(check)):
            judgements.append(as_permitted(check, f"the defaults are unchanged: {check.wanted}"))
    return combine(judgements)


@RULES.rule("PS-CFG-04")
def unknown_keys(view: GateView) -> Judgement | None:
    """4.3: unknown keys are dropped and named in a warning."""
    judgements: list[Judgement] = []
    for check in _configured(view, "usable"):
        unknown = check.facts.config.unknown
        if not unknown:
            continue
        expected = f"a warning that names {sorted(unknown)}: {check.wanted}"
        judgement = as_permitted(check, expected)
        if judgement.ok and not unknown <= named(check, LogCode.CONFIG_UNKNOWN_KEYS):
            judgement = failed(expected, f"{check.said}, naming {sorted(named(check, LogCode.CONFIG_UNKNOWN_KEYS))}")
        judgements.append(judgement)
    return combine(judgements)


def named(check: Check, code: LogCode) -> frozenset[str]:
    """The configuration keys that warnings of that code name."""
    entries = check.answer.entries(code) if check.answer is not None else ()
    return frozenset(key for entry in entries if entry.level == "warning" for key in entry.keys)


def _refused(check: Check, key: str) -> Judgement:
    expected = f"the default of {key}, with a warning that names it: {check.wanted}"
    judgement = as_permitted(check, expected)
    if judgement.ok and key not in named(check, LogCode.CONFIG_INVALID_VALUE):
        return failed(expected, f"{check.said}, without that warning")
    return judgement


@RULES.rule("PS-CFG-05")
def enabled_type(view: GateView) -> Judgement | None:
    """4.4: ``enabled`` that is no boolean is replaced by its default, with a warning."""
    return combine(
        _refused(check, "enabled") for check in _configured(view, "usable") if "enabled" in check.facts.config.bad
    )


@RULES.rule("PS-CFG-06")
def timeout_range(view: GateView) -> Judgement | None:
    """4.4: ``timeout_seconds`` is an integer from 1 to 300, else the default applies with a warning."""
    judgements: list[Judgement] = []
    for check in _configured(view, "usable"):
        if "timeout_seconds" not in check.facts.config.raw or check.outcomes & {Outcome.DISABLED}:
            continue
        if "timeout_seconds" in check.facts.config.bad:
            judgements.append(_refused(check, "timeout_seconds"))
        else:
            judgements.append(_accepted(check))
    return combine(judgements)


def _accepted(check: Check) -> Judgement:
    """A valid value: no warning about it, and its effect fits one of the two readings."""
    judgement = as_permitted(check, f"timeout_seconds accepted: {check.wanted}")
    if not judgement.ok:
        return judgement
    if "timeout_seconds" in named(check, LogCode.CONFIG_INVALID_VALUE):
        return failed("a value from 1 to 300 accepted without a warning", check.said)
    timeout = check.facts.config.raw["timeout_seconds"]
    effects = {
        "whole_analysis": session.analysis_within(check.facts, whole_s=timeout),
        "one_checker": session.analysis_within(check.facts, checker_s=timeout),
    }
    if not check.outcomes <= effects["whole_analysis"] | effects["one_checker"]:
        return judgement  # an earlier rule decided
    agreeing = {name for name, outcomes in effects.items() if check.within(frozenset(outcomes))}
    return passed(judgement.expected, judgement.observed, readings=agreeing)


@RULES.rule("PS-CFG-07")
def disabled(view: GateView) -> Judgement | None:
    """4.4 (implied): ``enabled`` false makes the check approve."""
    disabled_ = (check for check in view.where(Outcome.DISABLED) if check.would_block)
    return guarded(view, (as_permitted(check, "approve: the gate is disabled") for check in disabled_))


@RULES.rule("PS-ENV-01")
def skip_variable(view: GateView) -> Judgement | None:
    """Recovery Procedures: the variable at 1 disables at once; without it the check is made again."""
    judgements: list[Judgement] = []
    for check in view.judged():
        if not check.would_block or (check.outcomes - {Outcome.SKIPPED}) - {Outcome.BLOCK}:
            continue
        state = session.skip_variable(check.args)
        value = check.args.environment.get(contract.SKIP_VARIABLE)
        if state is Answer3.MAYBE:
            judgement = as_permitted(check)
            reading = "one_only" if check.blocked else "non_empty"
            judgements.append(passed(check.wanted, check.said, readings={reading}) if judgement.ok else judgement)
        elif state is Answer3.YES or value is not None or _skipped_before(view, check):
            judgements.append(as_permitted(check, f"with the variable at {value!r}: {check.wanted}"))
    return combine(judgements)


def _skipped_before(view: GateView, check: Check) -> bool:
    return any(session.skip_variable(other.args) is Answer3.YES for other in view.earlier(check))
