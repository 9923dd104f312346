"""Every mutant of the review gates shows on the outside."""

from gate_battery import Battery, Struck
from mutant_checks import MutantsShow
from review_gate_world import Failing

from harness.systems import registry


class TestMutants(MutantsShow):
    system = registry.get("review_gate")
    calm, struck = Battery, Struck
    least_told = 40

    @staticmethod
    def told(story, make):
        return story(make, Failing).run()
