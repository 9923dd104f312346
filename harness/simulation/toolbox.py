"""Local tools as scripts: whether a use fails, and which recovery helps, from a seed."""

from typing import Final

from harness.ports.launcher import Ended
from harness.runtime.uses import Use
from harness.simulation.mishaps import CAUSES, MISHAPS, WORKING, Mishap
from harness.simulation.profiles import Profile
from harness.simulation.providers import Answer
from harness.simulation.virtual_time import Chance
from harness.systems.diagnosis.contract import ErrorType
from harness.systems.error_log.contract import LOGGING_FAILURE, METRIC_FAILURE
from harness.systems.error_log.contract import ErrorType as Logged

USE: Final = "use"
BESIDE: Final = "beside"
NONE: Final = "none"  # the cause of a use that works
WRONG: Final = 8  # a recovery from another cause than the true one helps so many times less often
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

    def draw(self, task: str, chance: Chance) -> Use:
        """The next use of a tool for a task, with what will befall it in its command."""
        cause, number = NONE, 0
        if chance.per_mille(self._profile.tool_share):
            found = CAUSES[chance.below(len(CAUSES))]
            cause, number = found.value, chance.below(len(MISHAPS[found]))
        mishap = _mishap(cause, number)
        command = (USE, cause, str(number), "{attempt}", "{strategy}")
        return Use(task=task, tool=mishap.tool, command=command, args=mishap.args, goal="Make the tests pass.")

    def answer(self, argv: tuple[str, ...], believed: str, chance: Chance) -> Answer:
        """What an attempt comes to; ``believed`` is the cause that its diagnosis found."""
        _, cause, number, attempt, strategy = argv
        after = chance.seconds(1, 30)
        mishap = _mishap(cause, int(number))
        if cause == NONE or (attempt != "1" and self._helps(cause, strategy, believed, chance)):
            return Answer(_DONE, after)
        return Answer(mishap.ended, after, cause)

    def beside(self, chance: Chance) -> tuple[str, tuple[str, ...]]:
        """Something beside the work: its kind, and the command of it."""
        kind = _KINDS[chance.below(len(_KINDS))]
        return kind, (BESIDE, kind)

    def answer_beside(self, argv: tuple[str, ...], chance: Chance) -> Answer:
        """How that ends."""
        fails = chance.per_mille(self._profile.beside_share)
        return Answer(_BESIDE[argv[1]] if fails else _DONE, chance.seconds(1, 3))

    def _helps(self, cause: str, strategy: str, believed: str, chance: Chance) -> bool:
        if not strategy:
            return cause == ErrorType.RATE_LIMITED and chance.per_mille(_RETRY_HELPS)
        share = Chance(self._seed, "recovery", cause, strategy).between(350, 950)
        return chance.per_mille(share if believed == cause else share // WRONG)


def _mishap(cause: str, number: int) -> Mishap:
    return WORKING if cause == NONE else MISHAPS[ErrorType(cause)][number]
