"""Why it happened: five levels for each type, from the facts of the failure. Source: 001, Output Diagnosis."""

from collections.abc import Mapping
from typing import Final

from harness.systems.diagnosis.contract import NOT_ASKED, WHYS, ErrorType
from harness.systems.diagnosis.reference.hostile import line
from harness.systems.diagnosis.reference.reading import Failure
from harness.systems.diagnosis.reference.taxonomy import Verdict

CAUSES: Mapping[ErrorType, tuple[str, str, str, str]] = {
    ErrorType.TOOL_NOT_FOUND: (
        "The tool {subject} is not among the tools that may be used",
        "The agent chose {subject} without looking at the list of available tools",
        "No equivalent of {subject} was prepared among the available tools",
        "The tools are not asked what they can do before a plan is made",
    ),
    ErrorType.COMMAND_NOT_FOUND: (
        "The binary {subject} is not found along PATH",
        "The environment that runs commands was set up without {subject}",
        "The agent assumed that {subject} is there without looking first",
        "No other way to the same end was prepared for a missing binary",
    ),
    ErrorType.PERMISSION_DENIED: (
        "The process that runs the tool has no right to {subject}",
        "{subject} lies outside of what the sandbox (TOOLS_FS_ROOT) or the account may touch",
        "The agent did not check its rights to {subject} before the call",
        "The bounds of the sandbox are not part of what the agent plans with",
    ),
    ErrorType.INVALID_ARGUMENTS: (
        "{subject} does not accept the parameters it was given",
        "A parameter is missing, misspelt, or names something that is not there",
        "The agent wrote the call from memory instead of from the description of {subject}",
        "Calls are not checked against what the tool accepts before they are made",
    ),
    ErrorType.TIMEOUT: (
        "The work of {subject} takes longer than its time limit",
        "Too much was asked for in one call, or something it waits for does not answer",
        "The agent did not estimate how long {subject} takes",
        "Long work is not split, streamed or given a limit of its own",
    ),
    ErrorType.OUTPUT_TOO_LARGE: (
        "{subject} gave more output than one answer may have",
        "Everything was asked for at once instead of a part",
        "The agent did not know the size of what it asked for",
        "Output is not bounded, filtered or written to a file by default",
    ),
    ErrorType.RATE_LIMITED: (
        "{subject} accepts no more requests for now",
        "More requests were made than its quota allows in this time",
        "The agent sends requests without spacing them",
        "The use of shared quotas is not tracked between calls",
    ),
    ErrorType.NETWORK_ERROR: (
        "No connection to {subject} could be made or kept",
        "The name does not resolve, the host does not answer, or the sandbox has no way out",
        "The agent assumed that {subject} can be reached without trying first",
        "No copy of the data and no other way to it was prepared",
    ),
    ErrorType.SYNTAX_ERROR: (
        "What {subject} was given to read is not well formed",
        "A quote, a bracket or a keyword is missing or misplaced",
        "The text was made without checking it before it was run",
        "No check of syntax stands between writing and running",
    ),
    ErrorType.ENVIRONMENT_MISSING: (
        "{subject} is needed, and is not there",
        "The environment was set up without {subject}",
        "The agent did not check what the program needs before it ran it",
        "The requirements of the task are not compared with the environment at its start",
    ),
    ErrorType.UNKNOWN: (
        "{subject} failed for a reason that its message does not name",
        "The message matches none of the known kinds of failure",
        "Too little was recorded of what {subject} did before it failed",
        "There is no diagnosis of this tool beyond its exit code and its messages",
    ),
}


class Whys:
    """The chain, from what was seen to what would have prevented it."""

    unasked: Final = f"{NOT_ASKED}: AUTONOMOUS_DIAGNOSTIC_WHY_DEPTH is {{depth}}"

    def chain(self, failure: Failure, verdict: Verdict) -> tuple[str, ...]:
        """Five whys, none of them empty."""
        causes = (cause.replace("{subject}", verdict.subject) for cause in CAUSES[verdict.kind])
        return (self.seen(failure), *causes)

    def seen(self, failure: Failure) -> str:
        """What was seen: the tool, how it ended and what it said."""
        ended = [f"code {failure.code}"] if failure.code is not None else []
        ended += [f"code {failure.word}"] if failure.word else []
        ended += [f"signal {failure.signal}"] if failure.signal else []
        what = f" ({line(failure.command, 80)})" if failure.command else ""
        said = line(failure.stderr, 120) or line(failure.message, 120) or "nothing was said"
        tool = line(failure.tool, 60) or "without a name"
        return f"Tool {tool}{what} failed with {', '.join(ended) or 'an error'}: {said}"

    def asked(self, chain: tuple[str, ...], depth: int) -> dict[str, str]:
        """The chain as the diagnosis has it: those beyond the depth say that they were not asked (DR-CFG-02)."""
        unasked = self.unasked.format(depth=depth)
        return {
            name: text if number < depth else unasked
            for number, (name, text) in enumerate(zip(WHYS, chain, strict=True))
        }

    def root_cause(self, verdict: Verdict) -> str:
        """What would have to be different, in one sentence."""
        return CAUSES[verdict.kind][0].replace("{subject}", verdict.subject)
