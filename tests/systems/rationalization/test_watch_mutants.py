"""Every mutant of the watch shows on the outside."""

from mutant_checks import MutantsShow
from watch_battery import Battery, Struck

from harness.systems import registry


class TestMutants(MutantsShow):
    system = registry.get("rationalization")
    calm, struck = Battery, Struck

    @staticmethod
    def told(story, make):
        return story(make).run()
