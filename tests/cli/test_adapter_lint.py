"""The lint of adapters: a sound one has no mistake, and of one that makes a single mistake exactly that is explained."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from harness.adapters.mistakes import RULES
from harness.sandbox import launch

ROOT = Path(__file__).parents[2]
PYTHON = (os.path.realpath(sys.executable), "-S", "-E")  # it starts in less time
SHORT = ("--timeout-scale", "0.1")  # where it is waited for what never comes

SOUND = """
import json, sys
DEFAULTS = {"initial_delay_s": 5.0, "max_delay_s": 300.0, "multiplier": 2.0, "max_retries": 5}
HELLO = {"protocolVersion": 1, "implementation": {"name": "mine", "version": "1"}, "systems": {"rate_limit": {}}}
tunables = dict(DEFAULTS)
class Refused(Exception): pass
def classify(status=None, message=None):
    return {"rate_limited": status == 429 or "rate limit" in (message or "")}
def next_delay(retry):
    return {"retry": True, "delay_s": tunables["initial_delay_s"] * retry}
def configure(tunables):
    for name, value in tunables.items():
        if type(value) is type(DEFAULTS.get(name)) and 0 < value < 1000: globals()["tunables"][name] = value
    return {"accepted": True, "tunables": globals()["tunables"]}
TAKES = {"classify": {"status", "message"}, "next_delay": {"retry"}, "configure": {"tunables"}}
def begin():
    tunables.clear(); tunables.update(DEFAULTS)
    return {}
def answered(method, params):
    if method == "initialize":
        if 1 not in params["protocolVersions"]: raise Refused(-32000, "version 1 only")
        return HELLO
    if method == "reset": return begin()
    if method == "open": return begin()
    if method == "shutdown": return {}
    name = method.removeprefix("rate_limit/")
    if name not in TAKES: raise Refused(-32601, "unknown method")
    given = {key: value for key, value in params.items() if key != "now"}
    if not set(given) <= TAKES[name] or (name != "classify" and not given): raise Refused(-32602, "wrong arguments")
    return globals()[name](**given)
def write(text):
    sys.stdout.write(text); sys.stdout.flush()
def reply(call):
    number = call["id"]
    try:
        members = {"result": answered(call["method"], call["params"])}
    except Refused as error:
        members = {"error": {"code": error.args[0], "message": error.args[1]}}
    write(json.dumps({"jsonrpc": "2.0", "id": number, **members}) + "\\n")
def main():
    while line := sys.stdin.readline():
        try:
            call = json.loads(line)
        except ValueError:
            write('{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "no JSON"}}\\n')
            continue
        reply(call)
        if call["method"] == "shutdown": return
main()
"""

REPLY = 'write(json.dumps({"jsonrpc": "2.0", "id": number, **members}) + "\\n")'
REFUSED = 'raise Refused(-32601, "unknown method")'
STARTED = "\nmain()\n"
READ = "    while line := sys.stdin.readline():\n"
CHUNKS = """    import os
    def lines():
        rest = b""
        while chunk := os.read(0, 1 << 21):
            *whole, rest = (rest + chunk).split(b"\\n")
            {}
    for line in lines():
"""
ORDER = "yield from whole[::-1] if len(whole) == 2 and whole[0].startswith(b'{') else whole"
EARLY = "yield from whole\n            if 0 < len(rest) < 1000: yield rest; rest = b''"
SPLIT = "yield from (part for line in whole for part in line.decode().split('\\u2028'))"
TAKEN = ' or (name != "classify" and not given): raise Refused(-32602, "wrong arguments")'
FREE = ': raise Refused(-32602, "wrong arguments")\n    if name == "next_delay": given = {"retry": 1, **given}'
BACK = """    now, before = params["now"], globals().get("before", "")
    globals()["before"] = now
    assert now[:10] >= before[:10], "the clock went back"
    name = method."""
LATIN = """text = json.dumps({"jsonrpc": "2.0", "id": number, **members, "x": "é"}, ensure_ascii=False)
    sys.stdout.buffer.write(text.encode("latin-1") + b"\\n"); sys.stdout.flush()"""

# by name: what is put in the place of what, the code of the mistake, and a part of what is said of it
BROKEN = {
    "a greeting on stdout": (STARTED, f"\nprint('ready', flush=True){STARTED}", "noise", "'ready' - was it meant for stderr?; the protocol says that standard output has answers and nothing else, so print logs to standard error."),
    "a log line at a call": ("    if name not in TAKES", "    print('asked', name)\n    if name not in TAKES", "noise", "sent rate_limit/classify (id 4); a line on standard output is no answer: 'asked classify'"),
    "the id as a text": ('number = call["id"]', 'number = str(call["id"])', "wrong_id", "the answer has id '1', the call had 1"),
    "no jsonrpc": ('"jsonrpc": "2.0", "id": number', '"id": number', "not_protocol", "sent initialize (id 1); a line is no answer of JSON-RPC 2.0 (Object missing required field `jsonrpc`)"),
    "an array": (REPLY, REPLY.replace("dumps({", "dumps([{").replace("})", "}])"), "batch", "so write it without an array around it."),
    "twice": (REPLY, f"{REPLY}; {REPLY}", "extra_reply", "so look for what writes the second answer."),
    "no newline": (REPLY, REPLY.replace(' + "\\n"', ""), "unfinished", "so write a newline after each answer."),
    "no flush": ("sys.stdout.flush()", "pass", "buffered", "so flush standard output after each line."),
    "NaN": ('"delay_s": tunables', '"delay_s": float("nan") * tunables', "bad_json", "so let a JSON library write it."),
    "Latin-1": (REPLY, LATIN, "bad_utf8", "so encode what you write as UTF-8, whatever the locale is."),
    "a result of another type": ('{"retry": True', '{"retry": "yes"', "schema_violation", "the result of rate_limit/next_delay is not its schema's: Expected `bool`, got `str` - at `$.retry`"),
    "null to reset": ('"reset": return begin()', '"reset": return begin() or None', "schema_violation", "sent reset; the result of reset is not its schema's: Expected `object`, got `null`"),
    "an error to reset": ('"reset": return begin()', '"reset": begin(); raise Refused(-32000, "no")', "refused", "sent reset; the error -32000 came: 'no'"),
    "an unknown system": ('{"rate_limit": {}}', '{"rate_limit": {}, "rate_limits": {}}', "unknown_system", "systems has 'rate_limits', which is none (did you mean rate_limit?)"),
    "an unknown clause": ('{"rate_limit": {}}', '{"rate_limit": {"not_implemented": {"LK-RL-5": "no"}}}', "unknown_clause", "which is no clause of it (did you mean LK-RL-05?)"),
    "an unknown group": ('{"rate_limit": {}}', '{"rate_limit": {"groups": ["fast"]}}', "unknown_group", "groups of rate_limit has 'fast'"),
    "the version that is offered": ('if 1 not in params["protocolVersions"]', 'HELLO["protocolVersion"] = params["protocolVersions"][0]\n        if 0', "not_offered", "it chose version 999, which it cannot know"),
    "another name each time": (STARTED, f"\nimport time\nHELLO['implementation']['version'] = str(time.time()){STARTED}", "inconsistent", "a second process introduced itself otherwise"),
    "an unknown method is done": (REFUSED, "return {}", "no_error", "sent rate_limit/no_such_operation; a result came: {}; the protocol says that an unknown method is answered by the error -32601"),
    "another code": (REFUSED, REFUSED.replace("-32601", "-32000"), "wrong_code", "the error -32000 came: 'unknown method'"),
    "a missing argument is taken": (TAKEN, FREE, "accepted", "sent rate_limit/next_delay without retry; a result came"),
    "what is right is refused": ('name != "classify" and not given', '"retry" in given or name == "configure" and not given', "well_formed_refused", 'sent rate_limit/next_delay with {"retry":2}; the error -32602 came'),
    "it dies of a missing argument": (TAKEN, ': raise Refused(-32602, "wrong arguments")', "died", "rate_limit/next_delay without retry (id 14); it ended without an answer, with exit code 1; its standard error ends: TypeError: next_delay() missing"),
    "it dies of what is no JSON": ("except ValueError", "except KeyError", "died", "sent 'this is no JSON' and then rate_limit/classify (id 27); it ended without an answer"),
    "it dies of a clock that goes back": ("    name = method.", BACK, "died", "its standard error ends: AssertionError: the clock went back"),
    "it exits quietly": (REFUSED, "sys.exit(0)", "silent_exit", "so read on until shutdown or the end of standard input."),
    "it hangs in an operation": ("def next_delay(retry):\n", "def next_delay(retry):\n    import time; time.sleep(1000)\n", "timed_out", "sent rate_limit/next_delay (id 6); no answer within 1 s"),
    "a line ends at U+2028": (READ, CHUNKS.format(SPLIT), "misread", "U+2028 and a NUL in message"),
    "the last call first": (READ, CHUNKS.format(ORDER), "out_of_order", "sent rate_limit/classify twice in one write; the answer to call"),
    "half a line is answered": (READ, CHUNKS.format(EARLY), "too_early", "so read on until its newline comes."),
    "reset leaves what was": ("    tunables.clear(); tunables.update(DEFAULTS)\n", "", "not_fresh", "sent reset after other calls, and then rate_limit/"),
    "it lives on": (STARTED, f"{STARTED}import time; time.sleep(1000)\n", "not_ended", "sent shutdown and the end of standard input; the process lives on"),
}  # fmt: skip
WAITED_FOR = ("no newline", "no flush", "it hangs in an operation", "it lives on")


@pytest.fixture
def lint(windtunnel, tmp_path, monkeypatch):
    """``lint(program)`` is what the lint says of that program."""
    monkeypatch.chdir(tmp_path)

    def run(program, *options):
        (tmp_path / "adapter.py").write_text(program, "utf-8")
        return windtunnel("adapter", "lint", "--unsafe", *options, "--", *PYTHON, "adapter.py")

    return run


def told(ran):
    """Its findings, by what they are."""
    found = {"ok": [], "mistake": [], "note": []}
    for finding in json.loads(ran.out)["exchanges"]:
        found[finding["verdict"]].append(finding)
    return found


def test_a_sound_adapter_has_no_mistake_and_nothing_to_note(lint, snapshot):
    ran = lint(SOUND)
    assert (0, "") == (ran.code, ran.err)
    assert snapshot == ran.out


@pytest.mark.parametrize("name", BROKEN)
def test_a_mistake_is_found_and_explained_in_one_sentence_and_no_other_is(lint, name):
    old, new, code, says = BROKEN[name]
    assert old in SOUND
    ran = lint(SOUND.replace(old, new), "--json", *(SHORT if name in WAITED_FOR else ()))
    assert (1, "") == (ran.code, ran.err), ran.out
    mistakes = told(ran)["mistake"]
    assert {code} == {each["code"] for each in mistakes}, mistakes
    explained = [each["says"] for each in mistakes if not each["again"]]
    assert 1 == len(explained)
    assert says in explained[0]
    assert explained[0].startswith("sent ")
    assert explained[0].endswith(f"; the protocol says that {RULES[code].says}, so {RULES[code].do}.")
    assert len(mistakes) == json.loads(ran.out)["mistakes"]


def test_every_mistake_that_has_a_sentence_is_made_here_or_by_a_misbehaving_process():
    elsewhere = {"unclaimed", "too_deep", "flooded", "flooded_stderr", "closed_stdout", "not_read", "cut_off"}
    assert RULES.keys() - elsewhere == {code for _, _, code, _ in BROKEN.values()}


def test_a_system_that_is_asked_for_and_not_named_is_a_mistake(lint):
    ran = lint(SOUND, "--system", "fallback", "--json")
    assert 1 == ran.code
    (mistake,) = told(ran)["mistake"]
    assert ("unclaimed", "initialize") == (mistake["code"], mistake["exchange"])
    assert "systems has no fallback, only ['rate_limit']" in mistake["says"]


def test_an_operation_that_is_not_written_is_noted(lint):
    ran = lint(
        SOUND.replace(
            'TAKES = {"classify": {"status", "message"}, ', 'TAKES = {"classify": {"status", "message"}}; X = {'
        ),
        "--json",
    )
    assert 0 == ran.code
    notes = told(ran)["note"]
    assert ["rate_limit/next_delay", "rate_limit/configure"] == [each["exchange"] for each in notes]
    assert "it is not written; what is judged by it has to be in not_implemented" in notes[0]["says"]


def test_what_is_odd_and_permitted_is_noted(lint):
    odd = SOUND.replace('"id": null, "error": {"code": -32700', '"id": 0, "error": {"code": -32000')
    odd = odd.replace("if not set(given) <= TAKES[name] or", 'given.pop("no_such_argument", 0)\n    if')
    odd = odd.replace("if 1 not in params", "if 0 and params").replace(
        '"shutdown": return\n', '"shutdown": sys.exit(3)\n'
    )
    odd = odd.replace('{"retry": True, "delay_s": ', '{"retry": True, "delay_s": 1e-9 * __import__("time").time() + ')
    ran = lint(odd, "--json")
    assert 0 == ran.code, ran.out
    notes = {each["exchange"]: each["says"] for each in told(ran)["note"]}
    assert {
        "an unknown argument", "a line that is no JSON", "reset of rate_limit", "a version nobody has", "shutdown",
    } == notes.keys()  # fmt: skip
    assert "the error -32000 with id 0; JSON-RPC has -32700 and null" in notes["a line that is no JSON"]
    assert "exit code 3" in notes["shutdown"]


def test_one_that_cannot_be_restarted_is_not_asked_to_open(lint):
    ran = lint(SOUND.replace('"systems"', '"restart": False, "systems"'))
    assert 0 == ran.code
    assert "open by a second process: not played: it says that it cannot be restarted" in ran.out


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("import sys; sys.exit('no such module')", "the adapter does not start: it ended without an answer, with exit code 1; its standard error ends: no such module"),
        ("import sys; sys.exit('\\x1b[31mred')", "the adapter does not start: it ended without an answer, with exit code 1; its standard error ends: \\x1b[31mred"),
        ("", "the adapter does not start: it ended without an answer, with exit code 0"),
    ],
)  # fmt: skip
def test_one_that_does_not_start_is_a_sentence_and_exit_4(lint, program, sentence):
    assert (4, "", f"windtunnel: {sentence} [WT-T02]\n") == lint(program)


def test_no_command_is_a_usage_error(windtunnel):
    ran = windtunnel("adapter", "lint")
    assert (
        2,
        "",
        "windtunnel: no command: write -- CMD..., as in `windtunnel adapter lint -- python3 adapter.py` [WT-U01]\n",
    ) == ran
    assert 2 == windtunnel("adapter", "lint", "--system", "gate", "--", "true").code
    assert 4 == windtunnel("adapter", "lint", "--", "no-such-command").code


def test_a_machine_that_refuses_namespaces_is_told_of_as_by_certify(lint, windtunnel, monkeypatch, tmp_path):
    monkeypatch.setattr(launch, "WAYS", (launch.PLAIN,))
    (tmp_path / "adapter.py").write_text(SOUND)
    ran = windtunnel("adapter", "lint", "--", *PYTHON, "adapter.py")
    assert (4, "") == (ran.code, ran.out)
    assert "this machine refuses namespaces, so the command could reach your files" in ran.err
    assert 0 == lint(SOUND).code


def test_what_the_adapter_says_cannot_steer_the_terminal(lint):
    ran = lint(
        SOUND.replace('"name": "mine"', '"name": "mi\\x1b[31mne\\u202e"').replace(
            REFUSED, 'raise Refused(-32000, "\\x1b]0;x\\x07\\nok  fine")'
        )
    )
    assert 1 == ran.code
    assert "mi\\x1b[31mne\\u202e 1 has rate_limit" in ran.out
    assert "\x1b" not in ran.out
    assert not [line for line in ran.out.splitlines() if line.startswith("ok  fine")]


def test_ctrl_c_ends_it_and_leaves_nothing_running(tmp_path):
    (tmp_path / "adapter.py").write_text(
        SOUND.replace("def next_delay(retry):\n", "def next_delay(retry):\n    import time; time.sleep(1000)\n")
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "harness.cli", "adapter", "lint", "--unsafe", "--", *PYTHON, "adapter.py"]
    running = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        line = ""
        while "rate_limit/classify" not in line:  # the next one hangs
            line = running.stdout.readline()
            assert line
        below = psutil.Process(running.pid).children(recursive=True)
        assert below
        running.send_signal(signal.SIGINT)
        assert 130 == running.wait(30)
        psutil.wait_procs(below, 10)
        assert [] == [each for each in below if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]
    finally:
        running.kill()
        running.stdout.close()
        running.wait()


@pytest.mark.tools
@pytest.mark.parametrize(
    "words", [("circuit_breaker_node", "node", "breaker.mjs"), ("review_gate_bash", "bash", "gate.bash")]
)
def test_what_was_written_independently_has_no_mistake(windtunnel, monkeypatch, words):
    folder, *command = words
    monkeypatch.chdir(ROOT / "examples" / "independent" / folder)
    ran = windtunnel("adapter", "lint", "--", *command)
    assert 0 == ran.code, ran.out


@pytest.mark.parametrize(
    "lang",
    [
        pytest.param("python"),
        pytest.param("node", marks=pytest.mark.tools),
        pytest.param("bash", marks=pytest.mark.tools),
    ],
)
def test_a_skeleton_has_no_mistake(windtunnel, monkeypatch, tmp_path, lang):
    assert (
        0
        == windtunnel(
            "adapter", "init", "--lang", lang, "--system", "rate_limit", "--system", "fallback", "--out", tmp_path
        ).code
    )
    monkeypatch.chdir(tmp_path)
    command = {
        "python": (sys.executable, "adapter.py"),
        "node": ("node", "adapter.mjs"),
        "bash": ("bash", "adapter.bash"),
    }[lang]
    ran = windtunnel("adapter", "lint", "--unsafe", "--", *command)
    assert 0 == ran.code, ran.out
