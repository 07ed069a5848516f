"""Servers for tests: one that a whole module shares, where spaces and tenants of their own keep tests apart."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from .served import OPERATOR, Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """With an operator's key, so that every caller needs one."""
    with serving(tmp_path_factory.mktemp("served"), admin_key=OPERATOR) as running:
        yield running


@pytest.fixture
def ana(served: Served) -> Iterator[httpx.Client]:
    """A caller whose tenant is new for each test."""
    with served.tenant() as caller:
        yield caller
