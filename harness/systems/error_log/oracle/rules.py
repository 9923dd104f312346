"""The history, gone through once, and the table of rules: each clause is what was noted of it. Pure."""

from collections.abc import Sequence
from typing import Final

from harness.core.history import History
from harness.systems.calls import worlds
from harness.systems.error_log.contract import LOG, Response
from harness.systems.error_log.oracle.asking import Call, calls
from harness.systems.error_log.oracle.handling import graded, is_non_blocking
from harness.systems.error_log.oracle.operations import OPERATIONS
from harness.systems.error_log.oracle.recovering import on_recover
from harness.systems.error_log.oracle.world import World
from harness.systems.notes import Notes, numbered
from harness.systems.rules import Judgement, Rule, Rules, failed

_LAST: Final = {
    "CAT": 5, "LOG": 10, "AGG": 1, "PRG": 3, "RES": 1, "RPT": 2, "SEV": 2, "TMO": 1, "SYN": 1, "BLD": 1, "JQ": 2,
    "MCP": 2, "DEL": 3, "NB": 3,
}  # fmt: skip


class View:
    """What a history shows: ``notes`` by clause, and whether work goes on, or stops, whatever happens."""

    def __init__(self, history: History) -> None:
        self.notes = Notes()
        self.never_stops = ""
        self.always_stops = ""
        for groups in worlds(tuple(calls(history))):
            world = World(groups[0][0], self.notes)
            for group in groups:
                self._take(group, world)

    def _take(self, group: Sequence[Call], world: World) -> None:
        world.begin(group)
        for call in group:
            OPERATIONS.get(call.op, on_recover)(call, world)
            if call.args is None and call.answer is not None:
                world.did_something()
            self._control(call)
        world.end(group)

    def _control(self, call: Call) -> None:
        """The other side of a "must not": who never stops knows no non-blocking errors, who always does none."""
        if call.op != "handle" or call.answer is None or call.args is None:
            return
        error, severity = call.args.error, graded(call.args.error)
        if is_non_blocking(error) or severity is None:
            return
        if severity == "critical" and call.answer.continues:
            self.never_stops = f"a critical error does not stop either: {call.said}"
        if severity != "critical" and call.answer.response == Response.STOP:
            self.always_stops = f"an error that is {severity} stops as well: {call.said}"


RULES: Final[Rules[View]] = Rules(LOG)


def _rule(clause: str) -> Rule[View]:
    def judge(view: View) -> Judgement | None:
        judgement = view.notes.judgement(clause)
        if judgement is None or not judgement.ok:
            return judgement
        wrong = view.never_stops if clause in ("ER-NB-01", "ER-NB-02") else ""
        wrong = view.always_stops if clause == "ER-SEV-01" else wrong
        return failed(f"control: {judgement.expected}", wrong, reason="the control failed") if wrong else judgement

    return judge


for _clause in numbered("ER", _LAST):
    RULES.rule(_clause)(_rule(_clause))
