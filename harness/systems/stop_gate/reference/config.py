"""The configuration file: bytes to known, checked values and log entries (004, section 4). Pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from harness.systems.stop_gate.contract import CONFIG_DEFAULTS, TIMEOUT_SECONDS_RANGE, LogCode
from harness.systems.stop_gate.reference import json_text
from harness.systems.stop_gate.reference.trace import Trace

LIMIT_BYTES = 1024 * 1024  # two keys need fifty bytes; more than this is no configuration
NAMED_KEYS = 20  # so many unknown keys are named; a file can hold a hundred thousand


class Config(NamedTuple):
    """``timeout_seconds`` bounds the whole analysis (our reading of PS-CFG-06)."""

    enabled: bool
    timeout_seconds: int


class ConfigReader:
    """The steps from bytes to a Config; nothing raises."""

    def defaults(self) -> dict[str, Any]:
        """A fresh copy, so that nobody's change outlives the call (PS-CFG-03)."""
        return dict(CONFIG_DEFAULTS)

    def read(self, data: bytes, trace: Trace) -> Config:
        """The configuration in ``data``; whatever cannot be used is replaced by its default with a warning."""
        raw = self.decode(data, trace)
        values = self.merged(raw, trace)
        return self.checked(values, trace)

    def without_file(self) -> Config:
        """What holds when there is no file that can be read."""
        return Config(**self.defaults())

    def decode(self, data: bytes, trace: Trace) -> Mapping[str, Any]:
        """The object in the file; an empty one, with a warning, when the file holds anything else (PS-CFG-02)."""
        try:
            found = json_text.decode(data.removeprefix(json_text.BYTE_ORDER_MARK))
        except ValueError as error:
            return self.unusable(str(error), trace)
        if not isinstance(found, dict):
            return self.unusable(f"it holds no object but {type(found).__name__}", trace)
        return found

    def unusable(self, why: str, trace: Trace) -> Mapping[str, Any]:
        """No values, and the warning that says so."""
        trace.warning(LogCode.CONFIG_INVALID, f"the configuration cannot be used, defaults apply: {why}")
        return {}

    def merged(self, raw: Mapping[str, Any], trace: Trace) -> dict[str, Any]:
        """The defaults with the file's known keys over them (PS-CFG-03); others are named and dropped (PS-CFG-04)."""
        values = self.defaults()
        unknown = tuple(sorted(key for key in raw if key not in values))
        if unknown:
            named = tuple(json_text.encodable(key)[:100] for key in unknown[:NAMED_KEYS])
            trace.warning(LogCode.CONFIG_UNKNOWN_KEYS, f"unknown keys are ignored: {', '.join(named)}", keys=named)
        values.update((key, value) for key, value in raw.items() if key in values)
        return values

    def checked(self, values: dict[str, Any], trace: Trace) -> Config:
        """Each value, or its default with a warning when it is of the wrong type or size."""
        for key, valid in (("enabled", self.is_enabled_valid), ("timeout_seconds", self.is_timeout_valid)):
            if not valid(values[key]):
                values[key] = self.defaults()[key]
                trace.warning(LogCode.CONFIG_INVALID_VALUE, f"{key} is not usable, its default applies", keys=(key,))
        return Config(values["enabled"], values["timeout_seconds"])

    def is_enabled_valid(self, value: object) -> bool:
        """True and false only: 1 and "true" are something else (PS-CFG-05)."""
        return isinstance(value, bool)

    def is_timeout_valid(self, value: object) -> bool:
        """An integer from 1 to 300; Python's True is an int, a configuration's is none (PS-CFG-06)."""
        low, high = TIMEOUT_SECONDS_RANGE
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
