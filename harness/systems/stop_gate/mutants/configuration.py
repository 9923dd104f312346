"""Mutants of the configuration: PS-CFG."""

import json
from collections.abc import Mapping
from typing import Any

from harness.systems.stop_gate.contract import CheckResult, LogCode
from harness.systems.stop_gate.mutants.table import mutant
from harness.systems.stop_gate.reference.config import LIMIT_BYTES, Config, ConfigReader
from harness.systems.stop_gate.reference.gate import StopGate
from harness.systems.stop_gate.reference.inputs import Case
from harness.systems.stop_gate.reference.trace import Trace


@mutant("config-at-project-root", "PS-CFG-01", "the configuration is looked for at the top of the project")
class ConfigAtProjectRoot(StopGate):
    def config_path(self, case: Case) -> str:
        return f"{case.arguments.project_root}/.power_steering_config"


@mutant("missing-config-switches-off", "PS-CFG-01", "without a configuration the gate is off")
class MissingConfigSwitchesOff(ConfigReader):
    def without_file(self) -> Config:
        return Config(False, 30)


@mutant("bad-config-switches-off", "PS-CFG-02", "a configuration that cannot be used switches the gate off")
class BadConfigSwitchesOff(ConfigReader):
    def unusable(self, why: str, trace: Trace) -> Mapping[str, Any]:
        super().unusable(why, trace)
        return {"enabled": False}


@mutant("bad-config-unlogged", "PS-CFG-02", "a configuration that cannot be used is passed over in silence")
class BadConfigUnlogged(ConfigReader):
    def unusable(self, why: str, trace: Trace) -> Mapping[str, Any]:
        return {}


@mutant("config-list-has-no-keys", "PS-CFG-02", "a configuration that is a JSON list breaks the check")
class ConfigListHasNoKeys(ConfigReader):
    def decode(self, data: bytes, trace: Trace) -> Mapping[str, Any]:
        try:
            found: Any = json.loads(data)
        except (ValueError, RecursionError) as error:
            return self.unusable(str(error), trace)
        found.keys()
        return dict(found)


@mutant(
    "config-bad-encoding-raises", "PS-CFG-02", "only JSONDecodeError is caught, so bytes that are no UTF-8 break it"
)
class ConfigBadEncodingRaises(ConfigReader):
    def decode(self, data: bytes, trace: Trace) -> Mapping[str, Any]:
        try:
            data.decode()
        except UnicodeDecodeError as error:
            raise AssertionError("not foreseen") from error
        return super().decode(data, trace)


@mutant("config-fifo-waits", "PS-CFG-02", "a FIFO as the configuration is opened and waits for a writer")
class ConfigFifoWaits(StopGate):
    def load_config(self, case: Case) -> Config:
        found = self.files.status(self.config_path(case))
        if found is not None and found.kind == "other":
            with open(self.config_path(case), "rb") as file:
                return self.config_class().read(file.read(LIMIT_BYTES), case.trace)
        return super().load_config(case)


@mutant("half-a-config-is-none", "PS-CFG-03", "a configuration that lacks a known key is ignored as a whole")
class HalfAConfigIsNone(ConfigReader):
    def merged(self, raw: Mapping[str, Any], trace: Trace) -> dict[str, Any]:
        values = super().merged(raw, trace)
        return values if all(key in raw for key in self.defaults()) else self.defaults()


@mutant("defaults-overwritten", "PS-CFG-03", "the file's values are written into the defaults and outlive the file")
class DefaultsOverwritten(StopGate):
    def load_config(self, case: Case) -> Config:
        loaded = super().load_config(case)
        if any(entry.code == LogCode.CONFIG_MISSING for entry in case.trace.entries):
            kept = getattr(self, "kept", loaded)
            return Config(*kept)
        self.__dict__["kept"] = loaded
        return loaded


@mutant("unknown-keys-unnamed", "PS-CFG-04", "unknown keys are dropped in silence")
class UnknownKeysUnnamed(ConfigReader):
    def merged(self, raw: Mapping[str, Any], trace: Trace) -> dict[str, Any]:
        return super().merged({key: value for key, value in raw.items() if key in self.defaults()}, trace)


@mutant("unknown-keys-spoil-the-rest", "PS-CFG-04", "a configuration with an unknown key is dropped as a whole")
class UnknownKeysSpoilTheRest(ConfigReader):
    def merged(self, raw: Mapping[str, Any], trace: Trace) -> dict[str, Any]:
        values = super().merged(raw, trace)
        return self.defaults() if any(key not in values for key in raw) else values


@mutant("enabled-is-what-python-says", "PS-CFG-05", "0, null and the empty text switch off, without a warning")
class EnabledIsWhatPythonSays(ConfigReader):
    def is_enabled_valid(self, value: object) -> bool:
        return True


@mutant("true-is-an-integer", "PS-CFG-06", "timeout_seconds: true passes for 1, as isinstance(True, int) says")
class TrueIsAnInteger(ConfigReader):
    def is_timeout_valid(self, value: object) -> bool:
        return isinstance(value, int) and 1 <= value <= 300


@mutant("timeout-bounds-excluded", "PS-CFG-06", "1 and 300 are refused")
class TimeoutBoundsExcluded(ConfigReader):
    def is_timeout_valid(self, value: object) -> bool:
        return super().is_timeout_valid(value) and value not in (1, 300)


@mutant("timeout-without-bounds", "PS-CFG-06", "any integer passes, 0 and 301 too")
class TimeoutWithoutBounds(ConfigReader):
    def is_timeout_valid(self, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool)


@mutant("timeout-takes-fractions", "PS-CFG-06", "30.0 passes for an integer")
class TimeoutTakesFractions(ConfigReader):
    def is_timeout_valid(self, value: object) -> bool:
        return super().is_timeout_valid(int(value) if isinstance(value, float) and value == value // 1 else value)


@mutant("enabled-ignored", "PS-CFG-07", "enabled: false changes nothing")
class EnabledIgnored(StopGate):
    def disabled(self, case: Case) -> CheckResult | None:
        case.config = self.load_config(case)
        return None
