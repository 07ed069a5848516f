"""Every line that says how to install Truekeep works as printed: in a clone, with extras that there are."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from truekeep.extras import to_install, to_install_folder

from .test_snippets import PAGES, ROOT, name_of

COMMAND = re.compile(r"pip install (?P<what>[^`\n]*)")
OURS = re.compile(r"^['\"]?\.|truekeep|\bclone\b|path/to")  # others are what an article tells its readers to install
FORM = re.compile(r"(?:\.(?:/eval)?|'\.\[(?P<extras>[a-z0-9]+(?:[,-][a-z0-9]+)*)\]')(?=$|[\s.;:,)\"])")
REGISTRY = re.compile(r"truekeep\[")  # a name that no registry knows yet, or, worse, somebody else's
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
PROGRAMS = sorted(
    path
    for folder in ("examples", "src/truekeep")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".html")
)


class Line(NamedTuple):
    what: str
    around: str  # its line, and the sentence that leads up to it
    place: str


def install_lines(path: Path) -> Iterator[Line]:
    text = path.read_text(encoding="utf-8")
    for found in COMMAND.finditer(text):
        if OURS.search(found["what"]):
            number = text.count("\n", 0, found.start()) + 1
            around = text.splitlines()[max(0, number - 5) : number]
            yield Line(found["what"], " ".join(around), f"{name_of(path)}:{number}")


def problem(line: Line) -> str | None:
    form = FORM.match(line.what)
    if form is None:
        return f"{line.place}: write it as pip install '.[extra]', not {line.what!r}"
    unknown = [extra for extra in (form["extras"] or "").split(",") if extra and extra not in EXTRAS]
    if unknown:
        return f"{line.place}: there is no extra {unknown[0]!r}"
    return None if "clone" in line.around else f"{line.place}: say that this is done in the clone"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_install_lines_of_a_page_can_be_pasted(page: Path) -> None:
    assert [wrong for line in install_lines(page) if (wrong := problem(line))] == []
    assert REGISTRY.search(page.read_text(encoding="utf-8")) is None


def test_programs_say_it_in_the_same_form_and_the_package_in_one_place_only() -> None:
    lines = [line for path in PROGRAMS for line in install_lines(path)]
    package = {line.place.partition(":")[0] for line in lines if line.place.startswith("src/")}

    assert [wrong for line in lines if "{" not in line.what and (wrong := problem(line))] == []
    assert package == {"src/truekeep/extras.py"}
    assert [name_of(path) for path in PROGRAMS if REGISTRY.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("message", [to_install("server"), to_install_folder("eval")])
def test_what_a_message_says_has_that_form(message: str) -> None:
    (found,) = COMMAND.finditer(message)

    assert problem(Line(found["what"], found.string, "a message")) is None


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("pip install 'truekeep[server]'", "write it as"),
        ("pip install .[server]", "write it as"),
        ("In your clone: pip install '.[servers]'", "no extra 'servers'"),
        ("pip install '.[server]'", "say that this is done in the clone"),
    ],
)
def test_a_line_that_cannot_be_pasted_is_noticed(text: str, wrong: str) -> None:
    (found,) = COMMAND.finditer(text)

    assert wrong in (problem(Line(found["what"], text, "a page:1")) or "")
