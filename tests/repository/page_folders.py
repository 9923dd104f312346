"""The folders in which the pages run: what each takes for granted that its reader has, made of the examples."""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
HOOKS = EXAMPLES / "hooks"


def prepare(page: str, folder: Path) -> None:
    """Puts into the folder what that page, by its path in the checkout, speaks of as the reader's own."""
    _FOLDERS.get(page, _nothing)(folder)


def _nothing(folder: Path) -> None:
    del folder


def _readme(folder: Path) -> None:
    project = folder / "my-project"
    _hook(project / ".claude" / "hooks", "stop.py")
    _hook(project, "stop.py")
    stop = {"hooks": [{"type": "command", "command": 'python3 "$CLAUDE_PROJECT_DIR"/.claude/hooks/stop.py'}]}
    (project / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"Stop": [stop]}}))
    _target(project, "stop.py")
    shutil.copytree(EXAMPLES / "independent" / "circuit_breaker_node", project, dirs_exist_ok=True,
                    ignore=lambda _, names: {"target.yaml", "README.md"} & set(names))  # fmt: skip
    (project / "breaker.mjs").rename(project / "my_adapter.mjs")
    shutil.copytree(EXAMPLES / "explore", project / "examples" / "explore")


def _explore(folder: Path) -> None:
    counter = EXAMPLES / "explore" / "counter_python"
    shutil.copytree(counter / "state", folder / "state")
    text = (counter / "counter.py").read_text()
    (folder / "counter.py").write_text(text)
    (folder / "app.py").write_text(
        "import subprocess, sys\n"
        "words = {'save': ['count', 'state', 'read'], 'verify': ['check', 'state', 'read=41', 'write=7']}[sys.argv[1]]\n"
        "sys.exit(subprocess.run([sys.executable, 'counter.py', *words]).returncode)\n"
    )


def _scenarios(folder: Path) -> None:
    _hook(folder, "my_hook.py")
    _target(folder, "my_hook.py", "my-target.yaml")
    shutil.copy(ROOT / "scenarios" / "stop_gate" / "hook-transcript-missing.yaml", folder / "my-scenario.yaml")
    shutil.copytree(EXAMPLES / "readers", folder / "examples" / "readers")


def _simulate(folder: Path) -> None:
    shutil.copytree(EXAMPLES / "independent" / "circuit_breaker_node", folder / "breaker")
    _hook(folder, "stop.py")


def _agent_run(folder: Path) -> None:
    shutil.copytree(EXAMPLES / "plans", folder / "examples" / "plans")


def _hook(folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(HOOKS / "sound_python" / "hook.py", folder / name)


def _target(folder: Path, hook: str, name: str = "target.yaml") -> None:
    said = (HOOKS / "sound_python" / "target.yaml").read_text()
    (folder / name).write_text(said.replace("hook.py", hook).replace("../samples/", ""))
    for sample in (HOOKS / "samples").iterdir():
        shutil.copy(sample, folder)


_FOLDERS: Mapping[str, Callable[[Path], None]] = {
    "README.md": _readme,
    "docs/explore.md": _explore,
    "docs/scenarios.md": _scenarios,
    "docs/simulate.md": _simulate,
    "docs/agent-run.md": _agent_run,
}
