"""The oracle on claims: each is verified afresh, and what that finds decides."""

import pytest
from handmade_phases import FAIL, FAILURES, LATER, ONE, Day, bad, check, gate, ok, phase, plan, retry, summary, told


class TestClaimsAreVerified:
    def test_a_claim_without_verification_breaks_it(self):
        assert Day().start(LATER, ["2a"]).report("2a", ok(), launch=[phase("3")]).broken() == {"AB-ERR-05"}

    def test_what_failed_is_not_verified(self):
        day = Day().start(ONE, ["2a"]).report("2a", FAILURES["lint_error"], launch=[check("2a")])
        assert day.broken() == {"AB-ERR-02"}

    @pytest.mark.parametrize("launch", [check("2a", 2), check("3")])
    def test_nothing_else_is_verified(self, launch):
        day = Day().start(LATER, ["2a"]).report("2a", ok(), launch=[check("2a"), launch])
        assert day.broken() == {"AB-ERR-05"}

    def test_a_mismatch_that_completes_the_phase_breaks_it(self):
        day = Day().start(ONE, ["2a"]).report("2a", ok(), launch=[check("2a")])
        day.verified("2a", gates={"test": gate()}, completed=True)
        assert day.verdict("AB-ERR-05") is FAIL

    def test_no_gates_and_absent_gates_may_pass_or_not(self):
        for gates in ({}, {"test": gate(exit_code=None)}):
            day = Day().start(ONE, ["2a"]).report("2a", ok(), launch=[check("2a")])
            day.verified("2a", gates=gates, launch=[told("verification_mismatch")])
            assert day.broken() == set()
            day = Day().start(ONE, ["2a"]).report("2a", ok(), launch=[check("2a")])
            day.verified("2a", gates=gates, completed=True, commits=[{"phases": ["2a"], "subject": "feat: x"}])
            assert day.broken() == set()

    def test_a_gate_that_is_not_there_is_skipped_or_halts(self):
        gates = {"test": gate(exit_code=None), "lint": gate(exit_code=0)}
        day = (
            Day()
            .start(ONE, ["2a"])
            .report("2a", ok(), launch=[check("2a")])
            .verified("2a", gates=gates, completed=True)
        )
        assert day.readings("AB-NRT-01") == ("skipped_gate",)
        day = Day().start(ONE, ["2a"]).report("2a", ok(), launch=[check("2a")])
        found = summary((), [("2a", 1, "dependency_missing")])
        assert day.verified("2a", gates=gates, halted=True, summary=found).broken() == set()

    def test_beside_siblings_nobody_knows_what_was_made_of_it(self):
        text = plan("2A//2B", "2B//2A")
        day = Day().start(text, ["2a", "2b"]).report("2a", ok(), launch=[check("2a")])
        day.verified("2a", gates={}).report("2b", ok(), launch=[check("2b")])
        assert day.broken() == set()

    @pytest.mark.parametrize("gates", [{"lint": gate(exit_code=None)}, {"lint": gate(exit_code=None), "test": gate()}])
    def test_a_failure_whose_gate_is_not_there_may_be_several_things(self, gates):
        said = bad(gates=gates)
        good = retry("2a", "lint_error", tasks_completed=3, tasks_total=3)
        assert Day().start(ONE, ["2a"]).report("2a", said, launch=[good]).broken() == set()
        found = summary((), [("2a", 1, "dependency_missing")])
        assert Day().start(ONE, ["2a"]).report("2a", said, halted=True, summary=found).broken() == set()

    def test_what_is_not_accepted_launches_nothing(self):
        args = {"phase_id": "2a", "attempt": 1, "said": "{}"}
        day = Day().start(ONE, ["2a"]).do("report", args, {"accepted": False, "launch": [check("2a")]})
        assert day.broken() == {"AB-HLT-01", "AB-RTY-01"}
