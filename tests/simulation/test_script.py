"""The file in which everything that goes wrong is told: what it may say, and what is said of a bad one. Issue 10."""

import re
from functools import partial

import pytest
from told import HOUR, PLAN, recorded, shortened

from harness.errors import UsageError
from harness.simulation import agent, crew, humans
from harness.simulation.incidents import MACHINE, Incident
from harness.simulation.profiles import PROFILES
from harness.simulation.script import KINDS, OF_THE_MACHINE, load, written
from harness.simulation.shrinking import Case
from harness.simulation.simulation import Plan
from harness.simulation.toolbox import Toolbox
from harness.simulation.trouble import Fork
from harness.simulation.virtual_time import Chance

TOOLS = Toolbox(PROFILES["hostile"], 1)

GOOD = """\
days: 1
agents: 2
seed: 5
incidents:
- {who: agent-0-1, kind: provider, number: 1, what: down 0}
- {who: machine, kind: clock, number: 640, what: '-64'}
"""


def loaded(tmp_path, text):
    path = tmp_path / "case.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(path)


def refused(tmp_path, text):
    with pytest.raises(UsageError) as raised:
        loaded(tmp_path, text)
    said = str(raised.value)
    assert str(tmp_path / "case.yaml") in said
    assert "\n" not in said
    return said


def test_a_file_that_a_person_wrote_is_a_case(tmp_path):
    script = loaded(tmp_path, GOOD)
    incidents = (Incident("agent-0-1", "provider", 1, "down 0"), Incident(MACHINE, "clock", 640, "-64"))
    assert Case(Plan(1, 2, 5, "calm"), incidents) == script.case()
    assert script.breaks == ""


def test_what_is_written_is_read_again(tmp_path):
    case = Case(
        Plan(3, 2, 1 << 40, "hostile", (Fork(HOUR, 7), Fork(2 * HOUR, 8))),
        (Incident("agent-1-7", "tool", 3, "network_error 0"), Incident(MACHINE, "full", 12, "3840")),
    )
    script = loaded(tmp_path, written(case, "INT-06"))
    assert case == script.case()
    assert script.breaks == "INT-06"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("days: 1", "days: 0", "`int` >= 1 - at `$.days`"),
        ("days: 1", "days: 4000", "`int` <= 3650 - at `$.days`"),
        ("days: 1", "days: one", "Expected `int`, got `str` - at `$.days`"),
        ("days: 1\n", "", "missing required field `days`"),
        ("agents: 2", "agents: 65", "`int` <= 64 - at `$.agents`"),
        ("seed: 5", "seed: -1", "`int` >= 0 - at `$.seed`"),
        ("seed: 5", "seed: 5\nformat: 2", "Invalid enum value 2 - at `$.format`"),
        ("seed: 5", "seed: 5\nweather: bad", "unknown field `weather`"),
        ("seed: 5", "seed: 5\nseed: 6", "the key 'seed' is given twice"),
        ("seed: 5", "seed: 5\nprofile: stormy", "there is no profile 'stormy'; there are: calm, flaky, hostile"),
        ("seed: 5", "seed: 5\nbreaks: INV-99", "there is no rule 'INV-99'; docs/order.md has them all"),
        ("seed: 5", "seed: [", "is no script of a simulation"),
        ("number: 1,", "number: 1, how: x,", "unknown field `how` - at `$.incidents[0]`"),
        ("number: 1,", "", "missing required field `number` - at `$.incidents[0]`"),
        ("what: down 0", "what: 0", "Expected `str`, got `int` - at `$.incidents[0].what`"),
        ("kind: provider", "kind: weather", "incident 1 has the kind 'weather'; there are: provider, tool"),
        ("kind: clock", "kind: provider", "incident 2 has the kind 'provider'; there are: full, clock, dies, restarts"),
        ("who: agent-0-1, kind: provider", "who: agent-0-1, kind: full", "incident 1 has the kind 'full'"),
        ("what: down 0", "what: down 3", "incident 1: 'down 3' is no provider"),
        ("what: down 0", "what: down", "incident 1: 'down' is no provider"),
        ("what: '-64'", "what: an hour", "incident 2: 'an hour' is no clock"),
        ("number: 1,", "number: 0,", "incident 1 has the number 0; they count from 1"),
        ("number: 640", "number: -640", "incident 2 has the number -640; they count from 1, and times from 0"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(tmp_path, old, new, said):
    assert old in GOOD
    assert said in refused(tmp_path, GOOD.replace(old, new))


def test_the_same_incident_told_twice_is_refused(tmp_path):
    twice = GOOD + "- {who: agent-0-1, kind: provider, number: 1, what: silent}\n"
    assert "incidents 1 and 3 have the same who, kind and number; leave one of them out" in refused(tmp_path, twice)


@pytest.mark.parametrize("text", ["", "- 1\n", "12\n", b"\xff\xfe\xfd", b"days: 1\x00"])
def test_what_is_no_script_at_all_is_told_so(tmp_path, text):
    assert "is no script of a simulation: " in refused(tmp_path, text)


def test_a_file_that_cannot_be_read_is_told_with_a_hint(tmp_path):
    with pytest.raises(UsageError, match=r"cannot read .*: No such file or directory; give a file that"):
        load(tmp_path / "none.yaml")
    with pytest.raises(
        UsageError, match=r"cannot read .*: it is a directory; give a file that simulate or campaign wrote"
    ):
        load(tmp_path)


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("tool", "output_too_large 99"),
        ("crash", "/queue/"),
        ("crash", "/queue/ 0"),
        ("stop", "late"),
        ("transcript", "tidied"),
        ("drift", "HIGH"),
        ("risk", ""),
        ("risk", "100 critical final extra"),
        ("risk", "999"),
        ("claim", "fails 5"),
        ("claim", "weak 999"),
        ("verification", "tests"),
        ("review", "found"),
        ("answer", "late"),
        ("answer", "late 0"),
        ("decision", "approved"),
        ("halt", "resume"),
        ("work", "late"),
    ],
)
def test_a_word_that_no_kind_has_is_refused(tmp_path, kind, what):
    text = f"days: 1\nagents: 1\nseed: 0\nincidents: [{{who: agent-0-1, kind: {kind}, number: 1, what: '{what}'}}]\n"
    assert f"is no {kind}" in refused(tmp_path, text)


@pytest.mark.parametrize(
    ("kind", "draw"),
    [
        ("claim", crew._claim),
        ("verification", crew._verification),
        ("review", partial(crew._review, is_analysis=False)),
        ("review", partial(crew._review, is_analysis=True)),
        ("answer", humans._answer),
        ("decision", humans._decision),
        ("halt", humans._halt),
        ("drift", agent._drift),
        ("risk", agent._risk),
        ("risk", crew._critical),
        ("stop", agent._early),
        ("end", agent._asking),
        ("tool", TOOLS._drawn),
        ("crash", TOOLS.draw_crash),
        ("transcript", TOOLS.draw_damage),
    ],
)
def test_every_word_that_can_be_drawn_is_accepted(kind, draw):
    """Some are too rare for a simulation in a test; of the twelve weak claims two were accepted."""
    chance = Chance(1, kind)
    drawn = {what for what in (draw(chance) for _ in range(20_000)) if what}
    assert drawn
    assert set() == {what for what in drawn if re.fullmatch(KINDS[kind], what) is None}


@pytest.mark.parametrize("profile", ["flaky", "hostile"])
def test_every_incident_that_is_drawn_is_accepted(tmp_path, monkeypatch, profile):
    shortened(monkeypatch, hours=30)
    plan = PLAN._replace(profile=profile, agents=3)
    _, _, happened = recorded(plan)
    case = Case(plan, tuple(happened))
    assert case == loaded(tmp_path, written(case, "")).case()


def test_a_day_and_a_half_of_hostile_weather_draws_nearly_every_kind(monkeypatch):
    """Else the test above says little."""
    shortened(monkeypatch, hours=30)
    _, _, happened = recorded(PLAN._replace(agents=3))
    assert {*KINDS, *OF_THE_MACHINE} - {each.kind for each in happened} <= {"halt", "verification"}
