"""``windtunnel verify --rerun``: the run that a certificate is about, once more, in a process of its own."""

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from harness.certify.events import RunStarted
from harness.report.certificate import Content
from harness.report.comparing import compared, read
from harness.report.files import RESULT, read_events
from harness.report.verifying import Step

NAME = "run again"
_SHOWN = 300  # characters of what a run that failed said


def run_again(content: Content, certificate: Path, evidence: Path) -> Step:
    """Plays it again with its seed and scope; the target is named as it was, so run this where that leads to it."""
    started = read_events(evidence)[0]
    if not isinstance(started, RunStarted):
        return Step(NAME, None, "the events do not say how to run it")
    with tempfile.TemporaryDirectory(prefix="windtunnel-") as folder:
        words = ["certify", "--level", content.level, "--seed", str(content.seed), "--cases", str(content.cases)]
        words += [word for name in content.systems for word in ("--system", name)]
        words += ["--report", folder, *shlex.split(started.replay)]
        ran = subprocess.run([sys.executable, "-m", "harness.cli", *words], capture_output=True, text=True, check=False)
        place = Path(folder, RESULT)
        if not place.is_file():
            return Step(NAME, None, f"it did not run: {' '.join(ran.stderr.split())[:_SHOWN]}")
        result = msgspec.json.decode(place.read_bytes())
        if result["implementation_digest"] != content.implementation_digest:
            return Step(
                NAME, None, "what that names here is another implementation: its digest is not the certified one"
            )
        found = compared(read(certificate), read(place))
    if found.lost or found.gained or found.other:
        told = [f"{name}: {was}, now {is_}" for name, was, is_ in (*found.lost, *found.gained, *found.other)]
        return Step(NAME, ok=False, says="; ".join(told[:5]))
    if result["digest"] != content.digest:
        return Step(NAME, ok=False, says="the digest of the run is another, though every clause is as it was")
    return Step(NAME, ok=True, says=f"every clause and the digest {content.digest[:16]} are the same")
