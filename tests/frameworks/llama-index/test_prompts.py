"""What LlamaIndex sends to a model keeps the prompt cache of its provider."""

from __future__ import annotations

from pathlib import Path

from tests.frameworks.prompts import llama_index
from tests.frameworks.prompts.checking import check_prompts


def test_the_prompts_begin_as_the_ones_before(tmp_path: Path) -> None:
    check_prompts(llama_index.play, tmp_path)
