"""Transcripts as real hosts write them, before any stop hook.

What a hook asks of a session only its owner can say, so nobody says what these sessions deserve. Whatever form a hook
meets, it answers in time and in its own form, leaves no process, and ends its blocks; and where no line holds a
message it blocks nobody. Of forms that the contract does not name only the finished session is shown.
"""

from collections.abc import Iterator, Mapping

from harness.core.scenario import FileSpec, Scenario
from harness.systems.stop_gate.contract import StopArguments
from harness.systems.stop_gate.workload.gate_steps import text
from harness.systems.stop_gate.workload.recorded import RECORDED, THREE_FORMS, words
from harness.systems.stop_gate.workload.stop_steps import CALM, FOLDER, again, scenario, stop

OTHER_FORMS: Mapping[str, tuple[str, ...]] = {"qwen-code": (), "gemini-cli": ("PS-TR-02",)}
SHOWN = ("SH-07", "SH-08", "PS-PRM-02")


def recorded_stops() -> Iterator[Scenario]:
    """A scenario for each host that was recorded."""
    for host in THREE_FORMS:
        unfinished, finished = _unfinished(host), _finished(host)
        yield scenario(
            f"hook-transcript-recorded-{host}",
            f"A session as {host} writes it is stopped until it is let go, unfinished and then finished",
            SHOWN,
            (*CALM, stop(unfinished), again(unfinished), stop(finished), again(finished)),
            files={**_file(unfinished, RECORDED[host].unfinished), **_file(finished, RECORDED[host].finished)},
        )
    for host, clauses in OTHER_FORMS.items():
        finished = _finished(host)
        yield scenario(
            f"hook-transcript-recorded-{host}",
            f"A finished session as {host} writes it, which a hook need not understand, is stopped until it is let go",
            (*SHOWN, *clauses),
            (*CALM, stop(finished), again(finished)),
            files=_file(finished, RECORDED[host].finished),
        )


def _unfinished(host: str) -> StopArguments:
    return _arguments(f"{host}-unfinished", words.WROTE)


def _finished(host: str) -> StopArguments:
    return _arguments(f"{host}-finished", words.ANSWERED)


def _arguments(name: str, said: str) -> StopArguments:
    return StopArguments(session_id=name, transcript_path=f"{FOLDER}/{name}.jsonl", last_assistant_message=said)


def _file(arguments: StopArguments, lines: tuple[str, ...]) -> dict[str, FileSpec]:
    return {arguments.transcript_path: text(*lines)}
