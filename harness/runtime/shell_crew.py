"""The crew of a plan of shell commands: what is run for a phase, and what is made of how it ended.

A command that ended is an answer, whatever its exit code: the provider that was called, this machine, did its part, and
the work was done or was not. So a command that fails is neither told to the provider's breaker, which would let nothing
through for five minutes after the third, nor tried again within its attempt: it is a phase that failed, which has its
one retry (AB-RTY-01). One that prints that it was rate-limited is a failed call, and is backed off from (LK-RL-01).
How a verification ends is what its gate found; a fault that a review finds is an issue of the review gate.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from harness.ports.launcher import Ended, Launcher
from harness.runtime.calls import Task
from harness.runtime.crew import Said
from harness.runtime.ports import Backoff
from harness.runtime.session import message_of
from harness.runtime.shell_plan import Command, ShellPhase, ShellPlan, argv_of
from harness.runtime.trial import http_status
from harness.runtime.uses import Use
from harness.systems.phase_runner.contract import Commit, GateResult, Launch, SubagentResult
from harness.systems.phase_runner.contract.words import Gate
from harness.systems.rate_limit.contract import ClassifyArguments
from harness.systems.review_gate.contract import REVIEWERS, Issue, Severity

PREFIX: Final = "WINDTUNNEL_"  # of what commands find in their environment
PHASE, VERIFY, ANALYSE, REVIEW, FIX, COMMIT = "phase", "verify", "analyse", "review", "fix", "commit"
COMMITTING: Final = 'git add --all && git commit --quiet --message "$1"'
MODELS: Final = ("opus", "sonnet", "haiku")  # the rungs of the ladder: one machine is behind all of them
NO_COMMAND = Ended("exit", 0, "")
MOST_ISSUES, MOST_ISSUE_CHARACTERS = 100, 500
SUMMARY_CHARACTERS = 4000  # of output that goes into a phase's record
EXIT_CODES: Final[Mapping[str, int]] = {"timeout": 124, "not_started": 127}  # as shells say it
DEAD_BY_SIGNAL = 128


class Ran(NamedTuple):
    """A command that was run for a phase in an attempt: what for (PHASE, VERIFY...; ``name`` says which of several)."""

    phase: str
    attempt: int
    what: str
    name: str
    ended: Ended

    @property
    def passed(self) -> bool:
        """Did it exit with 0?"""
        return self.ended.kind == "exit" and self.ended.code == 0

    @property
    def says(self) -> str:
        """How it ended, in a few words."""
        kind, code, output = self.ended
        if kind == "exit":
            return f"exit code {code}"
        if kind == "signal":
            return f"ended by signal {code}"
        first = output.partition("\n")[0]
        return first if kind == "timeout" else f"could not be started: {first}"


class Asked(NamedTuple):
    """What a word list of ours asks for: see ShellCrew.words."""

    what: str
    phase: str
    name: str
    strategy: str


class ShellCrew:
    """See Crew; also the launcher of a session, which is given words of ours and runs the commands of the plan.

    ``environment`` is what commands find; ``told`` is given each command that has ended.
    """

    def __init__(
        self,
        plan: ShellPlan,
        backoff: Backoff,
        launcher: Launcher,
        environment: Mapping[str, str],
        told: Callable[[Ran], object],
    ) -> None:
        self._plan = plan
        self._backoff = backoff
        self._launcher = launcher
        self._environment = {**environment, **plan.env, f"{PREFIX}PLAN": plan.name}
        self._told = told
        self._launches: dict[str, Launch] = {}  # the attempt at each phase that was launched last
        self._last: dict[tuple[str, str, str], Ran] = {}  # what was run last, by phase, what for and name

    def launched(self, launch: Launch) -> None:
        """The phase runner has launched that; the commands of the phase are told of it."""
        self._launches[launch.phase_id] = launch

    # -- what a session asks

    def call(self, task: str, model: str) -> Task:
        """See Crew.call. Nobody here mends what a review found: that call asks a human at once, and the phase fails."""
        what, phase, name = self._meant(task)
        return Task(
            id=task,
            tool="run",
            command=_words(what, phase, name),
            goal=self._plan.of(phase).name,
            timeout_s=self._plan.of(phase).timeout_s,
            model=model,
            confidence=0.0 if what == FIX else None,
        )

    def use(self, task: str) -> Use:
        """See Crew.use."""
        what, phase, name = self._meant(task)
        what = VERIFY if what == PHASE else what
        return Use(
            task=task,
            tool="run_bash",
            command=_words(what, phase, name),
            args={"what": what, "phase": phase},
            goal=self._plan.of(phase).name,
            timeout_s=self._plan.of(phase).timeout_s,
        )

    def said(self, launch: Launch) -> Said:
        """See Crew.said: the exit code speaks, and claims no more than that."""
        ran = self._last[launch.phase_id, PHASE, ""]
        if ran.passed:
            claim = SubagentResult(True, 1, 1, commit_subject=self._plan.of(launch.phase_id).commit or "")
            return Said(_encoded(claim), "The command ended with exit code 0.", has_output=True)
        details = ran.ended.output[-SUMMARY_CHARACTERS:]
        return Said(_encoded(SubagentResult(False, 1, 0, message=ran.says, details=details)))

    def gates(self, launch: Launch) -> Mapping[Gate, GateResult]:
        """See Crew.gates."""
        found: dict[Gate, GateResult] = {}
        for gate, command in self._plan.of(launch.phase_id).gates.items():
            ran = self._last[launch.phase_id, VERIFY, gate.value]
            summary = f"{ran.says}\n{ran.ended.output[-SUMMARY_CHARACTERS:]}"
            found[gate] = GateResult(_exit_code(ran.ended), _shown(command), summary)
        return found

    def issues(self, reviewer: str, number: int) -> tuple[Issue, ...]:
        """See Crew.issues: each line that a command printed which found something; nothing where there is no command.

        That there was no review is told by whoever shows the run.
        """
        del number
        what = REVIEW if reviewer else ANALYSE
        ran = next((ran for ran in reversed(self._last.values()) if (ran.what, ran.name) == (what, reviewer)), None)
        if ran is None or ran.passed:
            return ()
        if ran.ended.kind != "exit":
            return (Issue(Severity.HIGH.value, f"the {what} command: {ran.says}"),)
        lines = [line.strip() for line in ran.ended.output.splitlines() if line.strip()]
        return tuple(map(_issue, lines[-MOST_ISSUES:] or [f"the {what} command printed nothing, with {ran.says}"]))

    def committing(self, commit: Commit) -> Sequence[str]:
        """See Crew.committing; nothing is committed for a phase that has no message in the plan."""
        return COMMIT, commit.phases[0], commit.subject, ""

    # -- what a session runs

    def run(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], timeout_s: float) -> Ended:
        """See Launcher.run; ``argv`` are words of ours, and their end is that of a call or a use."""
        asked = Asked(*argv)
        phase = self._plan.of(asked.phase)
        if asked.what == PHASE:
            return self._answered(self._ran(asked, phase.run, cwd, env, timeout_s))
        if asked.what == VERIFY:
            for gate, command in phase.gates.items():
                self._ran(asked._replace(name=gate.value), command, cwd, env, timeout_s)
            return NO_COMMAND
        if asked.what == COMMIT:
            return self._committed(asked, phase, cwd, env, timeout_s)
        found = phase.analyse if asked.what == ANALYSE else phase.review
        self._last = {key: ran for key, ran in self._last.items() if key[1:] != (asked.what, asked.name)}
        if found is not None:
            self._ran(asked, found, cwd, env, timeout_s)
        return NO_COMMAND

    def _ran(self, asked: Asked, command: Command, cwd: str, env: Mapping[str, str], timeout_s: float) -> Ended:
        launch = self._launches[asked.phase]
        found = {**self._environment, **env, **_told_by_environment(asked, launch)}
        ended = self._launcher.run(argv_of(command), cwd=cwd, env=found, timeout_s=timeout_s)
        ran = Ran(asked.phase, launch.attempt, asked.what, asked.name, ended)
        self._last.pop((ran.phase, ran.what, ran.name), None)  # the newest comes last
        self._last[ran.phase, ran.what, ran.name] = ran
        self._told(ran)
        return ended

    def _committed(self, asked: Asked, phase: ShellPhase, cwd: str, env: Mapping[str, str], timeout_s: float) -> Ended:
        if phase.commit is None:
            return NO_COMMAND
        return self._ran(asked, (*argv_of(COMMITTING), "windtunnel", asked.name), cwd, env, timeout_s)

    def _answered(self, ended: Ended) -> Ended:
        """As a provider answers: a failed call is only one that was rate-limited."""
        if ended.kind == "exit" and ended.code == 0:
            return ended
        message = message_of(ended)
        limited = self._backoff.classify(ClassifyArguments(http_status(message), message), 0.0).rate_limited
        return ended if limited else Ended("exit", 0, ended.output)

    def _meant(self, task: str) -> tuple[str, str, str]:
        """What a task is: the phase itself, or a run of its review, and by whom."""
        _, phase, *run = task.split("/")
        if not run:
            return PHASE, phase, ""
        name = run[0].rpartition("-")[0]
        if name in REVIEWERS:
            return REVIEW, phase, name
        return (ANALYSE if name == "analysis" else FIX), phase, ""


def _words(what: str, phase: str, name: str) -> tuple[str, ...]:
    """What a session is given as a command; it fills in the strategy."""
    return what, phase, name, "{strategy}"


def _told_by_environment(asked: Asked, launch: Launch) -> dict[str, str]:
    context = launch.context
    found = {
        "PHASE": asked.phase,
        "ATTEMPT": str(launch.attempt),
        "COMMAND": asked.what,
        "STRATEGY": asked.strategy,
        "REVIEWER": asked.name if asked.what == REVIEW else "",
        "PREVIOUS_ERROR": "" if context is None else context.previous_error_message,
        "GUIDANCE": "" if context is None else context.retry_guidance,
    }
    return {f"{PREFIX}{name}": value.replace("\0", "") for name, value in found.items()}


def _exit_code(ended: Ended) -> int:
    if ended.kind == "signal":
        return DEAD_BY_SIGNAL + ended.code
    return EXIT_CODES.get(ended.kind, ended.code)


def _issue(line: str) -> Issue:
    word, colon, _ = line.partition(":")
    severities = [severity.value for severity in Severity]
    severity = word.lower() if colon and word.lower() in severities else Severity.HIGH.value
    return Issue(severity, line[:MOST_ISSUE_CHARACTERS])


def _shown(command: Command) -> str:
    return command if isinstance(command, str) else " ".join(command)


def _encoded(result: SubagentResult) -> str:
    return msgspec.json.encode(result).decode()
