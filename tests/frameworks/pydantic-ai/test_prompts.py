"""What Pydantic AI sends to a model keeps the prompt cache of its provider."""

from __future__ import annotations

from pathlib import Path

from tests.frameworks.prompts import pydantic_ai
from tests.frameworks.prompts.checking import check_prompts


def test_the_prompts_begin_as_the_ones_before(tmp_path: Path) -> None:
    check_prompts(pydantic_ai.play, tmp_path)
