"""Every mutant of the signals shows on the outside."""

from mutant_checks import MutantsShow
from signals_battery import Battery, Struck

from harness.systems import registry


class TestMutants(MutantsShow):
    system = registry.get("signals")
    calm, struck = Battery, Struck

    @staticmethod
    def told(story, make):
        return story(make).run()
