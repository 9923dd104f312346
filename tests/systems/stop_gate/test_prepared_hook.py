"""A hook that is prepared has imported what a stop needs, for whoever starts many of them by forks."""

import json
import os
import subprocess
import sys

from harness.systems.stop_gate.reference import hook as hook_module


def test_who_starts_many_stops_by_forks_has_imported_what_they_need():
    """A stop that is an approval imports nothing more."""
    event = json.dumps({"session_id": "s", "transcript_path": "/nowhere", "hook_event_name": "Stop"})
    told = (
        "import os, sys\n"
        f"import {hook_module.__name__} as hook\n"
        "hook.prepare(['a word'])\n"
        "before = set(sys.modules)\n"
        "hook.StopHook({'HOME': sys.argv[1]}).main()\n"
        "print(sorted(set(sys.modules) - before))\n"
    )
    words = [sys.executable, "-c", told, os.devnull]
    assert "[]\n" == subprocess.run(words, input=event, capture_output=True, text=True, check=True).stdout


def test_preparing_is_importing_and_nothing_else():
    hook_module.prepare()
    assert set(hook_module._NEEDED) <= set(sys.modules)
