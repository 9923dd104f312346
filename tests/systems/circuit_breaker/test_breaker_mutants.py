"""Every mutant of the circuit breakers shows on the outside."""

import time

from breaker_battery import Battery, Struck
from breaker_reference_world import Failing
from mutant_checks import MutantsShow

from harness.systems import registry


class TestMutants(MutantsShow):
    system = registry.get("circuit_breaker")
    calm, struck = Battery, Struck

    @staticmethod
    def told(story, make):
        return story(make, Failing).run()

    def test_a_mutant_of_l2_shows_under_a_fault(self, name, monkeypatch):
        monkeypatch.setenv("TZ", "Asia/Kathmandu")
        time.tzset()
        try:
            super().test_a_mutant_of_l2_shows_under_a_fault(name)
        finally:
            monkeypatch.undo()
            time.tzset()
