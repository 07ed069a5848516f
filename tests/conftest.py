"""What tests of many folders share."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

# Before any folder imports them, so that their assertions tell as much as those of tests.
pytest.register_assert_rewrite(
    "truekeep.testing",
    "tests.contract.memory_contract",
    "tests.contract.model_machine",
    "tests.stores.charges_contract",
    "tests.stores.keys_contract",
    "tests.stores.migrating_contract",
    "tests.stores.usage_contract",
)


def pytest_configure(config: pytest.Config) -> None:
    """A deadline, or a pace, is a wall clock: on a busy machine it fails tests that are right."""
    if config.pluginmanager.has_plugin("hypothesispytest"):  # not in the environments of frameworks
        from hypothesis import HealthCheck, settings

        settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
        settings.load_profile("unhurried")


@pytest.fixture
def without_mcp(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the package `mcp` is not installed."""
    for name in [*sys.modules]:
        if name.startswith(("mcp.", "truekeep.adapters.mcp")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a server where databases may be made; one for each worker, started when it is first needed."""
    from tests.postgres_server import GIVEN, Unavailable, running

    if GIVEN:
        yield GIVEN
        return
    try:
        with running() as server:
            yield server.url()
    except Unavailable as error:
        print(f"\nNOT TESTED ON POSTGRESQL: {error}", file=sys.__stderr__)
        pytest.skip(f"NOT TESTED ON POSTGRESQL: {error}")


@pytest.fixture(scope="session")
def postgres_database(postgres_server: str) -> Iterator[str]:
    from tests.postgres_server import new_database

    with new_database(postgres_server) as url:
        yield url


@pytest.fixture
def postgres_url(postgres_database: str) -> str:
    """The address of a database whose store, if there is one already, is empty, whatever the test before left there."""
    from tests.postgres_server import empty

    empty(postgres_database)
    return postgres_database
