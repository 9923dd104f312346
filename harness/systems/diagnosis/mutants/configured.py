"""Mutants of the flags: DR-CFG-01 to DR-CFG-07."""

from collections.abc import Callable, Mapping
from typing import Any

from harness.systems.diagnosis.contract import FLAG_DEFAULTS, Flag
from harness.systems.diagnosis.mutants.table import enter, mutant
from harness.systems.diagnosis.reference.composing import Composing
from harness.systems.diagnosis.reference.flags import Flags, Settings

_FIELDS: Mapping[Flag, str] = dict(zip(Flag, Settings._fields, strict=True))
_CLAUSES: Mapping[Flag, str] = {flag: f"DR-CFG-0{number}" for number, flag in enumerate(Flag, 1)}
_OTHER_DEFAULTS: Mapping[Flag, str] = {
    Flag.ENABLED: "0",
    Flag.WHY_DEPTH: "3",
    Flag.TEMPERATURE: "0.7",
    Flag.MAX_TOKENS: "2048",
    Flag.MAX_RECOVERY_ATTEMPTS: "3",
    Flag.FAST_RECOVERY: "0",
    Flag.STORE_FULL: "0",
}


def _settings(change: Callable[[Settings, Settings], Settings]) -> Any:
    def settings(self: Flags, given: Mapping[str, str]) -> tuple[Settings, tuple[str, ...]]:
        found, wrong = Flags.settings(self, given)
        return change(found, Flags.settings(self, {})[0]), wrong

    return settings


def _ignoring(name: str) -> Any:
    return _settings(lambda found, default: found._replace(**{name: getattr(default, name)}))


def _zero_is_none(name: str) -> Any:
    return _settings(lambda found, default: found._replace(**{name: getattr(found, name) or getattr(default, name)}))


for _flag, _field in _FIELDS.items():
    _word = _field.replace("_", "-")
    enter(
        Flags, f"{_word}-has-another-default", _CLAUSES[_flag], f"the default of {_flag} is {_OTHER_DEFAULTS[_flag]}",
        defaults={**FLAG_DEFAULTS, _flag: _OTHER_DEFAULTS[_flag]},
    )  # fmt: skip
    enter(Flags, f"{_word}-is-ignored", _CLAUSES[_flag], f"{_flag} keeps its default", settings=_ignoring(_field))

for _flag in (Flag.WHY_DEPTH, Flag.TEMPERATURE, Flag.MAX_TOKENS, Flag.MAX_RECOVERY_ATTEMPTS):
    _field = _FIELDS[_flag]
    enter(
        Flags, f"{_field.replace('_', '-')}-zero-is-none", _CLAUSES[_flag], f"{_flag} of zero is taken for not set",
        settings=_zero_is_none(_field),
    )  # fmt: skip

enter(Flags, "one-attempt-more", "DR-CFG-05", "one attempt more than the flag says is allowed",
      settings=_settings(lambda found, _: found._replace(max_recovery_attempts=found.max_recovery_attempts + 1)),
      )  # fmt: skip
enter(Flags, "one-why-less", "DR-CFG-02", "one why less than the flag says is asked",
      settings=_settings(lambda found, _: found._replace(why_depth=max(0, found.why_depth - 1))))  # fmt: skip


@mutant("half-a-diagnosis-is-stored", "DR-CFG-07", "of the whole diagnosis only the root cause is stored")
class HalfADiagnosisIsStored(Composing):
    def session_record(self, *arguments: Any, full: bool) -> dict[str, Any]:
        found = super().session_record(*arguments, full=full)
        return {**found, "diagnosis": {"rootCause": found["diagnosis"]["rootCause"]}} if full else found
