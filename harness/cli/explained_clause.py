"""One clause in full: the half of ``windtunnel explain`` that needs the systems."""

from typing import Any

import msgspec

from harness import messages
from harness.certify import corpus
from harness.core.clause import Clause
from harness.errors import UsageError
from harness.report.sentences import joined
from harness.systems import registry
from harness.targets.target_file import closest

SCENARIOS_SHOWN = 12


def explained(word: str) -> str:
    """All that is known of the clause of that id, in any case; UsageError when there is none."""
    return _explained(*_found(word))


def facts(word: str) -> dict[str, Any]:
    """The same as builtins: the clause with its system, the scenarios that name it, and its mutants."""
    system, clause = _found(word)
    more = {"scenarios": _scenarios(system, clause), "mutants": _mutants(system, clause)}
    return {"system": system.name, **msgspec.to_builtins(clause), **more}


def _found(word: str) -> tuple[registry.System, Clause]:
    every = [(system, clause) for system in registry.every() for clause in system.catalogue]
    for system, clause in every:
        if clause.id == word.upper():
            return system, clause
    near = closest(word.upper(), [*(clause.id for _, clause in every), *messages.families()])
    if near in messages.families():
        raise UsageError(f"there is no clause and no message {word!r}; did you mean {near}?")
    hint = f"did you mean {near}?" if near else "`windtunnel list clauses` names them all"
    raise UsageError(f"there is no clause {word!r}; {hint}")


def _explained(system: registry.System, clause: Clause) -> str:
    lines = [f"{clause.id}  {clause.level.value}  {system.name}", "", clause.statement, "", f"source   {clause.source}"]
    for profile, group in clause.profiles.items():
        lines.append(f"judged   in profile {profile}{f', for implementations that declare {group}' if group else ''}")
    for profile, group in clause.widened_by.items():
        lines.append(f"more     is asked in profile {profile} of implementations that declare {group}")
    lines.append(f"witness  {clause.witness}")
    for name, reading in clause.readings.items():
        lines.append(f"reading  {name}{' (the reference)' if reading.ours else ''}: {reading.meaning}")
    if clause.note:
        lines.append(f"note     {clause.note}")
    ids = _scenarios(system, clause)
    lines.append(f"tested   in {len(ids)} scenarios: {joined(ids, SCENARIOS_SHOWN)}")
    lines.append(f"mutants  {', '.join(_mutants(system, clause)) or 'none'}")
    return "\n".join(lines)


def _scenarios(system: registry.System, clause: Clause) -> list[str]:
    return [scenario.id for scenario in corpus.scenarios(system.name) if clause.id in scenario.clauses]


def _mutants(system: registry.System, clause: Clause) -> list[str]:
    return [name for name, mutant in system.mutants.MUTANTS.items() if mutant.clause == clause.id]
