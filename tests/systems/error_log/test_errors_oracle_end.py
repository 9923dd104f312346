"""What the oracle says of the report at the end."""

import copy

from handmade_errors import Day, error, failing, record, step, steps, struck

HANG = error("delegation_hang")
GIT = error("git_commit_failure", severity="critical")
METRIC, LOGGING = error("metric_failure", severity="high"), error("logging_failure")
GOES_ON = {"taken": steps("log"), "response": "continue", "told": None}


def _copy(day):
    return copy.deepcopy(day)


class TestAtTheEnd:
    def day(self):
        return Day().handle(GIT, **GOES_ON).handle(HANG).mark().handle(METRIC, **GOES_ON)

    def told(self, *names):
        kinds = {"e1": GIT, "e2": HANG, "e3": METRIC}
        return {"reported": [{"name": n, "type": kinds[n]["type"], "message": kinds[n]["message"]} for n in names]}

    def test_each_is_reported_once_and_in_order(self):
        assert set() == failing(self.day().mark().finish(instead=self.told("e1", "e3")).finish())
        for names in ((), ("e1",), ("e3", "e1"), ("e1", "e1", "e3"), ("e1", "e2", "e3")):
            assert {"ER-NB-03"} == failing(self.day().mark().finish(instead=self.told(*names)))

    def test_once_reported_it_is_not_reported_again(self):
        day = Day().handle(GIT, **GOES_ON).finish("e1")
        assert {"ER-NB-03"} == failing(_copy(day).finish("e1"))

    def test_with_what_was_said_of_it(self):
        assert {"ER-NB-03"} == failing(Day().handle(GIT, **GOES_ON).finish("e1", message="another"))
        assert {"ER-NB-03"} == failing(Day().handle(GIT, **GOES_ON).finish("e1", kind="another"))

    def test_an_answer_has_to_come_and_what_was_told_then_nobody_knows(self):
        day = Day().handle(GIT, **GOES_ON)
        assert {"ER-NB-03"} == failing(_copy(day).finish(instead=None))
        killed = (struck("process.killed", None),)
        assert set() == failing(_copy(day).finish(instead=None, faults=killed).finish(faults=killed))

    def test_an_error_that_was_only_logged_is_told_too(self):
        assert set() == failing(Day().log(GIT).finish("e1"))
        assert {"ER-NB-03"} == failing(Day().log(GIT).finish())

    def test_of_one_type_each_is_told(self):
        day = Day().handle(GIT, **GOES_ON).handle(GIT, **GOES_ON)
        assert set() == failing(_copy(day).finish("e1", "e2"))
        assert {"ER-NB-03"} == failing(_copy(day).finish("e1"))

    def test_a_commit_that_failed_within_a_procedure_is_told_or_recorded(self):
        taken = steps("log", "preserve", "mark_partial", step("commit", ok=False))
        facts = {"commit_succeeds": False}
        day = Day().recover("timeout", taken, "partial", facts=facts).mark()
        assert {"ER-NB-03"} == failing(_copy(day).finish())
        assert set() == failing(_copy(day).finish("e1", kind="timeout"))
        assert set() == failing(_copy(day).finish("e1-commit"))
        assert {"ER-NB-03"} == failing(_copy(day).finish("e1").finish("e1"))
        recorded = _copy(day)
        recorded.write(record(7, error("git_commit_failure", "commit failed")))
        assert set() == failing(recorded.finish())

    def test_names_that_are_alike_are_counted(self):
        day = Day().handle(GIT, **GOES_ON)
        day.number = 0
        day.handle(GIT, **GOES_ON, id="err_1772366400000_other0")
        assert set() == failing(_copy(day).finish("e1", "e1"))
        assert {"ER-NB-03"} == failing(_copy(day).finish("e1"))

    def test_of_those_together_each_process_has_its_own(self):
        day = Day().handle(GIT, **GOES_ON).handle(GIT, **GOES_ON).together(2)
        assert set() == failing(day.finish())
