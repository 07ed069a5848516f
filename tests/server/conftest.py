"""Servers for tests: one that a whole module shares, where spaces and tenants of their own keep tests apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from .served import OPERATOR, POSTGRES, Served, serving, work_on_postgres


@pytest.fixture(scope="session", autouse=True)
def the_store_of_all_servers(request: pytest.FixtureRequest) -> Iterator[None]:
    """A file for each; with TEST_TRUEKEEP_STORE=postgres (make test-postgres) a database for each."""
    if not POSTGRES:
        yield
        return
    from tests.postgres_server import new_database

    server = request.getfixturevalue("postgres_server")
    with ExitStack() as stack:
        work_on_postgres(lambda: stack.enter_context(new_database(server)))
        yield
        work_on_postgres(None)


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
