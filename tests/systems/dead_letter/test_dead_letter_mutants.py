"""Every mutant of the dead-letter queues shows on the outside."""

from dead_letter_battery import Battery, Struck
from dead_letter_reference_world import Failing
from mutant_checks import MutantsShow

from harness.systems import registry


class TestMutants(MutantsShow):
    system = registry.get("dead_letter")
    calm, struck = Battery, Struck

    @staticmethod
    def told(story, make):
        return story(make, Failing).run()
