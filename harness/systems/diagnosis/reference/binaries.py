"""What to do without a binary: another that does the same, or a download. Source: 001, Template missing_binary."""

import posixpath
from collections.abc import Mapping

from harness.systems.diagnosis.contract import Approach, Tool
from harness.systems.diagnosis.reference.steps import (
    Case,
    Step,
    Strategy,
    Toolbox,
    archive_of,
    made,
    program_of,
    quoted,
)
from harness.systems.diagnosis.reference.subjects import url_of, words_of

EQUIVALENTS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "python": (("python3",),),
    "python3": (("python",),),
    "pip": (("pip3",), ("python3", "-m", "pip")),
    "pip3": (("pip",), ("python3", "-m", "pip")),
    "node": (("nodejs",),),
    "docker": (("podman",),),
    "gcc": (("cc",), ("clang",)),
    "cc": (("gcc",), ("clang",)),
    "clang": (("gcc",), ("cc",)),
    "g++": (("c++",), ("clang++",)),
    "make": (("gmake",),),
    "rg": (("grep", "-rn", "-e"),),
    "ag": (("grep", "-rn", "-e"),),
    "tar": (("bsdtar",),),
    "unzip": (("bsdtar", "-xf"),),
    "vim": (("vi",),),
    "awk": (("gawk",), ("mawk",)),
    "shasum": (("sha1sum",),),
    "jq": (("gojq",), ("jaq",)),
    "yarn": (("npm",),),
    "pnpm": (("npm",),),
    "npx": (("npm", "exec", "--"),),
}
"""Programs that take the same arguments, with what goes before them."""

EXTRACTED_BY_PYTHON: Mapping[str, str] = {"unzip": "zipfile", "tar": "tarfile", "gunzip": "gzip"}
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".gz")


def equivalent_binary(case: Case) -> list[Strategy | None]:
    """Template step 1. Nothing does the work of git, so a clone is downloaded."""
    binary, box = posixpath.basename(case.subject), Toolbox(case.failure)
    url, words = url_of(case.failure), program_of(case.failure)
    if binary == "git" and archive_of(case.failure) is not None:
        return []
    if binary in {"wget", "curl"} and url:
        other = "curl" if binary == "wget" else "wget"
        option = ["-fL", "-o"] if other == "curl" else ["-O"]
        look = box.run(f"Look for {other}", quoted("command", "-v", other), f"The path of {other}")
        fetch = box.run(f"Download with {other}", quoted(other, *option, _name(url), "--", url), "The file is there")
        return [_equivalent(f"use_{other}_instead", f"Use {other} in place of {binary}", 0.9, look, fetch)]
    archive = next((word for word in words[1:] if word.endswith(_ARCHIVES)), "")
    if binary in EXTRACTED_BY_PYTHON and archive:
        module = EXTRACTED_BY_PYTHON[binary]
        ends = ("-d", archive) if module == "gzip" else ("-e", archive, ".")
        look = box.run("Look for python3", quoted("command", "-v", "python3"), "The path of python3")
        extract = box.run(
            f"Extract with Python's {module}", quoted("python3", "-m", module, *ends), "The files are there"
        )
        return [
            _equivalent("extract_with_python", f"Let Python's {module} do the work of {binary}", 0.85, look, extract)
        ]
    others = EQUIVALENTS.get(binary, ())
    looks = " || ".join(quoted("command", "-v", name) for name in (*(other[0] for other in others), binary))
    places = quoted("find", "/usr/local", "/opt", "/usr/lib", "-maxdepth", "4", "-name", binary, "-perm", "-u+x")
    look = box.run(f"Look for what does the same as {binary}", f"{looks} || {places}", "The path of an equivalent")
    again = None
    if others and words and posixpath.basename(words[0]) == binary:
        again = box.run(f"Run {others[0][0]} instead", quoted(*others[0], *words[1:]), "It does what was asked for")
    return [
        _equivalent("find_equivalent_binary", f"Look for a binary that does the same as {binary}", 0.7, look, again)
    ]


def download_and_extract(case: Case) -> list[Strategy | None]:
    """Template step 2: by HTTP and by hand."""
    archive, box = archive_of(case.failure), Toolbox(case.failure)
    if archive is not None and "git" in (case.subject, *words_of(case.failure.command)):
        return [_tarball(archive.url, archive.name, box), _by_hand(archive.url, archive.name, box)]
    url = url_of(case.failure)
    if url:
        fetch = box.use(Tool.HTTP_FETCH, "Download by HTTP", {"url": url}, "The content is there")
        if fetch is None:
            code = "import sys, urllib.request as request; request.urlretrieve(sys.argv[1], sys.argv[2])"
            fetch = box.run(
                "Download by HTTP with Python", quoted("python3", "-c", code, url, _name(url)), "The file is there"
            )
        return [_download("http_download", f"Download without {case.subject}, and extract by hand", 0.6, fetch)]
    binary = posixpath.basename(case.subject)
    source = f"https://repology.org/api/v1/project/{_plain(binary)}"
    found = box.fetched(f"Find where {binary} is offered", source, f"{_plain(binary)}.json", "A list of packages")
    unpack = box.run(
        "Extract what was downloaded", quoted("tar", "-xzf", f"{_plain(binary)}.tar.gz"), f"{binary} is here"
    )
    what = f"Download {binary} by HTTP, and extract it by hand"
    return [_download("download_missing_binary", what, 0.5, found, unpack if found else None)]


def _tarball(url: str, name: str, box: Toolbox) -> Strategy | None:
    if box.shell() is None:
        return None
    file = f"{name}.tar.gz"
    return _download(
        "curl_download_and_extract",
        "Download the repository's tarball with curl, and extract it with tar",
        0.9,
        box.run("Download the repository's tarball", quoted("curl", "-fL", "-o", file, "--", url), f"{file} is there"),
        box.run("Make a directory for it", quoted("mkdir", "-p", "--", name), f"{name} is there"),
        box.run(
            "Extract the tarball",
            quoted("tar", "-xzf", file, "--strip-components=1", "-C", name),
            f"The repository's files are in {name}",
        ),
        box.listed("Verify the extraction", f"./{name}", "The repository's structure"),
    )


def _by_hand(url: str, name: str, box: Toolbox) -> Strategy | None:
    file = f"{name}.tar.gz"
    fetch = box.use(Tool.HTTP_FETCH, "Download the tarball by HTTP", {"url": url}, "The tarball's content")
    if fetch is None:
        fetch = box.run("Download the tarball with wget", quoted("wget", "-O", file, "--", url), f"{file} is there")
    unpack = box.run(
        "Extract it with Python", quoted("python3", "-m", "tarfile", "-e", file, "."), "The files are there"
    )
    return _download(
        "manual_http_download", "Download by HTTP without curl, and extract without tar", 0.6, fetch, unpack
    )


def _equivalent(name: str, what: str, confidence: float, *steps: Step | None) -> Strategy | None:
    return made(name, Approach.EQUIVALENT_BINARY, what, confidence, 2, *steps)


def _download(name: str, what: str, confidence: float, *steps: Step | None) -> Strategy | None:
    return made(name, Approach.DOWNLOAD_AND_EXTRACT, what, confidence, 3, *steps)


def _name(url: str) -> str:
    return _plain(posixpath.basename(url.partition("?")[0].rstrip("/")))


def _plain(name: str) -> str:
    kept = "".join(
        character for character in name if character.isascii() and (character.isalnum() or character in "._-")
    )
    return kept.lstrip(".-")[:80] or "download"
