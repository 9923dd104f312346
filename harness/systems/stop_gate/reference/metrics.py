"""Counters and alerts (004, Monitoring & Alerting). Pure: a tally and log entries in, a tally or alerts out.

Our reading: ``errors`` counts every error entry; rates are shares of the checks of the last 3,600 s, sliding; a checker
that crashed three times in them crashes repeatedly. The newest 512 checks are remembered, so a busier hour is judged
by its end.
"""

from collections.abc import Iterable, Sequence

import msgspec

from harness.systems.stop_gate.contract import COUNTERS, Alert, LogCode, LogEntry, LogLevel

WINDOW_S = 3600.0
SKEW_S = 60.0  # clocks of two processes may differ; what lies further ahead says nothing about now
ERROR_RATE = 0.05
TIMEOUT_RATE = 0.10
REPEATEDLY = 3
CHECKS_KEPT = 512
CHECKERS_KEPT = 64
TIMEOUT_CODES = (LogCode.CHECKER_TIMED_OUT, LogCode.ANALYSIS_TIMED_OUT)
TRANSCRIPT_CODES = (LogCode.INVALID_JSON_LINE, LogCode.TOO_MANY_INVALID_LINES, LogCode.TRANSCRIPT_UNREADABLE)


class CheckMark(msgspec.Struct, frozen=True, array_like=True):
    """One check: when, and whether it logged an error or met a time limit."""

    at_s: float
    error: bool
    timeout: bool


class Tally(msgspec.Struct):
    """What the counters file holds. ``crashes`` has the last crashes of each checker, in seconds since the epoch."""

    counters: dict[str, int] = {}
    checks: list[CheckMark] = []
    crashes: dict[str, list[float]] = {}


_DECODER = msgspec.json.Decoder(Tally)


def decode(data: bytes) -> Tally:
    """The stored tally; ValueError when ``data`` is none."""
    try:
        return _DECODER.decode(data)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"the counters file is damaged: {error}") from error


def encode(tally: Tally) -> bytes:
    """The tally as it is stored."""
    return msgspec.json.encode(tally)


class Counting:
    """How log entries become counters, and counters alerts."""

    def counts(self, entries: Sequence[LogEntry]) -> dict[str, int]:
        """How much each counter rises: its own kind each, ``errors`` by every error entry (PS-MON-01)."""
        codes = [entry.code for entry in entries]
        return {
            "power_steering_errors": sum(entry.level is LogLevel.ERROR for entry in entries),
            "power_steering_timeouts": sum(code in TIMEOUT_CODES for code in codes),
            "power_steering_transcript_errors": int(any(code in TRANSCRIPT_CODES for code in codes)),
            "power_steering_checker_crashes": sum(code == LogCode.CHECKER_RAISED for code in codes),
        }

    def add(self, tally: Tally, entries: Sequence[LogEntry], now_s: float | None) -> Tally:
        """The tally after one call; ``now_s`` is None for a call that was no check."""
        risen = self.counts(entries)
        counters = {name: max(0, tally.counters.get(name, 0)) + risen[name] for name in COUNTERS}
        if now_s is None:
            return Tally(counters, tally.checks, tally.crashes)
        now_s = float(int(now_s))  # whole seconds: the file has the same size whenever it is written
        mark = CheckMark(now_s, risen["power_steering_errors"] > 0, risen["power_steering_timeouts"] > 0)
        crashes = {name: list(times) for name, times in tally.crashes.items()}
        for entry in entries:
            if entry.code == LogCode.CHECKER_RAISED and entry.checker is not None:
                times = crashes.pop(entry.checker, [])  # popped, so that the latest to crash is the last in the file
                crashes[entry.checker] = [*times, now_s][-REPEATEDLY:]
        kept = dict(list(crashes.items())[-CHECKERS_KEPT:])
        return Tally(counters, [*tally.checks, mark][-CHECKS_KEPT:], kept)

    def in_window(self, at_s: float, now_s: float) -> bool:
        """Whether a moment belongs to the hour that ends now."""
        return -SKEW_S <= now_s - at_s <= WINDOW_S

    def alerts(self, tally: Tally, now_s: float) -> tuple[Alert, ...]:
        """The alerts standing now (PS-MON-02)."""
        checks = [check for check in tally.checks if self.in_window(check.at_s, now_s)]
        alerts = []
        if self.share(check.error for check in checks) > ERROR_RATE:
            alerts.append(Alert("error_rate"))
        if self.share(check.timeout for check in checks) > TIMEOUT_RATE:
            alerts.append(Alert("timeout_rate"))
        for checker, times in tally.crashes.items():
            if sum(self.in_window(at_s, now_s) for at_s in times) >= REPEATEDLY:
                alerts.append(Alert("checker_crashes", checker))
        return tuple(alerts)

    def share(self, flags: Iterable[bool]) -> float:
        """The share that is true; 0 of nothing."""
        values = list(flags)
        return sum(values) / len(values) if values else 0.0
