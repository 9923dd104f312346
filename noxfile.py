"""Errands: campaigns, benchmarks, generated files, packaging. The test matrix is in tox.ini."""

from pathlib import Path

import nox

nox.options.sessions = ["lint"]
nox.options.default_venv_backend = "venv"
ROOT = Path(__file__).parent


def install(session: nox.Session, group: str = "test") -> None:
    session.install("-e", ".", *nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), group))


@nox.session
def lint(session: nox.Session) -> None:
    """Ruff, types, layers."""
    install(session)
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")
    session.run("lint-imports")


@nox.session
def materialise(session: nox.Session) -> None:
    """Write every generated file anew: scenarios, schemas, lists."""
    install(session)
    session.run("python", "-m", "harness.certify.materialise")


@nox.session
def campaign(session: nox.Session) -> None:
    """A long search against the reference: `nox -s campaign -- --cases 5000 --seed 7`."""
    install(session)
    arguments = session.posargs or ["--cases", "2000"]
    everything = ("--system", "all", "--report", "windtunnel-report/campaign")
    session.run("windtunnel", "certify", "reference", *everything, *arguments)


@nox.session
def campaigns(session: nox.Session) -> None:
    """All cases of all portable tests; their times go to windtunnel-report/all.xml, for tests/campaigns.py."""
    install(session)
    session.run("pytest", "-n", "2", "-m", "not tools", "--junitxml", "windtunnel-report/all.xml", *session.posargs)


@nox.session
def digests(session: nox.Session) -> None:
    """The same run on every copy of windtunnel here, with other jobs, and beside programs that take the processors."""
    install(session)
    session.run("python", ".ci/digests", "--l2", *session.posargs)


@nox.session
def generate(session: nox.Session) -> None:
    """Build the part of the plan that is found by search anew; the commands stand in docs/scenarios.md."""
    install(session)
    for profile, count in (("gate", "40"), ("stop_hook", "20")):
        options = ("--profile", profile, "--count", count, "--seed", "3", "--force")
        session.run("windtunnel", "generate", "--system", "stop_gate", *options, "--out", "scenarios/stop_gate/found")


@nox.session
def docs(session: nox.Session) -> None:
    """The site, in strict mode: a link that leads nowhere ends it."""
    install(session)
    session.install(*nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), "docs"))
    session.run("mkdocs", "build", "--strict", *session.posargs)


@nox.session
def pages(session: nox.Session) -> None:
    """The pages whose commands take minutes, run as printed."""
    install(session)
    session.run("pytest", "-m", "tools and campaign", "tests/repository/test_tutorials.py", *session.posargs)


@nox.session
def qualify(session: nox.Session) -> None:
    """Everything that is wrong on purpose, through the path of any implementation: `-- --matrix` for every layer."""
    install(session)
    session.run("windtunnel", "qualify", "--report", "windtunnel-report/qualify", *session.posargs)


@nox.session
def false_alarms(session: nox.Session) -> None:
    """3,000 short searches of sound implementations, which may find nothing (a quarter of an hour)."""
    install(session)
    session.run(
        "python", "-m", "harness.qualify.false_alarms", "--report", "reports/false_alarms.json", *session.posargs
    )


@nox.session
def level3(session: nox.Session) -> None:
    """L3 of the references and of the sound examples, whole; what follows `--` goes to certify."""
    install(session)
    everything = ("--system", "all", "--level", "L3", "--report", "windtunnel-report/l3/all")
    session.run("windtunnel", "certify", "reference", *everything, *session.posargs)
    for target in map(str, sorted(ROOT.glob("examples/hooks/sound_*/target.yaml"))):
        report = f"windtunnel-report/l3/{Path(target).parent.name}"
        session.run("windtunnel", "certify", target, "--level", "L3", "--report", report, *session.posargs)


@nox.session
def libraries(session: nox.Session) -> None:
    """Certify libraries people use, and write reports/libraries.*; `-- --check` compares with what is there."""
    install(session)
    session.run("examples/adapters/install", external=True)
    session.run("python", "examples/adapters/matrix.py", *session.posargs)


@nox.session
def year(session: nox.Session) -> None:
    """365 virtual days of four agents in hostile weather: no rule broken, and no more memory at the end."""
    install(session)
    session.run("python", "-m", "benchmarks.year", *session.posargs)


@nox.session
def simulations(session: nox.Session) -> None:
    """A long campaign, steered, and all planted defects hunted: `nox -s simulations -- --runs 200`."""
    install(session)
    more = session.posargs or ["--runs", "100"]
    session.run("windtunnel", "campaign", "--steer", "--report", "windtunnel-report/campaign", *more)
    session.run("windtunnel", "qualify", "--planted", "--report", "windtunnel-report/planted")


@nox.session
def reached(session: nox.Session) -> None:
    """What the suite aims at is met by the reference: reports/coverage.json, written anew; `-- --level L3` for L3."""
    install(session)
    session.run("python", "-m", "harness.certify.reached", *session.posargs)


@nox.session
def hosts(session: nox.Session) -> None:
    """Install the pinned agents, write the table of host facts anew, run every example under each."""
    install(session)
    session.install(*nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), "wires"))
    session.run("windtunnel", "host", "install")
    session.run("windtunnel", "host", "check", "--write", *session.posargs)
    session.run("python", "-m", "harness.certify.materialise")
    session.run("pytest", "-n", "2", "-m", "tools", "tests/hosts")


@nox.session
def hooks(session: nox.Session) -> None:
    """Certify published Stop hooks, and write reports/hooks.md."""
    install(session)
    session.run("examples/public_hooks/install", external=True)
    session.run("python", "examples/public_hooks/report", *session.posargs)


@nox.session
def benchmark(session: nox.Session) -> None:
    """Ratios inside one run; see benchmarks/README.md."""
    install(session, "dev")
    session.run("python", "-m", "benchmarks", *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """Branch coverage of the portable tests."""
    install(session)
    session.run("coverage", "erase")
    session.run("coverage", "run", "-m", "pytest", "-m", "not tools", *session.posargs)
    session.run("coverage", "combine")
    session.run("coverage", "report")


@nox.session
def references(session: nox.Session) -> None:
    """Branch coverage of core, of all oracles and references, and of what they share: `-- signals` for one."""
    install(session)
    session.run(".ci/references", *session.posargs, external=True)


@nox.session(python=nox.project.python_versions(nox.project.load_toml("pyproject.toml")))
def package(session: nox.Session) -> None:
    """Wheel and sdist, each installed into nothing and away from the checkout, on every Python that is here."""
    session.install("build>=1.2,<2")
    out = Path(session.create_tmp()).absolute()
    session.run("python", "-m", "build", "--outdir", str(out), str(ROOT))
    commands = out / "empty" / "bin"
    for ending in ("tar.gz", "whl"):
        made = next(out.glob(f"*.{ending}"))
        session.run("python", "-m", "venv", "--clear", "--upgrade-deps", str(out / "empty"))
        session.run(str(commands / "pip"), "install", "-q", str(made), external=True)
        with session.chdir(out):
            session.run(str(commands / "windtunnel"), "demo", "--out", f"demo-{ending}", external=True)
            reference = ("certify", "reference", "--cases", "0", "--report", f"report-{ending}")
            session.run(str(commands / "windtunnel"), *reference, external=True)
