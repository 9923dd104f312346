"""What a run leaves in its history: every operation's beginning and end, what stood in its way, and the files around it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import pytest

from harness.core.fault import ABSENT, Fault, Injection
from harness.core.history import Entry, EntryType, FileFact, InputFact
from harness.core.scenario import ClockStep, Operation, Repeat, Scenario, Schedule, Step, World
from harness.core.seed import derive
from harness.ports.clock import to_seconds, to_text
from harness.sandbox.room import Seen
from harness.targets.player import Player, play
from harness.targets.session import Reply, each_text

CLOCK = "2026-03-01T12:00:00Z"


class Recorded:
    """A session that notes what it is asked, and writes one more file with every operation."""

    profile = "toy"

    def __init__(self, answer: Callable[[Operation], Reply] | None = None, most: int = 100) -> None:
        self._answer = answer or (lambda operation: Reply(EntryType.OK, {"got": operation.name}))
        self._most = most
        self._now_s = 0.0
        self.written = 0
        self.asked: list[Any] = []

    def reset(self, scenario: Scenario) -> None:
        self.asked.append("reset")
        self.written = 0
        self._now_s = to_seconds(scenario.world.clock)

    def inject(self, fault: Fault, seed: int) -> Injection:
        self.asked.append(("fault", fault.name, seed))
        return Injection(fault, armed=True, proof="changed")

    def move_clock(self, by_s: float) -> None:
        self._now_s += by_s

    def now(self) -> str:
        return to_text(self._now_s)

    def stated(self, operation: Operation) -> Mapping[str, Any]:
        return {**operation.args, "stated": True}

    def repeats(self, at_most: int) -> int:
        return min(at_most, self._most)

    def look(self, paths: Sequence[str]) -> Seen:
        self.asked.append("look")
        files = {f"{{home}}/{n}": FileFact("file", n) for n in range(self.written)}
        return Seen(files, {path: self._fact(path) for path in paths})

    def inputs(self, paths: Sequence[str]) -> dict[str, InputFact]:
        self.asked.append(("inputs", *paths))
        return {path: self._fact(path) for path in paths}

    def _fact(self, path: str) -> InputFact:
        text = f"{path} after {self.written}"
        return InputFact("file", len(text), text.encode())

    def perform(self, operations: Sequence[tuple[int, Operation]]) -> list[Reply]:
        self.asked.append(("perform", [process for process, _ in operations]))
        self.written += len(operations)
        return [self._answer(operation) for _, operation in operations]


def inputs_of(operation: str, args: Mapping[str, Any]) -> Mapping[str, str]:
    return {"transcript": args["path"]} if "path" in args else {}


def scenario(*steps: Step, seed: int = 3) -> Scenario:
    return Scenario(1, "s", "t", "toy", "toy", (), World(CLOCK), steps, seed=seed)


def played(*steps: Step, session: Recorded | None = None) -> tuple[Entry, ...]:
    return play(scenario(*steps), session or Recorded(), inputs_of).entries  # type: ignore[arg-type]


def op(name: str = "check", process: int = 0, **args: Any) -> Step:
    return Step(process=process, op=Operation(name, args))


FAULT = Step(fault=Fault("jsonl.bom", "{home}/a"))
STANDING = Injection(FAULT.fault, armed=True, proof="changed")


def test_an_operation_is_an_invoke_and_its_end_with_the_files_before_and_after():
    assert played(op(path="{home}/t"), op("stop")) == (
        Entry(
            0, 0, EntryType.INVOKE, "check", {"path": "{home}/t", "stated": True}, CLOCK,
            inputs={"transcript": InputFact("file", 16, b"{home}/t after 0")},
        ),
        Entry(1, 0, EntryType.OK, "check", {"got": "check"}, CLOCK, files={"{home}/0": FileFact("file", 0)}),
        Entry(2, 0, EntryType.INVOKE, "stop", {"stated": True}, CLOCK, files={"{home}/0": FileFact("file", 0)}),
        Entry(
            3, 0, EntryType.OK, "stop", {"got": "stop"}, CLOCK,
            files={"{home}/0": FileFact("file", 0), "{home}/1": FileFact("file", 1)},
        ),
    )  # fmt: skip


@pytest.mark.parametrize("kind", [EntryType.OK, EntryType.FAIL, EntryType.INFO])
def test_an_end_is_of_the_kind_the_session_says(kind):
    session = Recorded(lambda operation: Reply(kind, {"reason": "x"}))
    invoke, end = played(op(process=2), session=session)
    assert (end.type, end.process, end.value, invoke.process) == (kind, 2, {"reason": "x"}, 2)


def test_faults_stand_from_their_step_on_until_a_reset():
    entries = played(op(), FAULT, op(), FAULT, op(), op("reset"), op())
    standing = {entry.n: entry.faults for entry in entries if entry.type is EntryType.INVOKE}
    assert list(standing.values()) == [(), (STANDING,), (STANDING, STANDING), (STANDING, STANDING), ()]
    assert all(entry.faults == () for entry in entries if entry.type is not EntryType.INVOKE)


class WithFields:
    """A system whose operation check has a session id."""

    contract: ClassVar[Any] = None

    @staticmethod
    def with_field(operation: str, args: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
        if operation != "check":
            return dict(args)
        return {name: given for name, given in {**args, field: value}.items() if given is not ABSENT}


WithFields.contract = WithFields


def test_an_identifier_is_changed_before_it_is_stated_and_until_a_reset(monkeypatch):
    monkeypatch.setattr("harness.targets.player.registry.get", lambda name: WithFields)
    fault = Fault("identifier.other_session", None, {"value": "b"})
    entries = played(op(id=1), Step(fault=fault), op(id=1), op("stop", id=1), op("reset"), op(id=1))
    invokes = [entry for entry in entries if entry.type is EntryType.INVOKE and entry.op != "reset"]
    assert [invoke.value.get("session_id") for invoke in invokes] == [None, "b", None, None]
    changed, kept = (Injection(fault, armed=True, proof=proof) for proof in ("changed", ""))
    assert [invoke.faults for invoke in invokes] == [(), (changed,), (kept,), ()]


def test_of_two_changes_of_an_identifier_the_later_one_holds(monkeypatch):
    monkeypatch.setattr("harness.targets.player.registry.get", lambda name: WithFields)
    faults = [Fault("identifier.empty"), Fault("identifier.absent"), Fault("identifier.null", None, {"field": "other"})]
    entries = played(*(Step(fault=fault) for fault in faults), op(id=1))
    assert entries[0].value == {"id": 1, "other": None, "stated": True}
    assert [injection.proof for injection in entries[0].faults] == ["changed", "changed", "changed"]


class Struck(Recorded):
    """A session in which the first operation after a fault is struck."""

    def __init__(self, process: int, proof: str) -> None:
        super().__init__()
        self._process, self._proof = process, proof
        self._next: tuple[Fault, ...] = ()

    def inject(self, fault: Fault, seed: int) -> Injection:
        self._next = (fault,)
        return Injection(fault, armed=True, proof="")

    def met(self) -> tuple[tuple[int, Injection], ...]:
        met, self._next = self._next, ()
        return tuple((self._process, Injection(fault, armed=True, proof=self._proof)) for fault in met)

    def hasten(self, attempt: int) -> None:
        pass


@pytest.mark.parametrize("proof", ["SIGKILL", ""])
def test_what_strikes_one_operation_is_proven_at_its_end_and_stands_no_more(proof):
    fault = Fault("process.killed")
    unproven, met = Injection(fault, armed=True, proof=""), Injection(fault, armed=True, proof=proof)
    entries = played(Step(fault=fault), op(), op(), session=Struck(0, proof))
    assert [entry.faults for entry in entries] == [(unproven,), (met,), (), ()]


def test_of_several_operations_only_the_one_that_was_struck_says_so():
    steps = (Step(fault=Fault("process.killed")), Step(schedule=Schedule((Operation("a"), Operation("b")))))
    entries = played(*steps, session=Struck(2, "SIGTERM"))
    assert [[injection.proof for injection in entry.faults] for entry in entries] == [[""], [""], [], ["SIGTERM"]]


def test_a_faults_seed_comes_from_the_scenarios_own():
    session = Recorded()
    played(FAULT, session=session)
    assert session.asked == ["reset", ("fault", "jsonl.bom", derive(3, "s"))]


def test_a_reset_is_recorded_and_gives_a_fresh_world():
    session = Recorded()
    entries = played(op(), Step(clock=ClockStep(60.0)), op("reset"), op(), session=session)
    assert [(entry.op, entry.type.value) for entry in entries] == [
        ("check", "invoke"), ("check", "ok"), ("reset", "invoke"), ("reset", "ok"), ("check", "invoke"), ("check", "ok"),
    ]  # fmt: skip
    assert [entry.now for entry in entries] == [CLOCK, CLOCK, "2026-03-01T12:01:00Z", CLOCK, CLOCK, CLOCK]
    assert [sorted(entry.files) for entry in entries[4:]] == [[], ["{home}/0"]]
    assert session.asked.count("reset") == 2


def test_the_clock_moves_what_follows():
    entries = played(op(), Step(clock=ClockStep(-90.5)), op())
    assert [entry.now for entry in entries] == [CLOCK, CLOCK, *["2026-03-01T11:58:29.500000Z"] * 2]


def test_a_schedule_begins_all_before_any_ends_and_numbers_its_processes_from_one():
    session = Recorded()
    entries = played(Step(schedule=Schedule((Operation("a"), Operation("b"), Operation("c")))), session=session)
    assert [(e.n, e.process, e.op, e.type.value) for e in entries] == [
        (0, 1, "a", "invoke"), (1, 2, "b", "invoke"), (2, 3, "c", "invoke"), (3, 1, "a", "ok"), (4, 2, "b", "ok"), (5, 3, "c", "ok"),
    ]  # fmt: skip
    assert [len(entry.files) for entry in entries] == [0, 0, 0, 3, 3, 3]
    assert ("perform", [1, 2, 3]) in session.asked


def test_files_are_looked_at_again_only_where_they_may_have_changed():
    session = Recorded()
    played(op(), op(), FAULT, op(), Step(clock=ClockStep(1.0)), op(), session=session)
    # before the first, after each, and once more after the fault and after the clock
    assert session.asked.count("look") == 1 + 4 + 2


def test_what_an_operation_is_given_is_seen_when_the_one_before_has_ended():
    session = Recorded()
    entries = played(op(path="a"), op(path="a"), op(path="b"), FAULT, op(path="b"), op(), op(path="b"), session=session)
    assert [b"a after 0", b"a after 1", b"b after 2", b"b after 3", b"b after 5"] == [
        fact.data for entry in entries for fact in entry.inputs.values()
    ]
    # another path than the one before had is asked for by itself
    assert [("inputs", "b"), ("inputs", "b")] == [each for each in session.asked if each[0] == "inputs"]


def test_under_a_fault_it_is_seen_when_the_operation_begins():
    session = Recorded()
    played(op(path="a"), FAULT, op(path="a"), op(path="a"), session=session)
    asked = [each for each in session.asked if each[0] in ("inputs", "perform") or each == "look"]
    begun = ("perform", [0])
    assert ["look", begun, "look", "look", begun, "look", ("inputs", "a"), begun, "look"] == asked


def test_where_time_may_pass_between_steps_it_is_seen_when_the_operation_begins():
    session = Recorded()
    player = Player(scenario(), session, inputs_of)  # type: ignore[arg-type]
    player.begin()
    for _ in range(3):
        player.take(op(path="a"))
    begun = ("perform", [0])
    assert ["reset", "look", *[begun, "look", ("inputs", "a")] * 2, begun, "look"] == session.asked


def test_what_several_operations_are_given_is_seen_once():
    session = Recorded()
    together = Schedule((Operation("a", {"path": "x"}), Operation("b", {"path": "y"}), Operation("c", {"path": "x"})))
    entries = played(Step(schedule=together), session=session)
    assert [b"x after 0", b"y after 0", b"x after 0"] == [
        fact.data for entry in entries for fact in entry.inputs.values()
    ]
    assert ["reset", "look", ("perform", [1, 2, 3]), "look"] == session.asked


def repeat(at_most: int, *steps: Step, **until: Any) -> Step:
    return Step(repeat=Repeat(at_most, until, steps))


def counted(name: str, results: Sequence[Mapping[str, Any]]) -> Recorded:
    """A session that answers the operation of that name with these results, one after the other."""
    rest = iter(results)
    return Recorded(lambda operation: Reply(EntryType.OK, next(rest) if operation.name == name else {}))


def test_a_repeat_ends_when_a_result_has_all_fields():
    session = counted("a", [{"x": 1}, {"x": 2, "y": 1}, {"x": 2, "y": 2, "z": 0}, {}])
    entries = played(repeat(9, op("a"), op("b"), x=2, y=2), session=session)
    assert [entry.op for entry in entries if entry.type is EntryType.INVOKE] == ["a", "b", "a", "b", "a"]


@pytest.mark.parametrize(("at_most", "most", "times"), [(3, 100, 3), (9, 2, 2), (0, 100, 0)])
def test_a_repeat_ends_after_its_own_bound_and_the_implementations(at_most, most, times):
    entries = played(repeat(at_most, op("a"), x=1), session=Recorded(most=most))
    assert len(entries) == 2 * times


def test_a_repeat_may_hold_faults_resets_and_repeats():
    session = counted("a", [{"x": 1}, {"x": 2}, {"x": 1}])
    inner = repeat(5, op("a"), x=1)
    entries = played(repeat(2, FAULT, op("reset"), inner, op("b"), x=2), session=session)
    assert [e.op for e in entries if e.type is EntryType.INVOKE] == ["reset", "a", "b", "reset", "a", "a"]


def test_the_replies_of_a_step_are_given_back():
    player = Player(scenario(), Recorded(), inputs_of)  # type: ignore[arg-type]
    player.begin()
    assert player.take(op()) == [Reply(EntryType.OK, {"got": "check"})]
    assert player.take(op("reset")) == [Reply(EntryType.OK, {})]
    assert player.take(FAULT) == []
    assert len(player.take(repeat(2, op(), op(), x=1))) == 4


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a", "A"),
        ({"a": ["b", {"c": "d"}]}, {"a": ["B", {"c": "D"}]}),
        (("a", 1), ["A", 1]),
        (None, None),
        (True, True),
        (1.5, 1.5),
        (b"a", b"a"),
    ],
)
def test_every_text_of_a_value_is_changed_and_no_key(value, expected):
    assert expected == each_text(value, str.upper)
