"""What is proposed for a failure: the order of the templates, what their steps run, and when the user is asked."""

import pytest
from handmade_diagnosis import FAIL, PASS, Story, a_context, a_diagnosis, a_plan
from handmade_proposals import (
    LATE,
    NO_TOOL,
    absent,
    denied,
    late,
    missing,
    planned,
    proposing,
    run,
    way,
    ways,
)

from harness.core.history import InputFact
from harness.systems.diagnosis.oracle.proposals import is_fresh
from harness.systems.diagnosis.oracle.templates import is_outside
from harness.systems.diagnosis.oracle.view import View

BINARY = ("equivalent_binary", "download_and_extract", "ask_user")
BOUNDS = ("sandbox_bounds", "allowed_directory", "ask_user")
LESS = ("reduced_scope", "streaming", "raised_limit", "ask_user")
SIMILAR = ("similar_tool", "built_in", "ask_user")
TEMPLATES = [
    ("DR-REC-02", missing, BINARY),
    ("DR-REC-03", denied, BOUNDS),
    ("DR-REC-04", late, LESS),
    ("DR-REC-05", absent, SIMILAR),
]


@pytest.mark.parametrize(("clause", "made", "template"), TEMPLATES)
def test_a_template_is_followed_in_its_order(clause, made, template):
    assert PASS is made(*template).verdict(clause)
    assert PASS is made(template[0], "another_tool", *template[1:]).verdict(clause)
    swapped = (template[1], template[0], *template[2:])
    assert FAIL is made(*swapped).verdict(clause)
    assert FAIL is made(*template[:-1]).verdict(clause)
    assert FAIL is made("ask_user", *template[:-1]).verdict(clause)


@pytest.mark.parametrize(("clause", "made", "template"), TEMPLATES)
def test_nothing_is_said_where_no_approach_is_told_or_another_type_was_taken(clause, made, template):
    nameless = [{**each, "approach": "something else"} for each in ways(*template)]
    assert made(*nameless).verdict(clause) is None
    kind, error = ("network_error", {"message": "ECONNREFUSED"})
    assert proposing(kind, error, ways(*template)).verdict(clause) is None


@pytest.mark.parametrize(
    ("clause", "made", "left"),
    [
        ("DR-REC-02", missing, ("equivalent_binary", "ask_user")),
        ("DR-REC-03", denied, ("allowed_directory", "ask_user")),
        ("DR-REC-03", denied, ("sandbox_bounds", "ask_user")),
        ("DR-REC-04", late, ("reduced_scope", "raised_limit", "ask_user")),
        ("DR-REC-05", absent, ("similar_tool", "ask_user")),
    ],
)
def test_what_there_are_tools_for_is_not_left_out(clause, made, left):
    assert FAIL is made(*left).verdict(clause)
    assert PASS is made(*left, tools=["http_fetch"] if made is absent else None).verdict(clause)


def test_another_binary_is_needed_where_the_template_names_it():
    error = {"message": "x", "code": 127, "stderr": "sh: 1: wget: not found"}

    def made(*approaches, command="wget https://x.y/a.zip", plan=None):
        return proposing("command_not_found", error, ways(*approaches), plan, args={"command": command}).verdict(
            "DR-REC-02"
        )

    assert FAIL is made("another_tool", "ask_user")
    assert PASS is made("another_tool", "ask_user", command="jq .")
    assert PASS is made("another_tool", "ask_user", command="echo 'a")
    curl, wget, nothing = (
        planned("equivalent_binary", run(line)) for line in ("curl -LO https://x.y/a.zip", "wget x", "ls")
    )
    assert PASS is made(*BINARY, plan=curl)
    assert FAIL is made(*BINARY, plan=wget)
    assert FAIL is made(*BINARY, plan=nothing)
    assert PASS is made(*BINARY, plan=planned("equivalent_binary", run("python3 -c 'import urllib.request'")))
    assert PASS is made(*BINARY, plan=planned("equivalent_binary", ("http_fetch", {"url": "https://x.y/a.zip"})))


def test_the_order_may_be_that_of_the_plan():
    plan = planned("equivalent_binary", run("gh repo clone o/keeper"), chain=("download_and_extract", "ask_user"))
    story = missing("ask_user", "download_and_extract", "equivalent_binary", plan=plan)
    assert PASS is story.verdict("DR-REC-02")
    assert ("plan_order",) == story.readings("DR-REC-01")


@pytest.mark.parametrize(
    ("verdict", "steps"),
    [
        (PASS, [run("curl -L https://github.com/o/keeper/archive/main.tar.gz -o a.tgz"), run("tar -xzf a.tgz")]),
        (PASS, [run("wget -qO- https://codeload.github.com/o/keeper/tar.gz/main | tar xz")]),
        (PASS, [("http_fetch", {"url": "https://github.com/o/keeper/archive/main.zip"}), run("unzip main.zip")]),
        (FAIL, [run("curl -L https://github.com/o/keeper/archive/main.tar.gz -o a.tgz")]),
        (FAIL, [run("curl -L https://example.com/other.tar.gz | tar xz")]),
        (FAIL, [run("apt-get install -y git")]),
        (FAIL, [run("tar -xzf keeper.tgz"), ("http_fetch", {"url": 7})]),
    ],
)
def test_a_clone_becomes_a_download_that_is_extracted(verdict, steps):
    plan = planned("download_and_extract", *steps)
    assert verdict is missing(*BINARY, plan=plan).verdict("DR-REC-02")


@pytest.mark.parametrize(
    "line",
    [
        "git clone git@github.com:o/keeper.git", "git clone https://x.y/$(id)", "git pull",
        "git clone https://x.y/x$(touch pwned)y", "git clone https://x.y/x`touch pwned`y", "git clone 'https://x y/z'",
        "git clone https://x.y/o\\'w/z",
    ],
)  # fmt: skip
def test_what_cannot_be_derived_need_not_be(line):
    plan = planned("download_and_extract", run("curl -L https://x.y/z | tar xz"))
    assert PASS is missing(*BINARY, plan=plan, line=line).verdict("DR-REC-02")


def test_a_download_that_is_none_is_told_with_its_plan_and_its_address():
    plan = planned("download_and_extract", run("curl -L https://x.y/z"), run("ls"))
    found = missing(*BINARY, plan=plan).finding("DR-REC-02")
    assert found.observed.startswith("https://x.y/z is loaded, extracted: False; the plan 'download_and_extract' runs ")
    assert "'curl -L https://x.y/z'; then 'ls'" in found.observed
    idle = missing(*BINARY, plan=planned("download_and_extract", run("ls"))).finding("DR-REC-02")
    assert "nothing is loaded" in idle.observed


def test_a_plan_that_comes_later_is_looked_at_too():
    story = missing(*BINARY, plan=planned("equivalent_binary", run("gh repo clone o/keeper")))
    next_plan = planned("download_and_extract", run("curl -L https://x.y/z"))
    story.outcome("c1", False, "equivalent_binary", more={"next_plan": next_plan})
    assert FAIL is story.verdict("DR-REC-02")


@pytest.mark.parametrize(
    ("verdict", "lines"),
    [
        (FAIL, ["git clone --depth 1 x"]), (PASS, ["git --version"]), (PASS, ["apt-get install -y git", "git clone x"]),
        (PASS, ["command -v git"]), (FAIL, ["ls", "git clone x"]), (FAIL, ["git"]),
    ],
)  # fmt: skip
def test_what_is_missing_is_not_run_again_before_something_was_done_about_it(verdict, lines):
    plan = planned("retry", *map(run, lines), chain=("equivalent_binary", "download_and_extract", "ask_user"))
    assert verdict is missing(way("corrected_retry", "retry"), *BINARY, plan=plan).verdict("DR-REC-02")


def test_the_same_name_written_otherwise_is_a_similar_tool():
    def of(*approaches):
        return proposing("tool_not_found", NO_TOOL, ways(*approaches), tool="ReadFile").verdict("DR-REC-05")

    assert FAIL is of("built_in", "ask_user")
    assert PASS is of("similar_tool", "built_in", "ask_user")


def test_the_binary_that_is_missing_is_not_run_by_its_equivalent():
    plan = planned("equivalent_binary", run("git clone x"))
    assert FAIL is missing(*BINARY, plan=plan).verdict("DR-REC-02")
    assert PASS is missing(*BINARY, plan=planned("equivalent_binary", run("hub clone o/keeper"))).verdict("DR-REC-02")


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (PASS, "realpath /etc/hosts"),
        (FAIL, "sudo cp a /etc/hosts"),
        (FAIL, "cd / && sudo -n cp a b"),
        (FAIL, "echo $(doas id)"),
        (FAIL, "cat <<E | sudo tee /etc/hosts\nx\nE"),
        (PASS, "echo 'ask for sudo'"),
    ],
)
def test_nobody_takes_other_rights_unasked(verdict, line):
    assert verdict is denied(*BOUNDS, plan=planned("sandbox_bounds", run(line))).verdict("DR-REC-03")


def test_who_had_other_rights_may_have_them_again():
    plan = planned("sandbox_bounds", run("sudo ls"))
    story = denied(*BOUNDS, plan=plan, tool="run_bash", args={"command": "sudo touch /etc/hosts"})
    assert PASS is story.verdict("DR-REC-03")


@pytest.mark.parametrize(
    ("verdict", "path"),
    [
        (PASS, "{home}/workspace/hosts"), (PASS, "hosts"), (PASS, "./a/../hosts"), (FAIL, "/tmp/hosts"), (FAIL, "../hosts"),
        (FAIL, "{home}/workspace/../hosts"), (FAIL, "{home}/workspace-evil/hosts"), (PASS, 7),
    ],
)  # fmt: skip
def test_an_allowed_directory_lies_within_the_root(verdict, path):
    plan = planned("allowed_directory", ("write_file", {"path": path, "content": "x"}))
    assert verdict is denied(*BOUNDS, plan=plan).verdict("DR-REC-03")


@pytest.mark.parametrize("root", ["/", "", "workspace", "//"])
def test_nothing_lies_outside_of_a_root_that_is_none(root):
    assert not is_outside("/etc/hosts", root)
    config = {"tools_fs_root": root}
    assert PASS is denied("sandbox_bounds", "ask_user", config=config).verdict("DR-REC-03")


def test_another_directory_helps_only_who_wrote_elsewhere():
    inside = {"path": "{home}/workspace/a", "content": "x"}
    assert PASS is denied("sandbox_bounds", "ask_user", args=inside).verdict("DR-REC-03")
    assert PASS is denied("sandbox_bounds", "ask_user", args={"path": 7}).verdict("DR-REC-03")
    assert PASS is denied("sandbox_bounds", "ask_user", tool="read_file").verdict("DR-REC-03")


@pytest.mark.parametrize(
    ("verdict", "approach", "args"),
    [
        (PASS, "reduced_scope", {"command": "make a", "timeout_s": 30}),
        (FAIL, "reduced_scope", {"command": "make a", "timeout_s": 60}),
        (FAIL, "reduced_scope", {"command": "timeout 60 make"}),
        (PASS, "reduced_scope", {"command": "timeout -k 5s make"}),
        (PASS, "reduced_scope", {"command": "make a"}),
        (PASS, "raised_limit", {"command": "make", "timeout_s": 60}),
        (FAIL, "raised_limit", {"command": "make", "timeout_s": 30}),
        (PASS, "raised_limit", {"command": "timeout 90s make"}),
        (PASS, "streaming", {"command": "make", "timeout_s": 90}),
        (PASS, "raised_limit", {"command": 7}),
    ],
)
def test_less_is_not_longer_and_longer_is(verdict, approach, args):
    chain = [each for each in LESS if each != approach]
    assert verdict is late(*LESS, plan=planned(approach, ("run_bash", args), chain=chain)).verdict("DR-REC-04")


@pytest.mark.parametrize(
    ("verdict", "message", "args"),
    [
        (FAIL, "timed out", {"command": "timeout 40 make"}),
        (FAIL, "timed out", {"command": "make", "timeout_s": 40}),
        (FAIL, "timed out after 40 seconds", {"command": "make"}),
        (FAIL, "timed out after 45.5s", {"command": "make"}),
        (PASS, "timed out", {"command": "make"}),
        (PASS, "timed out", {"command": "timeout 60 make"}),
    ],
)
def test_the_limit_that_was_exceeded_is_known_from_the_failure(verdict, message, args):
    plan = planned("reduced_scope", ("run_bash", {"command": "make a", "timeout_s": 50}), chain=LESS[1:])
    made = proposing("timeout", {"message": message}, ways(*LESS), plan, args=args)
    assert verdict is made.verdict("DR-REC-04")


def test_the_limit_of_a_failure_of_another_form_is_that_of_its_arguments():
    plan = planned("reduced_scope", ("run_bash", {"command": "make a", "timeout_s": 50}), chain=LESS[1:])
    made = proposing("timeout", {"message": 7}, ways(*LESS), plan, args={"command": "make"})
    assert PASS is made.verdict("DR-REC-04")


def test_the_tool_that_is_not_there_is_no_alternative():
    assert FAIL is absent(way("similar_tool", tools=["browser"]), "built_in", "ask_user").verdict("DR-REC-05")
    assert PASS is absent(way("another_tool", tools=["browser"]), "built_in", "ask_user").verdict("DR-REC-05")


NETWORK = {"message": "connect ECONNREFUSED 10.0.0.1:80"}


@pytest.mark.parametrize(
    ("readings", "approaches"),
    [
        (("list_order", "plan_order"), ("corrected_retry", "another_tool", "reduced_scope", "ask_user")),
        (("list_order", "plan_order"), ("corrected_retry", "raised_limit", "another_tool", "ask_user")),
        ((), ("another_tool", "corrected_retry", "ask_user")),
        ((), ("reduced_scope", "built_in", "ask_user")),
        ((), ("ask_user", "corrected_retry")),
        ((), ("corrected_retry", "another_tool")),
    ],
)
def test_the_four_kinds_fall_in_preference(readings, approaches):
    story = proposing("network_error", NETWORK, ways(*approaches))
    assert (PASS if readings else FAIL) is story.verdict("DR-REC-01")
    if readings:
        assert readings == story.readings("DR-REC-01")


def test_the_order_of_the_list_may_be_another_one_than_that_of_the_plan():
    plan = planned("another_tool", run("ls"), chain=("corrected_retry", "ask_user"))
    story = proposing("network_error", NETWORK, ways("corrected_retry", "another_tool", "ask_user"), plan)
    assert ("list_order",) == story.readings("DR-REC-01")


def test_a_template_orders_its_own_steps():
    assert PASS is late(*LESS).verdict("DR-REC-01")
    assert PASS is missing(*BINARY).verdict("DR-REC-01")
    assert FAIL is late("another_tool", "corrected_retry", *LESS).verdict("DR-REC-01")


def test_asking_has_its_place_by_any_name():
    story = proposing("network_error", NETWORK, [way("corrected_retry"), way(None, "help", ()), way("ask_user")])
    assert PASS is story.verdict("DR-REC-01")
    early = proposing("network_error", NETWORK, [way(None, "help", ()), way("corrected_retry"), way("ask_user")])
    assert FAIL is early.verdict("DR-REC-01")


def test_nothing_is_said_of_the_order_once_something_was_learned_of_the_type():
    story = proposing("network_error", NETWORK, ways("ask_user", "corrected_retry")).outcome("c1")
    proposing("network_error", NETWORK, ways("ask_user", "corrected_retry"), story=story)
    view = View(story.scenario, story.history)
    assert [True, False] == [is_fresh(view, seen) for seen in view.diagnosed]
    proposing("timeout", LATE, ways(*LESS), story=story)
    view = View(story.scenario, story.history)
    assert is_fresh(view, view.diagnosed[2])


@pytest.mark.parametrize(
    ("fresh", "memory"),
    [
        (True, InputFact("missing")), (True, InputFact("file", 3, b"{}\n")), (True, None),
        (False, InputFact("file", 9_000_000)), (False, InputFact("file", 40, b'{"learned_pattern": {"when": "x"}}\n')),
    ],
)  # fmt: skip
def test_a_memory_that_was_given_may_hold_what_was_learned(fresh, memory):
    story = Story()
    story.files["session_memory"] = memory
    story.begin("observe", {"call": "c", "tool": "t", "args": {}, "success": False, "error": {"message": "m"}})
    story.end("observe", {"reflection": "full", "diagnosis": a_diagnosis()})
    view = View(story.scenario, story.history)
    assert fresh is is_fresh(view, view.diagnosed[0])


def test_a_failure_without_a_template_has_a_plan():
    def of(**changes):
        return Story().failure(
            error=NETWORK, diagnosis=a_diagnosis(errorClassification__type="network_error", **changes)
        )

    assert PASS is of().verdict("DR-REC-06")
    assert FAIL is of(recoveryPlan=None).verdict("DR-REC-06")
    assert of(recoveryPlan=None, errorClassification__canRecover=False).verdict("DR-REC-06") is None
    assert FAIL is of(recoveryPlan__steps=[]).verdict("DR-REC-06")
    assert FAIL is of(recoveryPlan__strategy="").verdict("DR-REC-06")
    asking = {"recoveryPlan": a_plan("request_user_setup", (), steps=[])}
    assert FAIL is of(**asking).verdict("DR-REC-06")
    never = Story(flags={"AUTONOMOUS_MAX_RECOVERY_ATTEMPTS": "0"})
    made = a_diagnosis(errorClassification__type="network_error", **asking)
    assert PASS is never.failure(error=NETWORK, diagnosis=made).verdict("DR-REC-06")
    without = Story().failure(error=NETWORK, diagnosis=made, context=a_context(availableTools=["search"]))
    assert PASS is without.verdict("DR-REC-06")
    assert missing(*BINARY).verdict("DR-REC-06") is None
