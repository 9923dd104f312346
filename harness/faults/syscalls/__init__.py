"""Faults at system calls, in any language and without privilege: a supervisor on seccomp user notification."""

from harness.faults.syscalls.calls import SIGNATURES, Kind, Signature, believable_errnos, errnos_of
from harness.faults.syscalls.sites import Recorder, Site, Sites, Strike
from harness.faults.syscalls.supervisor import (
    Answer,
    Call,
    Decision,
    Delay,
    Fail,
    Give,
    Go,
    Hold,
    Kill,
    Struck,
    Supervisor,
    Torn,
)
from harness.faults.syscalls.time_calls import TIME_CALLS, SteppedTime, TimeCalls

__all__ = [
    "SIGNATURES",
    "TIME_CALLS",
    "Answer",
    "Call",
    "Decision",
    "Delay",
    "Fail",
    "Give",
    "Go",
    "Hold",
    "Kill",
    "Kind",
    "Recorder",
    "Signature",
    "Site",
    "Sites",
    "SteppedTime",
    "Strike",
    "Struck",
    "Supervisor",
    "TimeCalls",
    "Torn",
    "believable_errnos",
    "errnos_of",
]
