"""The four kinds of the Recovery Planner, for types that have no template. Source: 001, Core Components 3."""

from harness.systems.diagnosis.contract import SHELLS, Approach, Tool
from harness.systems.diagnosis.reference.hostile import line
from harness.systems.diagnosis.reference.steps import Case, Step, Strategy, Toolbox, made, program_of, quoted, repeated
from harness.systems.diagnosis.reference.subjects import path_of, url_of, words_of

PAUSE_S = 60
PART = 100  # lines or entries


# -- corrected retry


def by_its_description(case: Case) -> list[Strategy | None]:
    """Wrong parameters: see what the tool takes, then call it so."""
    failure, box = case.failure, Toolbox(case.failure)
    words = program_of(failure)
    help_line = quoted(words[0], "--help") if words else "pwd; ls -la"
    look = box.run("See which parameters it takes", help_line, "What it accepts")
    if look is None:
        look = box.listed("See which names are right", ".", "The names that exist")
    if look is None and failure.whole:
        kept = {name: value for name, value in failure.args.items() if value not in (None, "")}
        look = box.use(failure.tool, "Call it without its empty parameters", kept, "It accepts its parameters")
    return [_retry("correct_the_parameters", f"Correct the parameters of {_named(case)}, and try again", 0.8, look)]


def checked_syntax(case: Case) -> list[Strategy | None]:
    """Syntax: check without running, correct, try again."""
    failure, box, path = case.failure, Toolbox(case.failure), path_of(case.failure)
    words = program_of(failure)
    file = path or next((word for word in words[1:] if "." in word and not word.startswith("-")), "")
    if file.endswith(".py"):
        check = box.run(
            "Check the syntax only", quoted("python3", "-m", "py_compile", file), "The place of the mistake"
        )
    elif file.endswith(".json"):
        check = box.run("Check the syntax only", quoted("python3", "-m", "json.tool", file), "The place of the mistake")
    elif file:
        check = box.use(Tool.READ_FILE, "Read the place of the mistake", {"path": file}, "The place of the mistake")
    elif failure.command:
        command = f"{quoted('printf', '%s', failure.command)} | sh -n"
        check = box.run("Check the syntax without running it", command, "The mistake")
    else:
        check = None
    check = check or box.listed("Find the file with the mistake", ".", "The file")
    return [
        _retry(
            "correct_the_syntax", f"Find the mistake in what {_named(case)} read, correct it and try again", 0.8, check
        )
    ]


def after_a_look_at_the_network(case: Case) -> list[Strategy | None]:
    """Network: does the name resolve? Then again, with retries of its own."""
    box, url = Toolbox(case.failure), url_of(case.failure)
    look = box.run("See whether the name resolves", quoted("getent", "hosts", case.subject), "An address")
    command = quoted("curl", "-fL", "--retry", "3", "--retry-connrefused", "--connect-timeout", "10", "-O", "--", url)
    again = box.run("Try again, with retries", command, "It is downloaded") if url else None
    if look is None and url:
        again = box.use(Tool.HTTP_FETCH, "Try again with a time limit", {"url": url, "timeout_s": 30}, "The content")
    return [
        _retry(
            "retry_after_network_check", f"See whether {_named(case)} can be reached, and try again", 0.7, look, again
        )
    ]


def after_a_pause(case: Case) -> list[Strategy | None]:
    """A quota: wait, then again with fewer requests."""
    failure, box = case.failure, Toolbox(case.failure)
    again = repeated(failure.command) if failure.command else None
    url = url_of(failure)
    wait = quoted("sleep", str(PAUSE_S))
    if again is not None:
        step = box.run(
            f"Wait {PAUSE_S} s, and try again", f"{wait} && sh -c {quoted(again)}", "The request is accepted"
        )
    elif url:
        command = f"{wait} && {quoted('curl', '-fsSL', '--retry', '3', '--', url)}"
        step = box.run(f"Wait {PAUSE_S} s, and try again", command, "The request is accepted")
    else:
        step = box.run(f"Wait {PAUSE_S} s before the next request", wait, "The quota is free again")
    if step is None and failure.whole:
        args = {**failure.args, "delay_s": PAUSE_S}
        step = box.use(failure.tool, f"Try again after {PAUSE_S} s", args, "The request is accepted")
    return [_retry("retry_after_a_pause", f"Wait until {_named(case)} accepts requests, and try again", 0.8, step)]


def into_a_file(case: Case) -> list[Strategy | None]:
    """Too much output: the same with its output in a file, and a part of that."""
    failure, box = case.failure, Toolbox(case.failure)
    again = repeated(failure.command) if failure.command else None
    if again is None:
        return [] if not failure.whole or failure.command else [
            _retry(
                "ask_for_less",
                f"Ask {_named(case)} for a part only",
                0.8,
                box.use(failure.tool, "Ask for the first part", {**failure.args, "limit": PART}, "A part of it"),
            )
        ]  # fmt: skip
    run = box.run("Write the output to a file", f"sh -c {quoted(again)} > output.txt 2>&1", "output.txt is there")
    look = box.run("Read the first part", quoted("head", "-c", "20000", "output.txt"), "A part of the output")
    return [_retry("output_to_a_file", "Write the output to a file, and read it in parts", 0.85, run, look)]


def provided_requirement(case: Case) -> list[Strategy | None]:
    """Something is missing: look for it, provide it where that needs nobody, try again."""
    box, name = Toolbox(case.failure), case.subject
    if name.isupper():
        look = box.run(f"See whether {name} is set", quoted("printenv", name), f"The value of {name}, if it has one")
        files = box.run(
            "Look for a file with settings", quoted("ls", "-a", ".env", ".env.example"), "A file with settings"
        )
        return [
            _retry(
                "provide_the_variable", f"Look for the value of {name} in the settings, and set it", 0.6, look, files
            )
        ]
    told = case.failure.told
    if "Cannot find module" in told or "Cannot find package" in told:
        step = box.run(f"Install {name}", quoted("npm", "install", "--", name), f"{name} is installed")
    elif "No module named" in told:
        module = name.partition(".")[0]
        step = box.run(
            f"Install {module}", quoted("python3", "-m", "pip", "install", "--user", "--", module), f"{module} is there"
        )
    else:
        step = box.run(f"Look for {name}", quoted("find", "/usr", "/opt", "-name", f"*{name}*"), f"Where {name} is")
    step = step or box.listed("Look for what the project needs", ".", "A list of requirements")
    return [_retry("provide_the_dependency", f"Provide {_named(case)}, and try again", 0.7, step)]


def closer_look(case: Case) -> list[Strategy | None]:
    """Nothing is known: look at the place of the failure first."""
    box = Toolbox(case.failure)
    look = box.listed("Look at the working directory", ".", "What is there")
    if look is None and box.has(Tool.READ_FILE) and path_of(case.failure):
        look = box.use(
            Tool.READ_FILE, "Look at the file", {"path": path_of(case.failure), "limit": PART}, "What is there"
        )
    return [
        _retry("look_and_correct", f"Look at what {_named(case)} works on, correct the call and try again", 0.5, look)
    ]


# -- another tool


def another_tool(case: Case) -> list[Strategy | None]:
    """Another tool that comes to the same."""
    failure = case.failure
    box, path = Toolbox(failure, without=failure.tool), path_of(failure)
    words = words_of(failure.command)
    file = path or next((word for word in reversed(words[1:]) if not word.startswith("-") and "." in word), "")
    step = box.use(Tool.READ_FILE, "Read the file instead", {"path": file}, "The content") if file else None
    step = step or box.run(
        "Do it with a shell", f"{quoted('head', '-n', str(PART), '--', file or '.')} || ls -la", "The content"
    )
    step = step or box.use(Tool.READ_DIR, "See what there is instead", {"path": "."}, "What there is")
    return [_another("use_another_tool", f"Use another tool in place of {line(failure.tool, 60)}", step)]


def another_way_out(case: Case) -> list[Strategy | None]:
    """Another tool that gets what stands at an address."""
    failure = case.failure
    url = url_of(failure)
    if not url:
        return another_tool(case)
    box = Toolbox(failure, without=failure.tool)
    step = box.use(Tool.HTTP_FETCH, "Fetch it by HTTP", {"url": url}, "The content")
    step = step or Toolbox(failure).run(
        "Fetch it with wget", quoted("wget", "--tries=3", "-O", "download", "--", url), "The content"
    )
    return [_another("fetch_with_another_tool", f"Fetch it with another tool than {line(failure.tool, 60)}", step)]


# -- reduced scope


def smaller_part(case: Case) -> list[Strategy | None]:
    """A part of the work, which shows where it fails."""
    failure, box = case.failure, Toolbox(case.failure)
    place = path_of(failure) or "."
    step = box.run(
        "Choose a small part to begin with", f"{quoted('ls', '-A', '--', place)} | head -n 5", "A small part"
    )
    step = step or box.use(Tool.READ_DIR, "Choose a small part to begin with", {"path": place}, "A small part")
    if step is None and failure.whole and failure.tool not in SHELLS:
        step = box.use(failure.tool, "Ask for a small part", {**failure.args, "limit": 5}, "A small part")
    return [_reduced("do_a_smaller_part", "Do a smaller or simpler part of the work first", step)]


def local_copy(case: Case) -> list[Strategy | None]:
    """What is there already, without any request."""
    box = Toolbox(case.failure)
    step = box.listed("See what is here already", ".", "Copies of what is needed")
    return [_reduced("use_what_is_here", "Go on with what is here already, and ask for less", step)]


def _named(case: Case) -> str:
    return line(case.subject, 60)


def _retry(name: str, what: str, confidence: float, *steps: Step | None) -> Strategy | None:
    return made(name, Approach.CORRECTED_RETRY, what, confidence, 2, *steps)


def _another(name: str, what: str, *steps: Step | None) -> Strategy | None:
    return made(name, Approach.ANOTHER_TOOL, what, 0.6, 2, *steps)


def _reduced(name: str, what: str, *steps: Step | None) -> Strategy | None:
    return made(name, Approach.REDUCED_SCOPE, what, 0.5, 3, *steps)
