"""Level L2 for any stop hook: every row of the fault table, many stops at once, and input that is large or odd."""

from collections.abc import Iterator

from harness.core.scenario import FileSpec, Operation, Scenario, Schedule, Step
from harness.systems.stop_gate.contract import TRANSCRIPT_LIMIT_BYTES, Stdin, StopArguments
from harness.systems.stop_gate.workload import stop_faults
from harness.systems.stop_gate.workload.stop_steps import EITHER, ENDS, FOLDER, RESET, again, control, operation, stop
from harness.systems.stop_gate.workload.stop_tours import (
    ALWAYS,
    BOUNDED,
    DECLARED,
    TRANSCRIPTS,
    Cast,
    Strike,
    once,
    scenario,
    shown_under,
    through,
    twice,
)

MIB = 1024 * 1024
TURN_BYTES = 355  # of one turn that jsonl.grown appends, at most
LENGTHS = (("one", 1 * MIB), ("two", 2 * MIB), ("ten", 99 * MIB // 10))
HOSTILE_INPUT = (Stdin.EMPTY, Stdin.GARBAGE, Stdin.NOT_AN_OBJECT, Stdin.HUGE_INTEGER, Stdin.DEEP_NESTING, Stdin.LONG)
CALM = ("PS-PRM-02", "SH-07", "SH-08")


def level2() -> tuple[Scenario, ...]:
    """Every scenario of the level that needs no group, in a fixed order."""
    return (*_table(), *_together(), *_lengths(), *_inputs(), *_names())


def _table() -> Iterator[Scenario]:
    for row in stop_faults.rows():
        places = " ".join(str(strike.place) for strike in row.strikes)
        cast = DECLARED if "{semaphore}" in places else Cast.of(row.name)
        lost = row.name in ("transcript-torn-tail", "transcript-interleaved")
        yield scenario(
            row.name,
            row.what,
            shown_under(row.strikes, row.clauses),
            cast,
            row.tour(cast, row.strikes),
            files=row.files,
            allowed=EITHER if lost else ENDS,
        )
    cast = Cast.of("session-id-other")
    strikes = (Strike("identifier.other_session", None, {"value": cast.finished.session_id}),)
    steps = through(cast, strikes)
    shown = shown_under(strikes, ALWAYS)
    yield scenario("session-id-other", "A session has the id of another one that has ended", shown, cast, steps)


def _together() -> Iterator[Scenario]:
    for count in (2, 3, 5, 8):
        cast = Cast.of(f"together-{count}")
        one, other = cast.unfinished, cast.finished
        mixed = [operation(other if number % 2 else one, session_id=f"{one.session_id[:-1]}{number}")
                 for number in range(count)]  # fmt: skip
        steps = (
            *cast.calm,
            _at_once([operation(one)] * count),
            again(one),
            _at_once([operation(other)] * count),
            stop(other),
            RESET,
            _at_once(mixed),
            stop(other),
        )
        yield scenario(
            f"together-{count}",
            f"{count} stops at once: of one unfinished session, of one finished, of different ones",
            (*shown_under((), CALM), "PS-TST-01"),
            cast,
            steps,
        )


def _at_once(operations: list[Operation]) -> Step:
    return Step(schedule=Schedule(tuple(operations)))


def _lengths() -> Iterator[Scenario]:
    for name, size in LENGTHS:
        cast = Cast.of(f"length-{name}")
        strikes = (Strike("jsonl.grown", TRANSCRIPTS, {"count": size // TURN_BYTES}),)
        yield scenario(
            f"transcript-long-{name}",
            f"The session is long: about {size / MIB:.1f} MiB of honest lines",
            shown_under(strikes, CALM),
            cast,
            once(cast, strikes) if name == "ten" else twice(cast, strikes),  # the longest may cost a whole time-out
        )
    cast = Cast.of("grown-finished")
    strikes = (Strike("jsonl.grown", cast.finished.transcript_path),)
    grown = cast.put(strikes)
    yield scenario(
        "transcript-grown-finished",
        "A finished session goes on, and is stopped again and again while it grows",
        shown_under(strikes, CALM),
        cast,
        (*cast.calm, stop(cast.finished), *grown, stop(cast.finished, deserves=None), again(cast.finished, *grown)),
    )
    sizes = (TRANSCRIPT_LIMIT_BYTES, TRANSCRIPT_LIMIT_BYTES + 1)
    paths = {f"{FOLDER}/{sample}-{size}.jsonl": FileSpec(sample=sample, pad_bytes=size)
             for sample in ("block", "approve") for size in sizes}  # fmt: skip
    cast = Cast.of("size")
    stops = [
        stop(cast.finished if spec.sample == "approve" else cast.unfinished, transcript_path=path)
        for path, spec in paths.items()
    ]
    yield scenario(
        "transcript-size",
        "The transcript has exactly 10 MiB, then one byte more",
        CALM,
        cast,
        (*cast.calm, *stops),
        files=paths,
    )


def _inputs() -> Iterator[Scenario]:
    cast = Cast.of("stdin")
    stops = [stop(cast.finished, stdin=stdin) for stdin in HOSTILE_INPUT]
    steps = (*cast.calm, *(each for one in stops for each in (one, one)), stop(cast.finished))
    yield scenario(
        "stdin-hostile",
        "Standard input is empty, no object, or more than a parser takes, twice each; then all is well again",
        ALWAYS,
        cast,
        steps,
    )
    cast = Cast.of("no-project")
    unset = {"environment": {"CLAUDE_PROJECT_DIR": ""}}
    yield scenario(
        "environment-no-project",
        "The host does not say where the project is",
        (*ALWAYS, *BOUNDED),
        cast,
        (*cast.calm, stop(cast.unfinished), again(cast.unfinished, **unset), *[stop(cast.finished, **unset)] * 2),
    )


def _names() -> Iterator[Scenario]:
    casts = [Cast.of(f"names-{number}") for number in range(3)]
    steps = [step for cast in casts for step in (control(cast.unfinished), control(cast.finished))]
    first = casts[0]
    moved = StopArguments(session_id=first.unfinished.session_id, transcript_path=first.finished.transcript_path,
                          deserves=first.finished.deserves)  # fmt: skip
    yield scenario(
        "names",
        "Three people's sessions in calm weather, each under ids and paths of its own; the first then ends",
        CALM,
        first,
        (*steps, control(moved, stop_hook_active=True)),
        files={path: spec for cast in casts for path, spec in cast.files.items()},
    )
