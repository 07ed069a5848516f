"""The fuzz script itself, on inputs that property tests find; atheris goes further in `make chaos`."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

SCRIPT = Path(__file__).parents[1] / "chaos" / "fuzz_extract.py"


def _loaded() -> ModuleType:
    spec = spec_from_file_location("fuzz_extract", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FUZZ = _loaded()


@given(st.text(alphabet=st.characters(codec="utf-8")), st.lists(st.text(), max_size=4))
def test_no_text_breaks_a_promise_of_the_rules(transcript: str, texts: list[str]) -> None:
    FUZZ.check_transcript(transcript)
    FUZZ.check_messages(texts)


@pytest.mark.skipif(find_spec("atheris") is not None, reason="it would fuzz for a long time")
def test_without_atheris_the_script_says_so() -> None:
    ended = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, timeout=60, check=True)

    assert "not installed" in ended.stdout
