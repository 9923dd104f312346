"""``python -m benchmarks.classification.collect`` runs the recipes again and writes both parts of the corpus.

It needs the tools that the recipes name, and to be root for those that run as another user or mount. There is no
network in them: the server is a local one, names do not resolve, and ports are closed. Versions differ, and so may
texts; what was written is what the machine of the day gave, with its own paths and ports replaced.
"""

import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from signal import Signals
from typing import Any

import msgspec
import yaml

from benchmarks.classification.corpus import DEVELOPMENT, HELD_OUT, Entry, Error, Recipe, is_development, recipes

LIMIT_S = 120.0
KEPT = 6_000  # characters of a stream
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")
# what is another with each run, and says nothing
MOMENTS = (
    (r"\d{4}-\d\d-\d\dT\d\d_\d\d_\d\d_\d+Z", "2026-01-01T00_00_00_000Z"),
    (r"--\d{4}-\d\d-\d\d \d\d:\d\d:\d\d--", "--2026-01-01 00:00:00--"),
    (r"Date: \w+, .* GMT", "Date: Thu, 01 Jan 2026 00:00:00 GMT"),
    (r"after 0\.\d{10,} seconds", "after 0.2 seconds"),
    (r"/tmp/pip-[-\w]+", "/tmp/pip-folder"),
)
STANDARD = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


class Answers(http.server.BaseHTTPRequestHandler):
    """/NUMBER/... answers with that status, /hang never answers, /reset closes at once, /big is a long text."""

    def do_GET(self) -> None:
        what = self.path.strip("/").split("/")[0]
        if what == "hang":
            time.sleep(30)
        elif what == "big":
            self._send(200, b"x" * 200_000)
        elif what.isdigit():
            self._send(int(what), b'{"error": "see the status"}\n')

    do_POST = do_PUT = do_HEAD = do_GET  # noqa: N815 - http.server's names

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        if status == 429:
            self.send_header("Retry-After", "30")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing is logged."""


class Quiet(http.server.ThreadingHTTPServer):
    """A client that gave up is no error of the server."""

    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Nothing is told."""


def entry_of(recipe: Recipe, port: int) -> Entry:
    """The entry that a recipe makes, run in a fresh folder when it is one that runs."""
    if recipe.error is not None:
        made, origin, error, line = "documented", recipe.source, recipe.error, recipe.run
    else:
        made, line, error = "run", *_ran(recipe, port)
        origin = line
    args = recipe.args if recipe.args is not None else {"command": line}
    return Entry(recipe.id, recipe.type, recipe.why, recipe.tool, args, error, made, origin, recipe.available)


def _ran(recipe: Recipe, port: int) -> tuple[str, Error]:
    base = Path(tempfile.mkdtemp(prefix="classified-"))
    try:
        work, home, bin_folder = base / "workspace", base / "home", base / "bin"
        for folder in (work, home, bin_folder):
            folder.mkdir()
        _tools(bin_folder)
        environment = _environment(home, bin_folder)
        line = recipe.run.strip().replace("{server}", f"http://127.0.0.1:{port}")
        if recipe.setup:
            setup = recipe.setup.replace("{server}", f"http://127.0.0.1:{port}")
            subprocess.run(["bash", "-c", setup], cwd=work, env=environment, check=True, capture_output=True)
        base.chmod(0o755)
        if recipe.nobody:
            shutil.chown(home, 65534, 65534)
        words = (*(NOBODY if recipe.nobody else ()), "bash", "-c", line)
        ended = subprocess.run(words, cwd=work, env=environment, capture_output=True, check=False, timeout=LIMIT_S)
        replaced = _neutral(base, port)
        line, stdout, stderr = (replaced(text) for text in (line, _text(ended.stdout), _text(ended.stderr)))
        return line, _told(recipe, line, ended.returncode, stdout, stderr)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _told(recipe: Recipe, line: str, code: int, stdout: str, stderr: str) -> Error:
    if recipe.says == "json":
        return msgspec.convert(json.loads(stdout.strip().splitlines()[-1]), Error)
    if code == 0:
        raise RuntimeError(f"{recipe.id} did not fail")
    if recipe.says == "text":
        return Error((stderr or stdout).strip()[:KEPT])
    kept = {"stdout": stdout[:KEPT], "stderr": stderr[:KEPT]}
    if code < 0:
        return Error(f"Command failed: {line}", None, **kept, signal=_signal(-code))
    message = f"Command failed: exit code {code}" if recipe.says == "exit" else f"Command failed: {line}\n{stderr}"
    return Error(message[:KEPT], code, **kept)


def _signal(number: int) -> str:
    return Signals(number).name


def _tools(folder: Path) -> None:
    """``python`` and ``pytest`` are those of this environment, so that pytest is there."""
    for name, words in (("python", "python"), ("pytest", "python -m pytest -p no:cacheprovider")):
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec {sys.prefix}/bin/{words} "$@"\n')
        path.chmod(0o755)


def _environment(home: Path, bin_folder: Path) -> dict[str, str]:
    rust = shutil.which("rustc")
    path = ":".join([str(bin_folder), STANDARD, *([os.path.dirname(rust)] if rust else [])])
    rustup = os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup"))
    return {
        "PATH": path,
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "RUSTUP_HOME": rustup,
        "PYTHONDONTWRITEBYTECODE": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
        "npm_config_update_notifier": "false",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }  # fmt: skip


def _neutral(base: Path, port: int) -> Any:
    names = [
        (str(base / "workspace"), "/workspace"),
        (str(base / "home"), "/home/agent"),
        (str(base / "bin"), "/usr/local/bin"),
        (sys.prefix, "/opt/venv"),
        (sys.base_prefix, "/usr/local"),
        (f"127.0.0.1:{port}", "127.0.0.1:8080"),
        (f"port {port}", "port 8080"),
        (f"port={port}", "port=8080"),
        (socket.gethostname(), "host"),
    ]

    def replaced(text: str) -> str:
        for old, new in names:
            text = text.replace(old, new)
        for pattern, new in MOMENTS:
            text = re.sub(pattern, new, text)
        return text

    return replaced


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def written(entries: list[Entry]) -> str:
    """One part as YAML."""
    return yaml.safe_dump(msgspec.to_builtins(entries), allow_unicode=True, sort_keys=False, width=110)


def main(names: list[str]) -> int:
    """Writes both parts; with ids only prints those entries."""
    server = Quiet(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    chosen = [each for each in recipes() if not names or each.id in names]
    entries = []
    for recipe in chosen:
        try:
            entries.append(entry_of(recipe, port))
        except Exception as error:  # noqa: BLE001 - told with its id, and the next one is run
            print(f"{recipe.id}: {error!r} {getattr(error, 'stderr', b'')!r}", file=sys.stderr)
    if names:
        print(written(entries))
        return 0
    DEVELOPMENT.write_text(written([each for each in entries if is_development(each.id)]))
    HELD_OUT.write_text(written([each for each in entries if not is_development(each.id)]))
    return int(len(entries) != len(chosen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
