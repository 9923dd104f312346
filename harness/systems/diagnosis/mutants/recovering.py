"""Mutants of the recovery: DR-REC-01 to DR-REC-08."""

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from harness.systems.diagnosis.contract import SHELLS, Approach, ErrorType
from harness.systems.diagnosis.mutants.table import enter, mutant
from harness.systems.diagnosis.reference.binaries import download_and_extract, equivalent_binary
from harness.systems.diagnosis.reference.planner import Attempt, Planner
from harness.systems.diagnosis.reference.steps import Case, Step, Strategy, Toolbox
from harness.systems.diagnosis.reference.strategies import TEMPLATES, Maker, Strategies
from harness.systems.diagnosis.reference.template_strategies import (
    allowed_directory,
    built_in,
    raised_limit,
    reduced_scope,
    sandbox_bounds,
    similar_tool,
    streaming,
)


def _template(kind: ErrorType, *makers: Maker) -> Mapping[ErrorType, tuple[Maker, ...]]:
    return {**TEMPLATES, kind: makers}


_TEMPLATES: tuple[tuple[str, str, str, ErrorType, tuple[Maker, ...]], ...] = (
    ("downloads-before-equivalents", "DR-REC-02", "a download goes before an equivalent binary",
     ErrorType.COMMAND_NOT_FOUND, (download_and_extract, equivalent_binary)),
    ("no-equivalents", "DR-REC-02", "nobody looks for an equivalent binary",
     ErrorType.COMMAND_NOT_FOUND, (download_and_extract,)),
    ("no-download", "DR-REC-02", "nothing is downloaded", ErrorType.COMMAND_NOT_FOUND, (equivalent_binary,)),
    ("elsewhere-before-the-bounds", "DR-REC-03", "an allowed directory is tried before the bounds are looked at",
     ErrorType.PERMISSION_DENIED, (allowed_directory, sandbox_bounds)),
    ("bounds-are-not-looked-at", "DR-REC-03", "the bounds of the sandbox are not looked at",
     ErrorType.PERMISSION_DENIED, (allowed_directory,)),
    ("no-allowed-directory", "DR-REC-03", "no allowed directory is tried",
     ErrorType.PERMISSION_DENIED, (sandbox_bounds,)),
    ("limit-is-raised-first", "DR-REC-04", "the time limit is raised before less is tried",
     ErrorType.TIMEOUT, (raised_limit, reduced_scope, streaming)),
    ("streams-before-it-reduces", "DR-REC-04", "streaming goes before a reduced scope",
     ErrorType.TIMEOUT, (streaming, reduced_scope, raised_limit)),
    ("scope-is-not-reduced", "DR-REC-04", "the scope is never reduced", ErrorType.TIMEOUT, (streaming, raised_limit)),
    ("built-ins-before-similar-tools", "DR-REC-05", "a built-in goes before a similar tool",
     ErrorType.TOOL_NOT_FOUND, (built_in, similar_tool)),
    ("no-similar-tools", "DR-REC-05", "nobody looks for a similar tool", ErrorType.TOOL_NOT_FOUND, (built_in,)),
    ("no-built-ins", "DR-REC-05", "no built-in is suggested", ErrorType.TOOL_NOT_FOUND, (similar_tool,)),
)  # fmt: skip

for _name, _clause, _description, _kind, _makers in _TEMPLATES:
    enter(Strategies, _name, _clause, _description, templates=_template(_kind, *_makers))

_HAVE_TEMPLATES = (
    ErrorType.COMMAND_NOT_FOUND, ErrorType.PERMISSION_DENIED, ErrorType.TIMEOUT, ErrorType.TOOL_NOT_FOUND,
)  # fmt: skip
enter(
    Strategies, "no-plan-without-a-template", "DR-REC-06", "types without a template have nobody but the user",
    templates={kind: makers if kind in _HAVE_TEMPLATES else () for kind, makers in TEMPLATES.items()},
)  # fmt: skip


@mutant("asks-first", "DR-REC-01", "the user is asked before anything is tried")
class AsksFirst(Strategies):
    def of(self, case: Case) -> tuple[Strategy, ...]:
        return tuple(sorted(super().of(case), key=lambda strategy: not strategy.asks))


@mutant("least-preferred-first", "DR-REC-01", "without a template the kinds are in rising preference")
class LeastPreferredFirst(Strategies):
    def named(self, case: Case) -> list[Strategy]:
        found = super().named(case)
        return found if case.verdict.kind in _HAVE_TEMPLATES else found[::-1]


@mutant("other-tools-before-corrections", "DR-REC-01", "another tool goes before a corrected retry")
class OtherToolsBeforeCorrections(Strategies):
    def named(self, case: Case) -> list[Strategy]:
        return sorted(super().named(case), key=lambda strategy: strategy.approach is Approach.CORRECTED_RETRY)


def _commands_by(change: Callable[[str, Case], str]) -> Callable[[Strategies, Case], tuple[Strategy, ...]]:
    def of(self: Strategies, case: Case) -> tuple[Strategy, ...]:
        return tuple(
            _with_commands(strategy, lambda text: change(text, case)) for strategy in Strategies.of(self, case)
        )

    return of


def _with_commands(strategy: Strategy, change: Callable[[str], str]) -> Strategy:
    return msgspec.structs.replace(strategy, steps=tuple(_with_command(step, change) for step in strategy.steps))


def _with_command(step: Step, change: Callable[[str], str]) -> Step:
    command = step.args.get("command")
    if step.tool not in SHELLS or not isinstance(command, str):
        return step
    return msgspec.structs.replace(step, args={**step.args, "command": change(command)})


enter(Strategies, "sudo-unasked", "DR-REC-03", "refused access is overcome by sudo, unasked",
      of=_commands_by(lambda text, case: f"sudo {text}" if case.verdict.kind is ErrorType.PERMISSION_DENIED else text),
      )  # fmt: skip
enter(Strategies, "quotes-are-dropped", "DR-REC-08", "words of a shell are not quoted",
      of=_commands_by(lambda text, case: text.replace("'", "")))  # fmt: skip
enter(Strategies, "quotes-that-expand", "DR-REC-08", "words of a shell are in quotes in which it expands them",
      of=_commands_by(lambda text, case: re.sub(r"'([^']*)'", r'"\1"', text)))  # fmt: skip
enter(Strategies, "says-what-failed", "DR-REC-08", "recovery begins with an echo of what the failed command said",
      of=_commands_by(lambda text, case: f"echo {case.failure.stderr.strip()}; {text}"))  # fmt: skip


@mutant("git-is-cloned-again", "DR-REC-02", "a clone without git is tried with git again")
class GitIsClonedAgain(Strategies):
    def named(self, case: Case) -> list[Strategy]:
        found = super().named(case)
        box = Toolbox(case.failure)
        step = box.run("Clone it", "git clone --depth 1 repository", "A clone")
        if case.subject != "git" or step is None:
            return found
        again = Strategy("clone_again", Approach.CORRECTED_RETRY, "Clone it with less", 0.9, 1, (step,))
        return [again, *found]


@mutant("never-gives-up", "DR-REC-07", "recovery goes on as long as there are alternatives")
class NeverGivesUp(Planner):
    def is_over(self, attempts: Sequence[Attempt], most_attempts: int) -> bool:
        return False


@mutant("gives-up-after-three", "DR-REC-07", "one attempt more than allowed is made")
class GivesUpAfterThree(Planner):
    def is_over(self, attempts: Sequence[Attempt], most_attempts: int) -> bool:
        return sum(not attempt.success for attempt in attempts) > most_attempts


@mutant("gives-up-after-one", "DR-REC-07", "one attempt less than allowed is made")
class GivesUpAfterOne(Planner):
    def is_over(self, attempts: Sequence[Attempt], most_attempts: int) -> bool:
        return sum(not attempt.success for attempt in attempts) >= max(1, most_attempts - 1)
