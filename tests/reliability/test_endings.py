"""Scripts that end right after `extract(..., wait=False)`."""

from __future__ import annotations

from pathlib import Path

import pytest

from .scenarios import endings

pytestmark = pytest.mark.long


@pytest.mark.parametrize("way", endings.WAYS)
def test_a_conversation_handed_over_is_not_lost_however_the_script_ends(tmp_path: Path, way: str) -> None:
    found = endings.violations(tmp_path, way)

    assert found == []
