"""Which results the document lets the last operation of a history have: the oracle asked the other way round. Pure.

An alternative says the decisive fields only. Whatever else an answer has is filled in as a sound implementation might
have: it is permitted when some way of filling it in fails no clause that binds.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import msgspec

from harness.core.clause import Catalogue, Level
from harness.core.finding import CheckVerdict
from harness.core.history import Entry, EntryType, History
from harness.core.scenario import Scenario
from harness.systems.stop_gate.contract import PROMPT_MARK, SYSTEM, Decision, LogLevel

DECISIONS: tuple[Mapping[str, Any], ...] = ({"decision": "approve"}, {"decision": "block"})
_FIXED = ("already_ran", "transcript_missing", "transcript_too_large", "empty_transcript", "power_steering_prompt",
          "timeout", "only_warnings")  # fmt: skip
# a word of nobody's: it stands for any message of its level
_LOG = tuple({"level": level.value, "code": "any"} for level in LogLevel)


def permitted(
    scenario: Scenario,
    history: History,
    catalogue: Catalogue | None = None,
    alternatives: Sequence[Mapping[str, Any]] = DECISIONS,
) -> tuple[Mapping[str, Any], ...]:
    """Those of ``alternatives`` that no MUST clause fails when the last operation of ``history`` had ended so.

    ``catalogue`` None takes the system's own. None at all for a history without an operation.
    """
    if catalogue is None:
        catalogue = import_module("harness.systems.registry").get(SYSTEM).catalogue
    done = history.operations()
    if not done:
        return ()
    last = done[-1].begin
    kept = tuple(entry for entry in history.entries if done[-1].end is None or entry.n != done[-1].end.n)
    observed = done[-1].end or Entry(
        max(entry.n for entry in kept) + 1, last.process, EntryType.OK, last.op, {}, last.now, files=last.files
    )
    found: list[Mapping[str, Any]] = []
    for alternative in alternatives:
        for end in _ends(last, observed, alternative):
            if not _fails(scenario, History((*kept, end)), catalogue):
                found.append(alternative)
                break
    return tuple(found)


def _fails(scenario: Scenario, history: History, catalogue: Catalogue) -> bool:
    judge = import_module("harness.systems.stop_gate.oracle").judge
    return any(
        finding.verdict is CheckVerdict.FAIL and catalogue[finding.clause].level is Level.MUST
        for finding in judge(scenario, history, catalogue)
    )


def _ends(begin: Entry, observed: Entry, alternative: Mapping[str, Any]) -> Iterator[Entry]:
    """The ways in which the operation may have ended so: as observed when it did, else filled in."""
    value = observed.value if observed.type is EntryType.OK else {}
    as_observed = all(value.get(name) == field for name, field in alternative.items())
    if value and as_observed:
        yield observed
    if begin.op not in ("check", "stop"):
        yield _end(observed, {**value, **alternative}, observed.files)
        return
    ways = _checks(value, alternative) if begin.op == "check" else _stops(value, alternative)
    for made in ways:
        # what an approval writes may stand there, or not
        yield _end(observed, {**made, **alternative}, observed.files)
        yield _end(observed, {**made, **alternative}, begin.files)


def _end(observed: Entry, value: Mapping[str, Any], files: Mapping[str, Any]) -> Entry:
    return msgspec.structs.replace(observed, type=EntryType.OK, value=value, files=files)


def _checks(value: Mapping[str, Any], alternative: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    log = [*(value.get("log") or ()), *_LOG]
    base = {**value, "continuation_prompt": None, "summary": None, "log": log}
    if alternative.get("decision") == Decision.BLOCK.value:
        yield {**base, "reasons": ["incomplete"], "continuation_prompt": f"{PROMPT_MARK}: please go on."}
        return
    texts = (None, value["summary"]) if value.get("summary") else (None,)
    for reasons in ([], *([fixed] for fixed in _FIXED)):
        for summary in texts:
            yield {**base, "reasons": reasons, "summary": summary}


def _stops(value: Mapping[str, Any], alternative: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    base = {"exit_code": 0, "means": "nothing", "output": "empty", "children_left": value.get("children_left") or []}
    if alternative.get("decision") == Decision.BLOCK.value:
        said = f'{{"decision": "block", "reason": "{PROMPT_MARK}: please go on."}}'
        base |= {"means": "json", "output": "object", "stdout_excerpt": said}
    yield base
