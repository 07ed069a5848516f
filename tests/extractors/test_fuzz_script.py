"""The fuzz script itself, on inputs that property tests find; atheris goes further in `make chaos`."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chaos import fuzz_extract


@given(st.text(alphabet=st.characters(codec="utf-8")), st.lists(st.text(), max_size=4))
def test_no_text_breaks_a_promise_of_the_rules(transcript: str, texts: list[str]) -> None:
    fuzz_extract.check_transcript(transcript)
    fuzz_extract.check_messages(texts)


@pytest.mark.skipif(find_spec("atheris") is not None, reason="it would fuzz for a long time")
def test_without_atheris_the_script_says_so() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.chaos.fuzz_extract"], capture_output=True, text=True, timeout=60, check=True
    )

    assert "not installed" in ended.stdout
