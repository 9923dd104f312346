"""The memories and the ContextLog of the reference: what is added, what is read, and what happens when it cannot be."""

import contextlib
import errno
import json

import pytest
from reflection_world import HOME, Failing, World, codes

from harness.ports.fake_files import FakeFiles
from harness.ports.files import RealFiles
from harness.systems.diagnosis.contract import LogCode, Reflection
from harness.systems.diagnosis.reference import memories
from harness.systems.diagnosis.reference.memories import Lines, NewLines, Trace

PATH = f"{HOME}/lines.jsonl"
FULL = OSError(errno.ENOSPC, "full")


def busy(*_):
    raise TimeoutError("locked")


class TestRecords:
    def test_a_failure_is_in_the_session_memory_and_the_context_log(self):
        world = World()
        diagnosis = world.clone().diagnosis
        (record,), (event,) = world.lines("session"), world.lines("log")
        assert list(diagnosis["whyChain"].values()) == record["failure_diagnosis"]["why_chain"]
        assert diagnosis["rootCause"]["description"] == record["failure_diagnosis"]["root_cause"]
        assert [] == record["failure_diagnosis"]["recovery_attempted"]
        assert "learned_pattern" not in record
        assert (diagnosis["id"][5:], diagnosis["timestamp"], 2, 0) == (
            event["id"], event["ts"], event["iter"], event["elapsed_ms"],
        )  # fmt: skip
        assert {
            "failed_tool": "run_bash", "error_type": "command_not_found", "root_cause": "missing_binary",
            "recovery_strategy": "curl_download_and_extract", "confidence": 0.9, "alternatives_count": 3,
        } == event["metadata"]  # fmt: skip

    def test_each_outcome_is_in_both_memories(self):
        world = World()
        world.clone()
        world.tried(False)
        world.tried(True, iterations=3)
        assert [
            {"strategy": "curl_download_and_extract", "outcome": "failure", "iterations_to_success": None},
            {"strategy": "manual_http_download", "outcome": "success", "iterations_to_success": 3},
        ] == world.lines("session")[-1]["failure_diagnosis"]["recovery_attempted"]
        failed, worked = world.lines("episodic")
        assert "successful_recovery" not in failed
        assert ("manual_http_download", ["run_bash", "http_fetch"][1:], 3, 0.6667) == (
            worked["successful_recovery"]["strategy"],
            worked["successful_recovery"]["tools"][:1],
            worked["successful_recovery"]["iterations_to_success"],
            worked["successful_recovery"]["confidence"],
        )
        assert {"trigger": "git_command_not_found", "action": "manual_http_download", "success_rate": 1.0} == worked[
            "reusable_pattern"
        ]

    @pytest.mark.parametrize(
        "before", [b"", b"junk\n", b"\xff\xfe\n", b'{"torn": ', b'{"theirs": 1}\n[]\n\n', b'{"a": 1}']
    )
    def test_what_stands_in_a_file_stays_and_a_torn_line_is_ended(self, before):
        world = World()
        for name in ("session", "episodic", "log"):
            world.files.append(world.path(name), before)
        world.clone()
        world.tried(True)
        for name in ("session", "episodic", "log"):
            data = world.bytes(name)
            assert data.startswith(before)
            added = data[len(before) :]
            assert added.startswith(b"\n") == bool(before and not before.endswith(b"\n"))
            assert all(map(json.loads, added.splitlines()[added.startswith(b"\n") :]))


class TestReading:
    def test_only_what_is_new_is_read(self):
        files = FakeFiles()
        lines = NewLines(PATH, files)
        assert ([], False) == lines.read()
        files.append(PATH, b"1\n2\n3")
        assert ([b"1", b"2"], False) == lines.read()
        assert ([], False) == lines.read()
        files.append(PATH, b"4\n")
        assert ([b"34"], False) == lines.read()

    def test_a_file_that_is_shorter_was_begun_anew(self):
        files = FakeFiles()
        lines = NewLines(PATH, files)
        files.append(PATH, b"1\n2\n3\n")
        lines.read()
        files.replace(PATH, b"4\n")
        assert ([b"4"], True) == lines.read()
        files.remove(PATH)
        assert ([], True) == lines.read()

    def test_lines_are_read_over_chunks_and_one_that_is_too_long_is_left_out(self, monkeypatch):
        monkeypatch.setattr(memories, "CHUNK", 4)
        monkeypatch.setattr(memories, "LONGEST_LINE", 16)
        files = FakeFiles()
        lines = NewLines(PATH, files)
        files.append(PATH, b"1\n22\n" + b"3" * 12 + b"\n" + b"4" * 99)
        assert ([b"1", b"22", b"3" * 12], False) == lines.read()
        files.append(PATH, b"4\n5\n")
        assert ([b"5"], False) == lines.read()

    def test_of_a_huge_file_the_end_is_read(self, monkeypatch):
        monkeypatch.setattr(memories, "MOST_READ", 6)
        files = FakeFiles()
        files.append(PATH, b"1111\n2222\n3\n")
        assert ([b"3"], False) == NewLines(PATH, files).read()

    def test_junk_is_told_and_left_out(self):
        world = World()
        deep = b'{"reusable_pattern": ' + b"[" * 100_000
        world.files.append(world.path("episodic"), b'junk\n{"reusable_pattern": 7}\n\n\xff\n' + deep + b"\n")
        found = world.clone()
        assert (Reflection.FULL, ["memory_invalid"]) == (found.reflection, codes(found))
        assert "4 lines" in found.log[0].message
        assert [] == codes(world.clone())

    def test_a_memory_that_begins_anew_is_forgotten(self):
        world = World()
        world.clone()
        world.tried(True)
        assert Reflection.FAST == world.clone().reflection
        world.files.remove(world.path("episodic"))
        assert Reflection.FULL == world.clone().reflection

    def test_of_more_lines_than_are_remembered_each_counts_once_it_is_read(self, monkeypatch):
        monkeypatch.setattr("harness.systems.diagnosis.reference.learning.MOST_UNREAD", 1)
        world = World()
        world.clone()
        for _ in range(3):
            world.tried(True)
        assert [1.0] * 3 == [line["reusable_pattern"]["success_rate"] for line in world.lines("episodic")]
        world.reflection.learning.catch_up(Trace())
        assert (3, 3) == world.reflection.learning.counts("git_command_not_found", "curl_download_and_extract")

    def test_a_line_beyond_what_is_remembered_is_left_to_the_file(self, monkeypatch):
        monkeypatch.setattr("harness.systems.diagnosis.reference.learning.MOST_UNREAD", 0)
        world = World()
        world.clone()
        world.tried(True)
        assert (0, 0) == world.reflection.learning.counts("git_command_not_found", "curl_download_and_extract")
        assert Reflection.FAST == world.clone().reflection

    def test_a_memory_that_cannot_be_read_is_told(self):
        world = World(Failing("episodic"))
        world.clone()
        world.tried(True)
        world.files.broken["status"] = OSError(errno.EIO, "broken")
        found = world.clone()
        assert (Reflection.FAST, ["memory_unreadable"]) == (found.reflection, codes(found))


class TestWriting:
    def test_what_cannot_be_written_is_written_next(self):
        world = World(Failing())
        world.files.broken["append_lines"] = FULL
        found = world.clone()
        assert Reflection.FULL == found.reflection
        assert ["memory_write_failed", "context_log_write_failed"] == codes(found)
        assert ["memory_write_failed", "context_log_write_failed"] == codes(world.tried(False))[:2]
        assert b"" == world.bytes("session")
        del world.files.broken["append_lines"]
        assert [] == codes(world.prompt())
        assert [2, 1, 1] == [len(world.lines(name)) for name in ("session", "episodic", "log")]

    def test_a_line_whose_write_was_done_though_it_was_refused_is_not_written_twice(self):
        files = Failing()
        lines = Lines(PATH, files, LogCode.MEMORY_WRITE_FAILED)
        done = files.append_lines

        def refused(path, data):
            done(path, data)
            raise OSError(errno.EIO, "at the close")

        files.append_lines = refused
        lines.add({"a": 1}, Trace())
        files.append_lines = done
        lines.add({"b": 2}, Trace())
        assert b'{"a":1}\n{"b":2}\n' == files.read(PATH, 99)

    def test_a_doubtful_line_of_a_file_that_is_none_is_written(self):
        files = Failing()
        lines = Lines(PATH, files, LogCode.MEMORY_WRITE_FAILED)
        files.broken["append_lines"] = FULL
        lines.add({"a": 1}, Trace())
        files.broken.clear()
        lines.write(Trace())
        assert b'{"a":1}\n' == files.read(PATH, 99)

    def test_of_lines_that_can_never_be_written_the_oldest_are_lost(self, monkeypatch):
        monkeypatch.setattr(memories, "MOST_UNWRITTEN", 2)
        files = Failing()
        files.broken["append_lines"] = FULL
        lines = Lines(PATH, files, LogCode.MEMORY_WRITE_FAILED)
        trace = Trace()
        for number in range(3):
            lines.add({"n": number}, trace)
        assert [b'{"n":1}\n', b'{"n":2}\n'] == lines.unwritten
        assert "the oldest is lost" in "".join(entry.message for entry in trace.log())

    def test_a_lock_that_is_kept_delays_the_line_and_less_each_time(self):
        files = FakeFiles()
        asked = []

        def lock(path, timeout_s):
            asked.append(timeout_s)
            return busy()

        files.lock = lock
        lines = Lines(PATH, files, LogCode.MEMORY_WRITE_FAILED)
        trace = Trace()
        for number in range(5):
            lines.add({"n": number}, trace)
        assert [0, 0.25, 0, 0.015625, 0, 0, 0] == asked
        assert [] == list(files.contents)
        del files.lock
        lines.write(trace)
        assert 5 == len(files.read(PATH, 999).splitlines())
        assert 0.25 == lines.patience_s

    def test_a_lock_that_comes_free_is_waited_for(self):
        files = FakeFiles()
        files.lock = lambda path, timeout_s: contextlib.nullcontext() if timeout_s else busy()
        lines = Lines(PATH, files, LogCode.MEMORY_WRITE_FAILED)
        lines.add({"n": 1}, Trace())
        assert b'{"n":1}\n' == files.read(PATH, 99)

    def test_without_a_lock_a_line_is_added_all_the_same(self):
        files = Failing()
        files.broken["lock"] = OSError(errno.EROFS, "no lock")
        lines = Lines(PATH, files, LogCode.MEMORY_WRITE_FAILED)
        lines.add({"n": 1}, Trace())
        assert (b'{"n":1}\n', []) == (files.read(PATH, 99), lines.unwritten)

    @pytest.mark.parametrize("place", ["session", "episodic", "log"])
    def test_a_directory_in_the_place_of_a_file_stops_nothing(self, tmp_path, place):
        world = World(RealFiles(), str(tmp_path))
        (tmp_path / world.path(place).rpartition("/")[2]).mkdir()
        assert Reflection.FULL == world.clone().reflection
        assert "curl_download_and_extract" == world.tried(False).strategy
        assert world.prompt().text

    def test_the_same_is_said_once(self):
        trace = Trace()
        for _ in range(2):
            trace.error(LogCode.MEMORY_WRITE_FAILED, "x", FULL)
        assert 1 == len(trace.log())
