"""Every mutant of the sessions shows on the outside."""

from mutant_checks import MutantsShow, reference_told
from session_recovery_battery import Battery, Struck
from session_recovery_world import Failing

from harness.systems import registry


class TestMutants(MutantsShow):
    system = registry.get("session_recovery")
    calm, struck = Battery, Struck

    @staticmethod
    def told(story, make):
        return story(make, Failing).run()

    def test_nothing_escapes_from_the_reference(self):
        for story in (Battery, Struck):
            assert not any(said.startswith("raised") for said in reference_told(TestMutants, story))
