"""Mutants of escalation files: their text and their place."""

from harness.systems.dead_letter.mutants.table import mutant
from harness.systems.dead_letter.reference.escalations import Escalations, EscalationText


@mutant("escalation-without-a-time", "LK-ES-06", "an escalation is named after the task alone")
class EscalationWithoutATime(Escalations):
    def free_name(self, task_id: str, now_s: float) -> str:
        return f"escalation{self.ending(task_id)}"


@mutant("options-without-tradeoffs", "LK-ES-07", "options are named, without their tradeoffs")
class OptionsWithoutTradeoffs(EscalationText):
    options = ("Retry it.", "Abandon it.")


@mutant("log-before-the-summary", "LK-ES-07", "the attempts log comes before the failure summary")
class LogBeforeTheSummary(EscalationText):
    def heading(self, number: int) -> str:
        return super().heading({4: 5, 5: 4}.get(number, number))


@mutant("no-trigger", "LK-ES-07", "an escalation does not say what triggered it")
class NoTrigger(EscalationText):
    def section(self, number: int, content: str) -> str:
        return "" if number == 3 else super().section(number, content)


@mutant("ids-are-paths", "LK-ES-08", "an id leads wherever its separators and dots lead")
class IdsArePaths(Escalations):
    def safe(self, task_id: str) -> str:
        return task_id[:150].replace("\0", "")
