"""A file that is named and is none, or has no end, is refused in a sentence, and nothing waits for it."""

import os
import signal
from pathlib import Path

import pytest

from harness.ports.named_file import read_named

LINES = [
    "verify FIFO",
    "verify certificate.json --key FIFO",
    "diff FIFO certificate.json",
    "sign FIFO --key key.pem",
    "certify reference --baseline FIFO",
    "simulate --script FIFO",
    "report run",
]
WAIT_S = 20


@pytest.fixture
def folder(tmp_path, monkeypatch):
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    monkeypatch.chdir(tmp_path)
    (tmp_path / "certificate.json").write_text('{"predicate": 1}')
    key = ed25519.Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (tmp_path / "key.pem").write_bytes(key)
    (tmp_path / "run").mkdir()
    os.mkfifo(tmp_path / "FIFO")
    os.mkfifo(tmp_path / "run" / "events.jsonl")
    return tmp_path


@pytest.fixture(autouse=True)
def _impatient():
    def wake(number, frame):
        raise TimeoutError("it waits")

    before = signal.signal(signal.SIGALRM, wake)
    signal.alarm(WAIT_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("line", LINES)
def test_a_fifo_is_refused(folder, windtunnel, line):
    ran = windtunnel(*line.split())
    assert 2 == ran.code
    assert "it is no regular file" in ran.err


@pytest.mark.parametrize("line", ["verify /dev/zero", "diff /dev/zero x", "certify reference --baseline /dev/zero"])
def test_a_device_without_end_is_refused(folder, windtunnel, line):
    ran = windtunnel(*line.split())
    assert 2 == ran.code
    assert "it is no regular file" in ran.err


def why(path, most_bytes):
    with pytest.raises(OSError, match="Errno") as raised:
        read_named(path, most_bytes)
    return raised.value.strerror


def test_a_file_is_read_whole_or_not_at_all(tmp_path):
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", 1 << 40)
    assert (b"12345", b"12345") == (read_named(tmp_path / "file", 5), read_named(tmp_path / "link", 5))
    assert "it has more than 4 bytes" == why(tmp_path / "file", 4)
    assert "it has more than 1,000 bytes" == why(tmp_path / "huge", 1000)
    assert "it is a directory" == why(tmp_path, 4)
    assert "No such file or directory" == why(tmp_path / "none", 4)


def test_what_says_that_it_is_empty_is_read_to_its_limit():
    assert "it has more than 4 bytes" == why(Path("/proc/self/status"), 4)
