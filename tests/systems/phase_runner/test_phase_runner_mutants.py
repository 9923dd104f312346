"""Every mutant of the phase runners shows on the outside."""

from mutant_checks import MutantsShow, reference_told
from phases_battery import Battery, Struck

from harness.core.clause import Level
from harness.systems import registry
from harness.systems.phase_runner.mutants.table import with_part
from harness.systems.phase_runner.reference.failures import FailureRules
from harness.systems.phase_runner.reference.runner import PhaseRunner


class TestMutants(MutantsShow):
    system = registry.System("phase_runner")
    calm, struck = Battery, Struck

    @staticmethod
    def told(story, make):
        return story(make).run()

    def test_nothing_escapes_from_the_reference(self):
        for story in (Battery, Struck):
            assert not any(said.startswith("raised") for said in reference_told(TestMutants, story))

    def test_every_must_has_a_mutant(self):
        broken = {mutant.clause for mutant in self.system.mutants.MUTANTS.values()}
        assert {each.id for each in self.system.catalogue if each.level is Level.MUST} <= broken
        assert broken <= {each.id for each in self.system.catalogue}

    def test_a_mutant_is_one_attribute_of_a_class_that_the_reference_is_made_of(self):
        for name, mutant in self.system.mutants.MUTANTS.items():
            own = {each for each in vars(mutant.changed) if not each.startswith("__")}
            assert len(own) == 1, name
            assert mutant.implementation is not PhaseRunner, name


def test_a_part_is_changed_wherever_it_is_one():
    changed = type("Changed", (FailureRules,), {})
    made = with_part(PhaseRunner, changed)
    assert made.failure_rules_class is made.progress_class.failure_rules_class is changed
    assert made.starter_class.summaries_class.rules_class is changed
    assert made.store_class is PhaseRunner.store_class
    assert with_part(PhaseRunner, type("Nobody", (), {})) is PhaseRunner
