"""The history, gone through once, and the table of rules: each clause is what was noted of it. Pure."""

from collections.abc import Sequence
from typing import Final

from harness.core.fault import Fault
from harness.core.history import History
from harness.systems import file_faults
from harness.systems.calls import Call, worlds
from harness.systems.notes import Notes, noted_rules, numbered
from harness.systems.rationalization.contract import WATCH
from harness.systems.rationalization.oracle.asking import calls
from harness.systems.rationalization.oracle.attempts import Attempts, Excused
from harness.systems.rationalization.oracle.behaviours import judge_assessment
from harness.systems.rationalization.oracle.enforcing import LOGGED, ORDER, judge_enforced
from harness.systems.rationalization.oracle.findings import judge_scan
from harness.systems.rationalization.oracle.phrases import Reason
from harness.systems.rationalization.oracle.weather import ATTEMPTS, FILES

_LAST: Final = {"RAT": 7}
_UNANSWERED: Final = {"scan": "LK-RAT-01", "assess": "LK-RAT-05", "enforce": ORDER, "attempts": LOGGED}


class View:
    """What a history shows: ``notes`` by clause."""

    def __init__(self, history: History) -> None:
        self.notes = Notes()
        for groups in worlds(tuple(calls(history))):
            fact = groups[0][0].inputs.get(ATTEMPTS)
            attempts = Attempts(self.notes, is_new=fact is not None and fact.kind == "missing")
            standing: tuple[Fault, ...] = groups[0][0].faults
            for group in groups:
                if _is_damaged(group, standing):
                    attempts.forget()
                standing = group[0].faults
                excused = [
                    Excused(call, Reason(call.args.text))
                    for call in group
                    if call.op == "enforce" and call.args is not None
                ]
                for call in group:
                    self._judge(call, attempts, excused)
                attempts.enforced(excused)

    def _judge(self, call: Call, attempts: Attempts, excused: Sequence[Excused]) -> None:
        if call.answer is None:
            if not call.excused:
                self.notes.breaks(_UNANSWERED[call.op], "an answer", call.said)
        elif call.args is None:
            return
        elif call.op == "scan":
            judge_scan(call, self.notes)
        elif call.op == "assess":
            judge_assessment(call, self.notes)
        elif call.op == "enforce":
            judge_enforced(call, next(each.reason for each in excused if each.call is call), self.notes)
        else:
            attempts.told(call, excused)


def _is_damaged(group: Sequence[Call], standing: tuple[Fault, ...]) -> bool:
    """Was the file damaged since the operation before, or may it be all the time?"""
    faults = group[0].faults
    changed = [each for each in (*faults, *standing) if each not in faults or each not in standing]
    return bool(FILES.damaged((*changed, *file_faults.unsteady(faults))))


RULES: Final = noted_rules(WATCH, numbered("LK", _LAST))
"""Of each clause what was noted."""
