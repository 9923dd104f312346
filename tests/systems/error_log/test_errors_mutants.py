"""Every mutant of the error logs shows on the outside."""

import re

from errors_battery import Battery, Struck
from errors_reference_world import Failing
from mutant_checks import MutantsShow

from harness.systems import registry

DRAWN = re.compile(r"(err_x?|_)[0-9a-z]{6}(?=[^0-9a-z_])")


class TestMutants(MutantsShow):
    system = registry.get("error_log")
    calm, struck = Battery, Struck

    @staticmethod
    def told(story, make):
        return (DRAWN.sub(r"\1", said) for said in story(make, Failing).run())
