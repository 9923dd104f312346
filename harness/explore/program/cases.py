"""One thing that may happen to an operation, how it is made to happen, and what came of it."""

from collections.abc import Mapping
from typing import Final, Literal, Protocol

import msgspec

from harness.explore.crash_states import CrashState
from harness.explore.program.facts import Forecast
from harness.explore.program.names import Names
from harness.explore.program.place import Judgement, Place, how
from harness.explore.writes import Files
from harness.faults.syscalls import Fail, Kill, Site, Strike, Torn
from harness.sandbox import Ended

LayerName = Literal["errno", "kill", "crash", "crash twice", "power", "power twice", "schedule"]
LAYERS: Final[tuple[LayerName, ...]] = ("errno", "kill", "crash", "crash twice", "power", "power twice", "schedule")


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a case.

    ``met``: what was to happen did; otherwise nothing is said about it. ``state`` is equal for equal files afterwards,
    None when they cannot be told. ``foretold``: the files were as the recording says they have to be.
    """

    met: bool = True
    judgement: Judgement = Judgement(True, "check", "")
    op: str = ""
    state: object = None
    foretold: bool = True


class Memory:
    """Judgements by state, so that recover and check run once on each; shared by all threads."""

    def __init__(self) -> None:
        self._known: dict[object, Judgement] = {}

    def judge(self, place: Place, op_exit: str) -> tuple[object, Judgement]:
        """The state that ``place`` is in, and its judgement, now or earlier."""
        identity = place.identity()
        if identity is None:
            return None, place.judge(op_exit)
        key = (identity, op_exit)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = place.judge(op_exit)
        return key, known


class Case(Protocol):
    """``id`` names it in reports and to --replay; ``label`` says it in plain words."""

    @property
    def id(self) -> str:
        """See Case."""

    @property
    def layer(self) -> LayerName:
        """See LAYERS."""

    @property
    def label(self) -> str:
        """See Case."""

    def play(self, place: Place, memory: Memory) -> Outcome:
        """Make it happen in ``place`` and judge what is left; ``memory`` may know the judgement."""


class StruckCase(msgspec.Struct, frozen=True, kw_only=True):
    """The operation with one of its calls refused, or killed at one.

    ``short_first``: the write that is refused is done by half before, as on a disk that fills up (see Strike).
    ``forecast`` is how the files must be afterwards; None where that cannot be foretold.
    """

    id: str
    layer: LayerName
    label: str
    site: Site
    answer: Fail | Kill | Torn
    names: Names
    short_first: bool = False
    forecast: Forecast | None = None

    def play(self, place: Place, memory: Memory) -> Outcome:
        """See Case."""
        place.fresh()
        strike = Strike(self.site, self.answer, self.names)
        ended = place.operate(place.program.op, strike, frozenset({self.site.call}))
        if strike.met is None:
            return Outcome(met=False, op=how(ended))
        if ended.timed_out and not isinstance(self.answer, Kill | Torn):
            return Outcome(judgement=Judgement(False, "op", place.unended), op=how(ended))
        foretold = self.forecast is None or not self.forecast.wrong(place.differences())
        state, judgement = memory.judge(place, exit_of(ended))
        return Outcome(judgement=judgement, op=how(ended), state=state, foretold=foretold)


class StateCase(msgspec.Struct, frozen=True, kw_only=True):
    """A state in which a crash leaves the files; ``before`` is how they began, ``op_exit`` what op had reported.

    ``modes`` are permissions of files that were not there at the beginning.
    """

    id: str
    layer: LayerName
    label: str
    before: Files
    state: CrashState
    modes: Mapping[str, int] = {}
    op_exit: str = ""

    def play(self, place: Place, memory: Memory) -> Outcome:
        """See Case."""
        place.fresh()
        place.put(self.before, self.state.files, self.modes)
        state, judgement = memory.judge(place, self.op_exit)
        return Outcome(judgement=judgement, state=state)


def exit_of(ended: Ended) -> str:
    """How a command ended, as recover and check are told: "" when it did not end by itself."""
    return "" if ended.exit_code is None or ended.timed_out else str(ended.exit_code)
