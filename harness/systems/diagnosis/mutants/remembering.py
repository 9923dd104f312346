"""Mutants of the ContextLog and of the memories: DR-LOG-01 to DR-MEM-04."""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.systems.diagnosis.mutants.table import enter, mutant
from harness.systems.diagnosis.reference.composing import Composing
from harness.systems.diagnosis.reference.context_log import ContextLog
from harness.systems.diagnosis.reference.memories import Trace
from harness.systems.diagnosis.reference.planner import Attempt
from harness.systems.diagnosis.reference.reflection import DiagnosticReflection, Held


@mutant("no-events", "DR-LOG-01", "nothing is written to the ContextLog")
class NoEvents(ContextLog):
    def add(self, record: Mapping[str, Any], trace: Trace) -> None:
        return


@mutant("events-twice", "DR-LOG-01", "each reflection writes two events")
class EventsTwice(ContextLog):
    def add(self, record: Mapping[str, Any], trace: Trace) -> None:
        super().add(record, trace)
        super().add(record, trace)


def _event(**fields: Any) -> Any:
    def line(self: ContextLog, record: Mapping[str, Any]) -> bytes:
        written = {**record, **fields}
        return super(ContextLog, self).line({name: value for name, value in written.items() if value is not ...})

    return line


for _field, _value, _said in (
    ("actor", "agent", "the actor of an event is the agent"),
    ("act", "reflection", "the act of an event is another word"),
    ("name", "whys", "the name of an event is another word"), ("ts", ..., "an event has no time"),
    ("elapsed_ms", ..., "an event does not say how long it took"),
    ("elapsed_ms", -1, "an event took less than no time"),
    ("conv_id", "", "an event names no conversation"), ("trace_id", "t_0", "an event names another trace"),
    ("iter", 0, "an event names another iteration"), ("result_preview", ..., "an event has no preview"),
):  # fmt: skip
    _word = "missing" if _value is ... else "wrong" if _field != "elapsed_ms" else "negative"
    enter(
        ContextLog, f"event-{_field.replace('_', '-')}-is-{_word}", "DR-LOG-01", _said, line=_event(**{_field: _value})
    )


def _metadata(**fields: Any) -> Any:
    def metadata(self: ContextLog, diagnosis: Mapping[str, Any], tool: str) -> dict[str, Any]:
        found = ContextLog.metadata(self, diagnosis, tool)
        return {**found, **{name: value(found[name]) if callable(value) else value for name, value in fields.items()}}

    return metadata


enter(ContextLog, "event-type-is-unknown", "DR-LOG-02", "the type of an event is always unknown",
      metadata=_metadata(error_type="unknown"))  # fmt: skip
enter(ContextLog, "event-counts-one-more", "DR-LOG-02", "an event counts one alternative more than there are",
      metadata=_metadata(alternatives_count=lambda count: count + 1))  # fmt: skip
enter(ContextLog, "event-names-another-tool", "DR-LOG-02", "the tool of an event is always shell",
      metadata=_metadata(failed_tool="shell"))  # fmt: skip
enter(ContextLog, "event-asks-the-user", "DR-LOG-02", "the strategy of an event is always to ask the user",
      metadata=_metadata(recovery_strategy="ask_user"))  # fmt: skip
enter(ContextLog, "event-is-half-sure", "DR-LOG-02", "the confidence of an event is always 0.5",
      metadata=_metadata(confidence=0.5))  # fmt: skip
enter(ContextLog, "event-has-another-root", "DR-LOG-02", "the root cause of an event is always the same",
      metadata=_metadata(root_cause="missing_tool"))  # fmt: skip

enter(DiagnosticReflection, "session-memory-elsewhere", "DR-MEM-01", "the session memory has another name",
      session_path="{home}/.session.jsonl")  # fmt: skip
enter(DiagnosticReflection, "episodic-memory-elsewhere", "DR-MEM-02", "the episodic memory has another name",
      episodic_path="{home}/.episodes.jsonl")  # fmt: skip
enter(DiagnosticReflection, "context-log-elsewhere", "DR-LOG-01", "the ContextLog has another name",
      context_log_path="{home}/context.jsonl")  # fmt: skip


def _session(**fields: Any) -> Any:
    def record(self: Composing, *arguments: Any, full: bool) -> dict[str, Any]:
        found = Composing.session_record(self, *arguments, full=full)
        diagnosis = found["failure_diagnosis"]
        changed = {
            **diagnosis,
            **{name: value(diagnosis) if callable(value) else value for name, value in fields.items()},
        }
        kept = {name: value for name, value in changed.items() if value is not ...}
        return {**found, "failure_diagnosis": kept}

    return record


enter(Composing, "session-has-four-whys", "DR-MEM-01", "a record of the session memory has four whys",
      session_record=_session(why_chain=lambda found: found["why_chain"][:4]))  # fmt: skip
enter(Composing, "session-has-no-root-cause", "DR-MEM-01", "a record of the session memory has no root cause",
      session_record=_session(root_cause=...))  # fmt: skip
enter(Composing, "session-has-no-immediate-cause", "DR-MEM-01", "a record of the session memory has no immediate cause",
      session_record=_session(immediate_cause=...))  # fmt: skip
enter(Composing, "attempts-are-not-kept", "DR-MEM-01", "recovery_attempted is always empty",
      session_record=_session(recovery_attempted=()))  # fmt: skip


@mutant("learned-pattern-has-no-confidence", "DR-MEM-01", "a learned pattern has no confidence")
class LearnedPatternHasNoConfidence(Composing):
    def learned_pattern(self, trigger: str, strategy: str, confidence: float) -> dict[str, Any]:
        return {"when": trigger, "then": strategy}


def _episode(place: str, **fields: Any) -> Any:
    def episode(self: Composing, *arguments: Any) -> dict[str, Any]:
        found = Composing.episode(self, *arguments)
        if place not in found:
            return found
        changed = {name: value for name, value in {**found[place], **fields}.items() if value is not ...}
        return {**found, place: changed}

    return episode


enter(Composing, "episode-without-a-tool", "DR-MEM-02", "an episode does not name the tool",
      episode=_episode("error_encountered", tool=...))  # fmt: skip
enter(Composing, "episode-without-a-root-cause", "DR-MEM-02", "an episode has no root cause",
      episode=_episode("error_encountered", root_cause=...))  # fmt: skip
enter(Composing, "recovery-without-tools", "DR-MEM-02", "a successful recovery does not name its tools",
      episode=_episode("successful_recovery", tools=...))  # fmt: skip
enter(Composing, "recovery-in-no-iterations", "DR-MEM-02", "a successful recovery took no iterations",
      episode=_episode("successful_recovery", iterations_to_success=0))  # fmt: skip
enter(Composing, "success-rate-in-words", "DR-MEM-02", "the success rate is a word",
      episode=_episode("reusable_pattern", success_rate="often"))  # fmt: skip


@mutant("failures-are-not-stored", "DR-MEM-03", "only recoveries that worked are stored")
class FailuresAreNotStored(DiagnosticReflection):
    def learn(self, held: Held, attempt: Attempt, now_s: float, trace: Trace) -> None:
        if attempt.success:
            super().learn(held, attempt, now_s, trace)


@mutant("failures-are-stored-as-successes", "DR-MEM-03", "a recovery that failed is stored as one that worked")
class FailuresAreStoredAsSuccesses(Composing):
    def attempted(self, attempt: Attempt) -> dict[str, Any]:
        return super().attempted(attempt._replace(success=True))


@mutant("failures-have-no-episode", "DR-MEM-03", "an attempt that failed leaves the list of those that were made")
class FailuresHaveNoEpisode(Composing):
    def session_record(
        self,
        diagnosis: Mapping[str, Any],
        attempts: Sequence[Attempt],
        learned: Mapping[str, Any] | None,
        *,
        full: bool,
    ) -> dict[str, Any]:
        worked = [attempt for attempt in attempts if attempt.success]
        return super().session_record(diagnosis, worked, learned, full=full)
