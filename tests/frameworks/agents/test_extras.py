"""What the pages of these frameworks tell their readers to install is enough for what they import."""

from __future__ import annotations

import pytest

from tests.frameworks.extras import import_problem, pages


@pytest.mark.parametrize("page", pages("langgraph", "openai-agents"))
def test_the_install_line_of_a_page_brings_what_the_page_imports(page: str) -> None:
    assert import_problem(page) == ""
