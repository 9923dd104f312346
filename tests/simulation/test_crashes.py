"""A session dies in the middle of an operation: at the change of a file that was chosen, and makes none after it."""

import pytest
from told import PLAN, made, run, shortened

from harness.core.events import SessionCut
from harness.simulation.incidents import Incident, Incidents
from harness.simulation.simulation import Simulation
from harness.simulation.toolbox import CHANGED

WHO = "agent-1-2"
PARTS = [part for part, _ in CHANGED]
OFTEN = ["/", "/queue/", "/state/"]  # a short day has several changes of these


@pytest.fixture(autouse=True)
def short(monkeypatch):
    shortened(monkeypatch)


class Crashing:
    """A simulation in which a session dies at that change of such a file; with every change that is made of a file."""

    def __init__(self, part, number, who=WHO):
        self.simulation = made(PLAN, Incidents((Incident(who, "crash", 1, f"{part} {number}"),)))
        self.changes = []  # by whom, of what, and whether it was made
        self.cut = []
        self.begun = self.simulation._assembly._begun
        inner = self.simulation.files.before_change
        self.simulation.files.before_change = lambda path: self._note(path, inner)
        self.simulation.watchers.append(self._watch)
        assert self.simulation.run()

    def _note(self, path, inner):
        agent = self.simulation._acting
        who = agent.session_id if agent is not None else ""
        self.changes.append((who, path, False))
        inner(path)
        self.changes[-1] = (who, path, True)

    def _watch(self, session, event):
        if isinstance(event, SessionCut):
            self.cut.append((session, event.changing))

    def of(self, who):
        return [(path, was_made) for session, path, was_made in self.changes if session == who]


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("part", OFTEN)
def test_it_dies_at_the_chosen_change_of_a_file_of_that_part(part, number):
    crashing = Crashing(part, number)
    changes = crashing.of(WHO)
    assert number == sum(1 for path, _ in changes if part in path)
    assert part in changes[-1][0]
    assert not changes[-1][1]
    assert all(was_made for _, was_made in changes[:-1])


@pytest.mark.parametrize("part", OFTEN)
def test_the_file_that_it_was_changing_is_told(part):
    crashing = Crashing(part, 3)
    assert [(WHO, crashing.of(WHO)[-1][0])] == crashing.cut


@pytest.mark.parametrize("part", OFTEN)
def test_the_crash_breaks_no_rule_and_the_next_session_goes_on(part):
    simulation, stream = run(PLAN, Incidents((Incident(WHO, "crash", 1, f"{part} 3"),)))
    assert {} == dict(simulation.broken)
    sessions = list(dict.fromkeys(session for session, _ in stream if session.startswith("agent-1-")))
    assert "agent-1-3" in sessions
    own = [event["event"] for session, event in stream if session == WHO]
    assert "session_cut" == own[-1]
    assert 1 == own.count("session_cut")


def test_the_systems_of_whoever_died_begin_anew_and_no_others(monkeypatch):
    asked = []
    inner = Simulation.kill_session

    def killing(self, number, changing=""):
        before = list(self._asked)
        inner(self, number, changing)
        asked.append([new is old for new, old in zip(self._asked, before, strict=True)])

    monkeypatch.setattr(Simulation, "kill_session", killing)
    Crashing("/queue/", 2)
    assert [[True, False]] == asked


def test_what_is_written_later_is_written_by_the_living():
    """After the crash the name of the dead session is on no change any more."""
    crashing = Crashing("/", 20)
    last = max(n for n, (who, _, _) in enumerate(crashing.changes) if who == WHO)
    others = {who for who, _, _ in crashing.changes[last + 1 :]}
    assert WHO not in others
    assert "agent-1-3" in others


def test_nobody_dies_at_a_change_that_is_never_reached():
    simulation, _ = run(PLAN, Incidents((Incident(WHO, "crash", 1, "/queue/ 99999"),)))
    calm, _ = run(PLAN, Incidents(()))
    assert calm.digest == simulation.digest


def test_another_session_lives_on():
    """The crash is one session's: the one after it is not chosen again."""
    assert 1 == len(Crashing("/", 1).cut)


RARE = ("/escalations/", "/queue/dead-letter")


@pytest.mark.parametrize("part", [part for part in PARTS if part not in RARE])  # these come after days
def test_files_of_every_part_are_changed_in_hostile_weather(part):
    """Else a crash at one could be drawn, and never come."""
    assert any(part in path for path in _changed())


def _changed(found=set()):  # noqa: B006 - played once
    if not found:
        simulation = made(PLAN._replace(agents=3), Incidents())
        inner = simulation.files.before_change

        def note(path):
            found.add(path)
            inner(path)

        simulation.files.before_change = note
        assert simulation.run()
    return found
