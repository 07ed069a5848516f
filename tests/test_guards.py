"""Small guards that keep the house in order."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import truekeep

PACKAGE = Path(truekeep.__file__).parent
MODULES = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
HEAVY = ("anyio", "httpx", "numpy", "onnxruntime", "tokenizers")
ENVIRONMENT = {"environ", "environb", "getenv", "getenvb"}


def environment_reads(tree: ast.AST) -> Iterator[int]:
    """Lines that read; `os.environ[name] = value` only writes, for libraries that have no other switch."""
    nodes = list(ast.walk(tree))
    written = [node.value for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)]
    for node in nodes:
        match node:
            case _ if node in written:
                continue
            case ast.ImportFrom(module="os", names=names) if ENVIRONMENT & {alias.name for alias in names}:
                yield node.lineno
            case ast.Attribute(value=ast.Name(id="os"), attr=name) if name in ENVIRONMENT:
                yield node.lineno


def prints(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="print")):
                yield node.lineno


def in_a_new_process(code: str, home: Path) -> str:
    environment = {"TRUEKEEP_HOME": str(home), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_public_names_are_those_of_all() -> None:
    exported = {name for name in truekeep.__all__ if hasattr(truekeep, name)}  # asks for lazy names too

    ours = {name for name, value in vars(truekeep).items() if getattr(value, "__module__", "").startswith("truekeep.")}

    assert exported == set(truekeep.__all__)
    assert ours <= exported
    assert len(exported) == len(truekeep.__all__)


def test_who_only_recalls_loads_neither_the_judge_nor_the_languages(tmp_path: Path) -> None:
    code = (
        "import sys; from truekeep import Memory; Memory('bot', background=False).recall('what did you find?'); "
        "print([name for name in sys.modules if name.startswith('truekeep.engine.belief.')], "
        "sys.modules['truekeep.language.words'].languages.cache_info().currsize)"
    )

    assert in_a_new_process(code, tmp_path).strip() == "[] 0"


def test_importing_the_package_imports_nothing_heavy(tmp_path: Path) -> None:
    code = f"import sys, truekeep; print([name for name in {HEAVY} if name in sys.modules])"

    assert in_a_new_process(code, tmp_path).strip() == "[]"


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(("settings.py", "surroundings.py"))])
def test_only_settings_read_the_environment(name: str) -> None:
    lines = list(environment_reads(ast.parse(MODULES[name].read_text())))

    assert lines == [], f"{name} reads the environment in lines {lines}"


@pytest.mark.parametrize("name", [name for name in MODULES if not name.startswith(("cli/", "testing/"))])
def test_the_library_does_not_print(name: str) -> None:
    lines = list(prints(ast.parse(MODULES[name].read_text())))

    assert lines == [], f"{name} prints in lines {lines}"


def test_the_environment_guard_notices_every_way_to_read_it() -> None:
    guilty = [
        "import os\nos.environ['A']",
        "import os\nos.getenv('A')",
        "from os import environ",
        "from os import getenv",
    ]

    found = [list(environment_reads(ast.parse(code))) for code in guilty]

    assert all(found)


def test_nothing_phones_home(tmp_path: Path) -> None:
    code = """
import sys
contacted = []
network = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")
sys.addaudithook(lambda event, arguments: contacted.append(event) if event in network else None)
from truekeep import Memory
with Memory("guard") as memory:
    memory.remember("Ana prefers TypeScript over JavaScript", kind="preference")
    memory.extract("I prefer tea over coffee.")
    found = memory.recall("which language does Ana like?")
print(len(found) > 0, contacted)
"""

    assert in_a_new_process(code, tmp_path).strip() == "True []"
