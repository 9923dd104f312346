"""docs/protocol.md: its session is run, its adapter certified as far as a session goes, its table is the code's."""

import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from carriers import PYTHON, exposed, op, scenario

from harness.core.history import EntryType
from harness.sandbox import Sandbox, SandboxPlan
from harness.targets.defects import DEFECTS
from harness.targets.messages import schema
from harness.targets.slots import Slots
from harness.targets.stdio import StdioSession

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8")
ADAPTER, SESSION = (re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)[0] for kind in ("python", "text"))
LINES = [line.split(" ", 1) for line in SESSION.splitlines()]


def test_the_session_is_what_the_adapter_says():
    calls = [text for way, text in LINES if way == "->"]
    expected = [json.loads(text) for way, text in LINES if way == "<-"]
    told = "".join(f"{text}\n" for text in calls)
    ran = subprocess.run([sys.executable, "-c", ADAPTER], input=told, capture_output=True, text=True, check=True)
    assert expected == [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("text", [text for _, text in LINES])
def test_every_line_of_it_is_in_the_published_schema(text):
    jsonschema.validate(json.loads(text), schema())


def test_the_adapter_can_be_asked(tmp_path):
    script = tmp_path / "adapter.py"
    script.write_text(ADAPTER)
    plan = SandboxPlan(exposed=exposed(str(tmp_path)), force_fallback=True)
    with StdioSession(Sandbox(plan), (*PYTHON, str(script)), {}, "/", "rate_limit", Slots(1)) as session:
        session.reset(scenario())
        limited, delayed, missing = (
            session.perform([(0, operation)])[0]
            for operation in (op("classify", status=429), op("next_delay", retry=7), op("configure", tunables={}))
        )
    assert (EntryType.OK, {"rate_limited": True}) == (limited.type, limited.value)
    assert (EntryType.OK, {"retry": True, "delay_s": 300}) == (delayed.type, delayed.value)
    assert (EntryType.FAIL, -32601) == (missing.type, missing.value["code"])


def test_the_table_of_defects_is_the_codes():
    rows = re.findall(r"^\| `(\w+)` \| (adapter|implementation) \| (.+) \|$", PAGE, re.MULTILINE)
    assert [(name, defect.blame.value, defect.meaning) for name, defect in DEFECTS.items()] == rows
