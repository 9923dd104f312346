"""Local tools as scripts: whether a use fails, and which recovery helps, from a seed."""

from functools import partial
from typing import Final

from harness.ports.launcher import Ended
from harness.runtime.uses import Use
from harness.simulation.incidents import WHOLE, Fate
from harness.simulation.mishaps import CAUSES, MISHAPS, WORKING, Mishap
from harness.simulation.profiles import Profile
from harness.simulation.providers import Answer
from harness.simulation.virtual_time import Chance
from harness.systems.diagnosis.contract import ErrorType
from harness.systems.error_log.contract import LOGGING_FAILURE, METRIC_FAILURE
from harness.systems.error_log.contract import ErrorType as Logged

USE: Final = "use"
BESIDE: Final = "beside"
TOOL: Final = "tool"  # kinds of incidents: why a use fails; that a recovery is no help
UNHELPED: Final = "recovery"
NONE: Final = "none"  # the cause of a use that works
WRONG: Final = 8  # a recovery from another cause than the true one helps so many times less often
SPOILED: Final = ("torn", "binary", "gone", "directory")
CHANGED: Final = (
    ("/", 250),
    ("/queue/", 40),
    ("/queue/dead-letter", 2),
    ("/queue/dead-letter", 2),
    ("/signals/", 12),
    ("/state/", 60),
    ("/ledgers/", 6),
    ("/escalations/", 2),
)
"""Parts of the paths of files, and about how often a session changes such files, and their locks."""
_RETRY_HELPS = 600  # of a thousand rate limits that were waited for
_DONE = Ended("exit", 0, "done")
_KINDS = (Logged.GIT_COMMIT_FAILURE.value, METRIC_FAILURE, LOGGING_FAILURE)
_BESIDE = {
    Logged.GIT_COMMIT_FAILURE.value: Ended("exit", 128, "fatal: Unable to create '.git/index.lock': File exists."),
    METRIC_FAILURE: Ended("exit", 1, "the metrics endpoint answered 503"),
    LOGGING_FAILURE: Ended("exit", 1, "the log of this session cannot be written"),
}


class Toolbox:
    """The tools of all agents."""

    def __init__(self, profile: Profile, seed: int) -> None:
        self._profile = profile
        self._seed = seed

    def draw(self, task: str, fate: Fate) -> Use:
        """The next use of a tool for a task, with what will befall it in its command."""
        cause, _, number = fate.meets(TOOL, self._drawn).partition(" ")
        mishap = _mishap(cause or NONE, number)
        command = (USE, cause or NONE, number or "0", "{attempt}", "{strategy}")
        return Use(task=task, tool=mishap.tool, command=command, args=mishap.args, goal="Make the tests pass.")

    def answer(self, argv: tuple[str, ...], believed: str, fate: Fate, chance: Chance) -> Answer:
        """What an attempt comes to; ``believed`` is the cause that its diagnosis found."""
        _, cause, number, attempt, strategy = argv
        after = chance.seconds(1, 30)
        mishap = _mishap(cause, number)
        if cause == NONE:
            return Answer(_DONE, after)
        if attempt != "1" and not fate.meets(UNHELPED, partial(self._draw_unhelped, cause, strategy, believed)):
            return Answer(_DONE, after)
        return Answer(mishap.ended, after, cause)

    def draw_crash(self, chance: Chance) -> str:
        """A part of a path, and at which change of such a file a session dies; WHOLE when it does not."""
        if not chance.per_mille(self._profile.crash_share):
            return WHOLE
        part, most = CHANGED[chance.below(len(CHANGED))]
        return f"{part} {chance.between(1, most)}"

    def draw_damage(self, chance: Chance) -> str:
        """What happens to a transcript before a stop; see Transcripts."""
        return SPOILED[chance.below(len(SPOILED))] if chance.per_mille(self._profile.damage_share) else WHOLE

    def beside(self, chance: Chance) -> tuple[str, tuple[str, ...]]:
        """Something beside the work: its kind, and the command of it."""
        kind = _KINDS[chance.below(len(_KINDS))]
        return kind, (BESIDE, kind)

    def answer_beside(self, argv: tuple[str, ...], fate: Fate, chance: Chance) -> Answer:
        """How that ends."""
        fails = fate.meets(BESIDE, self._draw_beside)
        return Answer(_BESIDE[argv[1]] if fails else _DONE, chance.seconds(1, 3))

    def _drawn(self, chance: Chance) -> str:
        if not chance.per_mille(self._profile.tool_share):
            return WHOLE
        found = CAUSES[chance.below(len(CAUSES))]
        return f"{found.value} {chance.below(len(MISHAPS[found]))}"

    def _draw_beside(self, chance: Chance) -> str:
        return "fails" if chance.per_mille(self._profile.beside_share) else WHOLE

    def _draw_unhelped(self, cause: str, strategy: str, believed: str, chance: Chance) -> str:
        return WHOLE if self._helps(cause, strategy, believed, chance) else "does not help"

    def _helps(self, cause: str, strategy: str, believed: str, chance: Chance) -> bool:
        if not strategy:
            return cause == ErrorType.RATE_LIMITED and chance.per_mille(_RETRY_HELPS)
        share = Chance(self._seed, "recovery", cause, strategy).between(350, 950)
        return chance.per_mille(share if believed == cause else share // WRONG)


def _mishap(cause: str, number: str) -> Mishap:
    return WORKING if cause == NONE else MISHAPS[ErrorType(cause)][int(number)]
