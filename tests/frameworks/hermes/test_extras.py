"""What the page of this framework tells its readers to install is enough for what it imports."""

from __future__ import annotations

import pytest

from tests.frameworks.extras import import_problem, pages


@pytest.mark.parametrize("page", pages("hermes"))
def test_the_install_line_of_a_page_brings_what_the_page_imports(page: str) -> None:
    assert import_problem(page) == ""
