"""What the gate's oracle reads out of bytes, files and histories: transcript, session and view, one function each."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from harness.core.fault import Fault, Injection
from harness.core.history import Entry, EntryType, FileFact, History, InputFact
from harness.core.scenario import FileSpec, Scenario, World
from harness.systems.stop_gate.contract import PROMPT_MARK, CheckArguments, CheckerOutcome, Consideration, Severity
from harness.systems.stop_gate.oracle import session, transcript
from harness.systems.stop_gate.oracle.gate_view import RUNTIME, GateView, link_target, normalised
from harness.systems.stop_gate.oracle.session import ANALYSED, Config, Facts, Outcome, Semaphore
from harness.systems.stop_gate.oracle.transcript import Answer3, Kind

NOW = "2026-01-01T12:00:00+00:00"
PATH = "{home}/t.jsonl"
SEMAPHORE = f"{RUNTIME}/.s-1_completed"
HELLO = b'{"role": "user", "content": "hello"}\n'
EITHER = frozenset({True, False})


def spoken(role: str, content: str = "hello", **more: Any) -> bytes:
    return json.dumps({"role": role, "content": content, **more}).encode() + b"\n"


def in_payload(role: str, content: str) -> bytes:
    return json.dumps({"payload": {"role": role, "content": content}}).encode() + b"\n"


# --- transcript


@pytest.mark.parametrize(
    ("data", "assistant_only", "answer"),
    [
        (spoken("assistant", PROMPT_MARK) + in_payload("assistant", "no mark"), True, Answer3.MAYBE),
        (spoken("assistant", PROMPT_MARK) + in_payload("assistant", PROMPT_MARK), True, Answer3.YES),
        (spoken("assistant", "plain") + in_payload("user", PROMPT_MARK), True, Answer3.NO),
        (spoken("assistant", "plain") + in_payload("user", PROMPT_MARK), False, Answer3.MAYBE),
        (in_payload("assistant", PROMPT_MARK), True, Answer3.MAYBE),
        (in_payload("assistant", "no mark"), True, Answer3.NO),
        (b"", False, Answer3.NO),
    ],
)
def test_a_mark_in_a_message_that_may_be_none_is_looked_for_further_back(
    data: bytes, assistant_only: bool, answer: Answer3
) -> None:
    assert transcript.read(data).last_has_mark(assistant_only=assistant_only) is answer


@pytest.mark.parametrize("blank", ["\u00a0", "\x0b", "\u2003 "])
def test_a_line_that_is_blank_only_to_unicode_may_be_invalid(blank: str) -> None:
    read = transcript.read(blank.encode() + b"\n \t\r\n")
    assert [line.possible for line in read.lines] == [{Kind.BLANK, Kind.INVALID}, {Kind.BLANK}]
    assert (read.invalid_at_least, read.invalid_at_most) == (0, 1)


def test_a_message_that_is_a_text_instead_of_an_object_may_be_dropped() -> None:
    (line,) = transcript.read(b'{"type": "user", "message": "hello"}').lines
    assert line.possible == {Kind.MESSAGE, Kind.NO_MESSAGE}
    assert line.message is not None
    assert (line.message.role, line.message.text) == ("user", "hello")
    (other,) = transcript.read(b'{"type": "progress", "message": "hello"}').lines
    assert (other.possible, other.message) == ({Kind.NO_MESSAGE}, None)


# --- session


@pytest.mark.parametrize(
    ("data", "enabled", "timeouts"),
    [
        (None, EITHER, frozenset({None, 1, 300})),
        (b'\xef\xbb\xbf{"enabled": false, "timeout_seconds": 7}', EITHER, frozenset({None, 7})),
        (b'\xef\xbb\xbf{"enabled": true}', frozenset({True}), frozenset({None})),
        (b'{"enabled": true, "enabled": true}', EITHER, frozenset({None})),
        (b'{"enabled": false, "x": NaN}', EITHER, frozenset({None})),
    ],
)
def test_a_configuration_that_may_be_refused_leaves_its_values_and_the_defaults_open(
    data: bytes | None, enabled: frozenset[bool], timeouts: frozenset[int | None]
) -> None:
    assert session.read_config(InputFact("file", 1, data)) == Config("unsure", enabled, timeouts)


def test_a_configuration_behind_a_link_may_be_refused() -> None:
    fact = InputFact("file", 18, b'{"enabled": false}')
    assert session.read_config(fact).enabled == {False}
    assert session.read_config(fact, is_link=True) == Config("unsure", EITHER)


@pytest.mark.parametrize(
    ("fact", "state"),
    [
        (None, Semaphore.NONE),
        (FileFact("directory"), Semaphore.MAYBE),
        (FileFact("symlink"), Semaphore.LINK),
        (FileFact("file", mtime_s=10_000.0), Semaphore.FRESH),
        (FileFact("file", mtime_s=6_399.0), Semaphore.STALE),
        (FileFact("file", mtime_s=10_001.0), Semaphore.FUTURE),
    ],
)
def test_what_stands_at_the_semaphores_place_has_one_state(fact: FileFact | None, state: Semaphore) -> None:
    assert session.semaphore_state(fact, 10_000.0) is state


def facts(path: str, data: bytes | None = HELLO, *items: Consideration) -> Facts:
    given = None if data is None else InputFact("file", len(data), data)
    read = None if data is None else transcript.read(data)
    args = CheckArguments(path, "{project}", "s-1", items)
    return Facts(args, given, read, Config("missing"), Semaphore.NONE)


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_a_path_that_no_file_can_have_is_unreadable_or_missing(path: str) -> None:
    assert session.outcomes(facts(path)) == {Outcome.UNREADABLE, Outcome.MISSING}
    assert session.outcomes(facts(PATH)) == {Outcome.SATISFIED}


def test_bare_carriage_returns_leave_open_what_the_lines_are() -> None:
    murky = session.outcomes(facts(PATH, HELLO.replace(b", ", b",\r")))
    assert murky == {
        Outcome.UNREADABLE, Outcome.TOO_MANY_INVALID, Outcome.EMPTY, Outcome.PROMPT, Outcome.SATISFIED,
    }  # fmt: skip


HANG = Consideration("hang", CheckerOutcome.HANGS)
FAILED = Consideration("failed", CheckerOutcome.FAILED, Severity.BLOCKER)


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ((HANG,), {Outcome.SATISFIED}),
        ((HANG, HANG), {Outcome.SATISFIED, Outcome.TIMEOUT}),
        ((HANG, HANG, HANG), {Outcome.TIMEOUT}),
        ((FAILED, HANG, HANG, HANG), {Outcome.TIMEOUT, Outcome.BLOCK}),
        ((HANG, HANG, FAILED, HANG), {Outcome.TIMEOUT, Outcome.BLOCK}),
        ((HANG, HANG, HANG, FAILED), {Outcome.TIMEOUT}),
    ],
)
def test_waiting_up_to_the_limit_is_open_and_beyond_it_a_timeout(
    items: tuple[Consideration, ...], found: set[Outcome]
) -> None:
    assert session.analysis_within(facts(PATH, HELLO, *items), checker_s=5.0, whole_s=10.0) == found


# --- the view of a history


def scenario(**files: FileSpec) -> Scenario:
    named = {{"transcript": PATH, "semaphore": SEMAPHORE}[name]: spec for name, spec in files.items()}
    return Scenario(1, "s", "t", "stop_gate", "gate", (), World(NOW, named), ())


def asked(
    n: int = 0,
    *,
    op: str = "check",
    value: Mapping[str, Any] | None = None,
    faults: tuple[Injection, ...] = (),
    files: Mapping[str, FileFact] | None = None,
    given: InputFact | None = None,
) -> Entry:
    args = {"transcript_path": PATH, "project_root": "{project}", "session_id": "s-1"} if value is None else value
    inputs = {"transcript": given or InputFact("file", len(HELLO), HELLO)}
    return Entry(n, 0, EntryType.INVOKE, op, args, NOW, faults, files or {}, inputs)


def struck(name: str, path: str) -> tuple[Injection, ...]:
    return (Injection(Fault(name, path), armed=True, proof="met"),)


def view(*entries: Entry, world: Scenario | None = None) -> GateView:
    return GateView(world or scenario(), History(entries))


def test_a_check_that_never_ended_says_that_the_run_did() -> None:
    (check,) = view(asked()).checks
    assert (check.said, check.answer, check.permitted) == ("the run ended without an answer", None, False)


def test_operations_of_other_names_and_checks_without_a_checks_arguments_are_no_checks() -> None:
    seen = view(asked(0, op="open"), asked(1, value={"considerations": 5}), asked(2))
    assert [check.n for check in seen.checks] == [2]
    assert (seen.prompts, seen.metrics) == ((), ())


PADDED = FileSpec(text=HELLO.decode(), pad_bytes=1_000_000)


@pytest.mark.parametrize(
    ("spec", "size", "faults", "known"),
    [
        (PADDED, 1_000_000, (), True),
        (PADDED, 999_999, (), False),
        (PADDED, 1_000_000, struck("jsonl.grown", PATH), False),
        (PADDED, 1_000_000, struck("filesystem.read_only", RUNTIME), True),
        (FileSpec(sample="approve"), 1_000_000, (), False),
        (FileSpec("directory"), 1_000_000, (), False),
    ],
)
def test_a_large_transcript_is_known_from_the_scenario_unless_something_changed_it(
    spec: FileSpec, size: int, faults: tuple[Injection, ...], known: bool
) -> None:
    large = asked(given=InputFact("file", size), faults=faults)
    (check,) = view(large, world=scenario(transcript=spec)).checks
    assert check.facts.transcript == (transcript.read(HELLO) if known else None)


@pytest.mark.parametrize(
    ("path", "state"),
    [
        (SEMAPHORE, Semaphore.MAYBE),
        (RUNTIME, Semaphore.MAYBE),
        (f"{RUNTIME}/", Semaphore.MAYBE),
        (f"{RUNTIME}-evil", Semaphore.FRESH),
        (PATH, Semaphore.FRESH),
    ],
)
def test_a_fault_on_the_way_may_hide_a_fresh_semaphore(path: str, state: Semaphore) -> None:
    fresh = {SEMAPHORE: FileFact("file", mtime_s=1_767_268_800.0)}
    (check,) = view(asked(files=fresh, faults=struck("filesystem.unreadable", path))).checks
    assert check.facts.semaphore is state
    assert check.outcomes >= {Outcome.ALREADY_RAN}
    assert bool(check.outcomes & ANALYSED) is (state is Semaphore.MAYBE)


@pytest.mark.parametrize(
    ("target", "faults", "leads_to", "state"),
    [
        ("nothing", (), f"{RUNTIME}/nothing", Semaphore.GONE),
        (f"{RUNTIME}/./deep//../nothing", (), f"{RUNTIME}/nothing", Semaphore.GONE),
        ("../x", (), "{home}/.amplihack/.claude/runtime/x", Semaphore.LINK),
        ("{outside}/x", (), "{outside}/x", Semaphore.LINK),
        ("nothing", struck("filesystem.link_outside", SEMAPHORE), "{outside}", Semaphore.LINK),
        ("nothing", struck("filesystem.link_outside", RUNTIME), f"{RUNTIME}/nothing", Semaphore.GONE),
        (None, (), None, Semaphore.LINK),
    ],
)
def test_a_semaphore_that_is_a_link_leads_where_scenario_and_faults_say(
    target: str | None, faults: tuple[Injection, ...], leads_to: str | None, state: Semaphore
) -> None:
    world = scenario(semaphore=FileSpec("symlink", target=target))
    assert link_target(SEMAPHORE, world, faults) == leads_to
    (check,) = view(asked(files={SEMAPHORE: FileFact("symlink")}, faults=faults), world=world).checks
    assert check.facts.semaphore is state


def test_what_is_no_link_leads_nowhere() -> None:
    assert link_target(SEMAPHORE, scenario(semaphore=FileSpec(text="")), ()) is None
    assert link_target(SEMAPHORE, scenario(), ()) is None


@pytest.mark.parametrize(
    ("path", "plain"),
    [("/a/./b//c/../d", "/a/b/d"), ("a/b/", "a/b"), ("../a", "a"), ("/..", "/"), ("{home}/a", "{home}/a")],
)
def test_a_normalised_path_has_no_dots_and_no_doubled_separators(path: str, plain: str) -> None:
    assert normalised(path) == plain
