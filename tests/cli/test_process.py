"""The program in processes of its own: what a script sees."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from datetime import timedelta
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from truekeep import __version__, errors
from truekeep.cli import program
from truekeep.cli.main import main

from .shell import PROGRAM, Shell

HEAVY = ("anyio", "fastapi", "httpx", "numpy", "onnxruntime", "pydantic", "rich.console", "tokenizers", "uvicorn")


def test_one_process_remembers_and_another_recalls(shell: Shell) -> None:
    kept = shell.process("remember", "-", given="Anaïs prefers TypeScript 🐈\n".encode())

    found = shell.process("recall", "which language does Anaïs like?")

    assert (kept.code, found.code) == (0, 0)
    assert found.out.splitlines()[0] == "Anaïs prefers TypeScript 🐈"
    assert kept.err == found.err == ""


def test_space_and_place_may_come_from_the_environment(shell: Shell) -> None:
    place = str(shell.file.parent / "elsewhere.db")
    shell.environment |= {"TRUEKEEP_AT": place, "TRUEKEEP_SPACE": "team", "TRUEKEEP_KEY": "tk_for_some_server"}

    shell.process("remember", "Ana drinks tea")

    for name in ("TRUEKEEP_AT", "TRUEKEEP_SPACE", "TRUEKEEP_KEY"):
        del shell.environment[name]
    assert shell.process("items", "--at", place, "--space", "team").out.count("Ana drinks tea") == 1


@pytest.mark.parametrize("command", [["recall", "tea"], ["stats"], ["spaces", "list"], ["console", "--no-browser"]])
def test_an_address_without_its_scheme_is_asked_about(shell: Shell, command: list[str]) -> None:
    shell.environment |= {"TRUEKEEP_AT": "localhost:8731"}

    said = shell(*command)

    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: at: did you mean 'http://localhost:8731'? ")


@pytest.mark.parametrize(
    ("guess", "ours"), [("add", "remember"), ("search", "recall"), ("get-all", "items"), ("load", "import")]
)
def test_a_command_that_people_guess_names_ours(shell: Shell, guess: str, ours: str) -> None:
    said, unknown = shell(guess, "tea"), shell("dance")

    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"error: there is no command '{guess}'; did you mean `truekeep {ours}`? (see: ")
    assert unknown.err == "error: No such command 'dance'. (see: truekeep --help)\n"


def test_text_is_utf_8_whatever_the_locale_says(shell: Shell) -> None:
    shell.environment |= {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    shell.process("remember", "-", given="猫 é".encode())

    assert shell.process("items").out.rstrip().endswith("猫 é")
    assert shell.process("items", "--json").json["content"] == "猫 é"


def test_nothing_heavy_is_imported_to_show_help(shell: Shell) -> None:
    code = f"import sys\nfrom truekeep.cli.program import app\nprint([name for name in {HEAVY} if name in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)

    assert done.stdout == "[]\n", done.stderr


def test_the_program_is_declared() -> None:
    [program] = entry_points(group="console_scripts", name="truekeep")

    assert program.load() is main


def test_the_program_tells_its_version() -> None:
    done = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stdout) == (0, f"truekeep {__version__}\n")


def test_without_a_command_there_is_a_beginning(shell: Shell) -> None:
    first = shell.ok()
    shell.ok("remember", "Ana drinks tea")
    later = shell.ok()

    assert len(first.out.splitlines()) <= 12
    assert f"{shell.file} (the first `remember` makes it)" in first.out
    assert f"{shell.file};" in later.out
    assert "truekeep --help" in first.out


def test_every_command_that_is_shown_first_works_at_once(shell: Shell) -> None:
    shown = re.findall(r"^  truekeep (\w+)(?: (\".+\"))?", shell.ok().out, re.MULTILINE)

    assert [name for name, _ in shown] == ["remember", "recall", "demo", "serve"]
    for name, argument in shown[:2]:
        shell.ok(name, *shlex.split(argument))
    assert "TypeScript" in shell.ok(*shown[1][:1], *shlex.split(shown[1][1])).out
    for name, _ in shown:
        shell.ok(name, "--help")


@pytest.mark.long
def test_the_demo_is_two_processes_and_leaves_nothing(shell: Shell, tmp_path: Path) -> None:
    shell.environment |= {"TMPDIR": str(tmp_path / "tmp")}
    (tmp_path / "tmp").mkdir()

    shown = shell.process("demo")
    said = shell.process("demo", "--json").lines

    assert (shown.code, shown.err) == (0, "")
    assert "\nThe release train leaves on Thursdays at 14:00 UTC\n" in shown.out
    assert [line["command"][1] for line in said] == ["remember", "recall"]
    assert len({line["process"] for line in said}) == 2
    assert said[1]["printed"].startswith("The release train leaves on Thursdays")
    assert not shell.file.exists()
    assert list((tmp_path / "tmp").iterdir()) == []


def test_what_the_command_line_needs_is_told_when_it_is_missing(shell: Shell) -> None:
    code = (
        "import sys\nsys.modules['typer'] = None\nimport importlib.util as util\nfind = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'typer' else find(name, *more)\n"
        "from truekeep.cli.main import main\nmain()"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "the command line needs: pip install '.[server]' in your clone of Truekeep\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise there")
def test_a_reader_that_has_enough_is_no_reason_to_complain(shell: Shell) -> None:
    shell.ok("values", "set", "long", "-", given=json.dumps("tea" * 100_000))
    reading, writing = os.pipe()
    os.close(reading)  # as `head` does when it has seen its lines

    done = subprocess.run(
        [*PROGRAM, "values", "get", "long"],
        env=shell.surroundings,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InvalidInput("query", "is empty"), 2),
        (errors.ConfigurationError("wrong"), 2),
        (errors.NotFound("no item"), 3),
        (errors.Conflict("changed"), 4),
        (errors.QuotaExceeded("1,000 writes a day", timedelta(hours=1)), 5),
        (errors.StoreError("disk full"), 1),
        (errors.DamagedStore("damaged"), 1),
        (errors.TruekeepError("anything else"), 1),
    ],
)
def test_every_error_has_its_code(error: errors.TruekeepError, code: int) -> None:
    assert program.code_of(error) == code


def test_ctrl_c_while_the_program_is_put_together_is_no_traceback() -> None:
    code = (
        "import sys\nclass Interrupting:\n    def find_spec(self, name, *_):\n"
        "        if name == 'truekeep.cli.program':\n            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\nfrom truekeep.cli.main import main\nmain()"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
