"""A history of diagnoses as the rules look at it: what was observed, diagnosed, tried, asked for and kept. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from harness.core.history import History
from harness.core.scenario import Scenario
from harness.systems.diagnosis.contract import ObserveArguments, OutcomeArguments
from harness.systems.diagnosis.oracle import weather
from harness.systems.diagnosis.oracle.asking import Call, calls
from harness.systems.diagnosis.oracle.failure import Failure, failure_of, tools_of
from harness.systems.diagnosis.oracle.files import EPISODIC, PATHS, SESSION, Span, content, spans
from harness.systems.diagnosis.oracle.flags import Flags
from harness.systems.diagnosis.oracle.form import alternatives, asks, tools_named

_NAME: Final = re.compile(r"[\w.:/-]{1,100}")


class Observed(msgspec.Struct, frozen=True):
    """A tool call that ended, and what was made of it.

    ``failure`` is None after a success, and for a failure that has not the form of the document (``hostile``).
    ``diagnosis`` is None when the answer has none that is an object.
    """

    call: Call
    args: ObserveArguments
    failure: Failure | None
    reflection: str | None
    diagnosis: Mapping[str, Any] | None

    @property
    def hostile(self) -> bool:
        """Is it a failure, or a context, of another form than the document has?"""
        return not self.args.success and (self.failure is None or self.failure.context is None)

    @property
    def named(self) -> bool:
        """Has the tool a name that can be written down as it is, in any file and by anybody?"""
        return isinstance(self.args.tool, str) and _NAME.fullmatch(self.args.tool) is not None

    @property
    def asks_user(self) -> bool:
        """Is no recovery tried, but the user asked?"""
        return self.call.result.get("asks_user", False) is True

    @property
    def prompts(self) -> tuple[Mapping[str, Any], ...]:
        """What the model was asked, call by call."""
        found = self.call.result.get("model_calls", ())
        return tuple(each for each in found if isinstance(each, Mapping)) if isinstance(found, list | tuple) else ()


class Tried(msgspec.Struct, frozen=True):
    """The outcome of a recovery: which failure it was of, and the outcomes told of it ``before``, in order."""

    call: Call
    args: OutcomeArguments
    of: Observed
    before: tuple["Tried", ...]

    @property
    def strategy(self) -> str | None:
        """The strategy that was tried, as the answer names it."""
        found = self.call.result.get("strategy")
        return found if isinstance(found, str) else None

    @property
    def next_plan(self) -> Mapping[str, Any] | None:
        """The plan to go on with."""
        found = self.call.result.get("next_plan")
        return found if isinstance(found, Mapping) else None

    @property
    def asks_user(self) -> bool:
        """Is the user asked now?"""
        return self.call.result.get("asks_user", False) is True

    @property
    def nothing_left(self) -> bool:
        """Were strategies with tools proposed, and has each of them been tried, and failed?"""
        found = [] if self.of.diagnosis is None else alternatives(self.of.diagnosis)
        with_tools = {each["strategy"] for each in found if tools_named(each)}
        return bool(with_tools) and with_tools <= {
            each.strategy for each in (*self.before, self) if not each.args.success
        }

    @property
    def asked_the_user(self) -> bool:
        """Was it to ask the user that was tried? There is nothing to be learned of that."""
        return self.of.diagnosis is None or asks(self.strategy, self.of.diagnosis)


class Asked(msgspec.Struct, frozen=True):
    """A prompt or a report that was asked for: of which failure, and the outcomes told before."""

    call: Call
    of: Observed
    before: tuple[Tried, ...]

    @property
    def text(self) -> str:
        """The text, empty when there is none."""
        found = self.call.result.get("text")
        return found if isinstance(found, str) else ""


class Learned(msgspec.Struct, frozen=True):
    """How often the strategy that worked best did, and how often any failed, for one failure."""

    successes: int
    failures: int


class View:
    """One history.

    ``calls`` are all operations; ``observed`` those that told how a tool call ended, of which ``failed`` did and
    ``diagnosed`` have a diagnosis. ``tried``, ``prompts`` and ``reports`` are of failures that the same life of a
    process had observed: nobody else can know the name of the call. ``spans`` are for what was kept in files.
    What is not bound to be answered, or was not asked in the form of the contract, is in ``calls`` and ``spans`` only.

    ``constant`` is what is wrong with an implementation whose diagnoses hang on nothing, "" when they hang on what
    failed. It is the other side of every "must not", and of every form: a diagnosis after a success, or the very same
    one, its id included, of two failures. Source: CERTIFICATION.md, "Control".
    """

    def __init__(self, scenario: Scenario, history: History) -> None:
        config = scenario.world.config
        self.flags = Flags(config.get("flags"))
        self.tools_fs_root = str(config.get("tools_fs_root", "{home}/workspace"))
        self.conv_id, self.trace_id = str(config.get("conv_id", "c_1")), str(config.get("trace_id", "t_1"))
        self.model_limit_s = config.get("model_limit_s", 5.0)
        self.calls = calls(history)
        self.spans: tuple[Span, ...] = spans(self.calls)
        self.observed: list[Observed] = []
        self.tried: list[Tried] = []
        self.prompts: list[Asked] = []
        self.reports: list[Asked] = []
        self._known: dict[tuple[tuple[int, int, int], str], Observed] = {}
        self._outcomes: defaultdict[int, list[Tried]] = defaultdict(list)  # by the number of the observation
        for call in self.calls:
            if call.binds:
                self._add(call)
        self.failed = [each for each in self.observed if not each.args.success]
        self.diagnosed = [each for each in self.failed if each.diagnosis is not None]
        self.constant = self._constant()

    def outcomes(self, observed: Observed) -> tuple[Tried, ...]:
        """Every outcome that was told of that failure, in order."""
        return tuple(self._outcomes[observed.call.n])

    def span(self, call: Call) -> Span:
        """The operations that ran together with that one."""
        return next(span for span in self.spans if any(each.n == call.n for each in span.calls))

    def learned(self, observed: Observed) -> Learned | None:
        """What the outcomes told before have to have taught of that very failure; None where nobody knows.

        It counts what any process was told in the same world, as long as no fault struck the memories and they were
        empty in the beginning.
        """
        before = [each for each in self.calls if each.segment == observed.call.segment and each.n <= observed.call.n]
        if any(_is_memory_doubted(before[0], call) for call in before):
            return None
        told = [
            each
            for each in self.tried
            if each.call.segment == observed.call.segment
            and each.call.ended_n < observed.call.n
            and each.call.answered
            and _is_same_failure(each.of.args, observed.args)
        ]
        worked = Counter(each.strategy for each in told if each.args.success and not each.asked_the_user)
        return Learned(max(worked.values(), default=0), sum(not each.args.success for each in told))

    def _add(self, call: Call) -> None:
        if isinstance(call.args, ObserveArguments):
            seen = _observed(call, call.args)
            self.observed.append(seen)
            self._known[call.who, call.args.call] = seen
            return
        of = self._known.get((call.who, call.args.call))
        if of is None or not of.call.answered or of.call.overlaps(call) or _may_not_know(call):
            return
        before = tuple(self._outcomes[of.call.n])
        if isinstance(call.args, OutcomeArguments):
            tried = Tried(call, call.args, of, before)
            self.tried.append(tried)
            self._outcomes[of.call.n].append(tried)
        else:
            (self.prompts if call.op == "prompt" else self.reports).append(Asked(call, of, before))

    def _constant(self) -> str:
        for each in self.observed:
            if each.args.success and each.diagnosis is not None and each.call.answered:
                return f"a success was diagnosed: {each.call.said}"
        for index, each in enumerate(self.diagnosed):
            for other in self.diagnosed[index + 1 :]:
                if each.diagnosis == other.diagnosis and each.args.error != other.args.error:
                    return f"two failures have one diagnosis: {each.call.said}"
        return ""


def _may_not_know(call: Call) -> bool:
    """Does it say that it knows no such call, as a process may that was begun beside others and ended with its call?

    So may one whose memory of the session was taken from it.
    """
    told = call.result.get("strategy" if call.op == "outcome" else "text")
    path = PATHS[SESSION]
    is_taken = any(weather.shakes(fault, path) or weather.damages(fault, path) for fault in call.faults)
    return (call.process > 0 or is_taken) and call.answered and not told


def _is_memory_doubted(first: Call, call: Call) -> bool:
    """May what was learned be another thing than what was told: something stood there, or a fault struck the files?"""
    for label in (SESSION, EPISODIC):
        if content(first.inputs.get(label)) or not call.answered:
            return True
        if any(weather.shakes(fault, PATHS[label]) or weather.damages(fault, PATHS[label]) for fault in call.faults):
            return True
    return False


def _is_same_failure(one: ObserveArguments, other: ObserveArguments) -> bool:
    return [one.tool, one.args, one.error, tools_of(one)] == [other.tool, other.args, other.error, tools_of(other)]


def _observed(call: Call, args: ObserveArguments) -> Observed:
    diagnosis, reflection = call.result.get("diagnosis"), call.result.get("reflection")
    return Observed(
        call,
        args,
        None if args.success else failure_of(args),
        reflection if isinstance(reflection, str) else None,
        diagnosis if isinstance(diagnosis, Mapping) else None,
    )
