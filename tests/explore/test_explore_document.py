"""The program in docs/explore.md runs, and says what the document says that it finds."""

import subprocess
import sys
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "explore.md"


def test_the_program_in_the_document_runs_and_finds_what_it_should(tmp_path):
    _, _, rest = DOCUMENT.read_text("utf-8").partition("```python\n")
    program = tmp_path / "program.py"
    program.write_text(rest.partition("```")[0])
    ran = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False, timeout=120)
    told = rest.partition("```text\n")[2].partition("```")[0]
    assert (0, "", told) == (ran.returncode, ran.stderr, ran.stdout)
