"""schemathesis over the OpenAPI document: whatever it comes up with, the server answers as documented."""

from __future__ import annotations

import contextlib
import copy
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import (
    ChecksConfig,
    CoveragePhaseConfig,
    GenerationConfig,
    PhasesConfig,
    PositiveDataAcceptanceConfig,
    ProjectConfig,
    ProjectsConfig,
)
from schemathesis.config._checks import NEGATIVE_DATA_REJECTION_EXPECTED_STATUSES, NegativeDataRejectionConfig
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from truekeep.server.app import create_app
from truekeep.server.settings import ServerSettings

from .served import OPERATOR, Served, serving

CHAOS = os.environ.get("TEST_TRUEKEEP_CHAOS") == "1"
EXAMPLES = 2_000 if CHAOS else 100

# What no schema can say: nothing to change was given, or two ways to forget, an expiry in the past, lines of an export,
# a number that becomes too large, a host that the operator did not list.
BEYOND_THEIR_SCHEMA = {
    "POST /v1/spaces/{space}/values/{key}/increment",
    "PATCH /v1/spaces/{space}/memories/{id}",
    "POST /v1/spaces/{space}/forget",
    "POST /v1/spaces/{space}/import",
    "POST /v1/keys",
    "POST /v1/webhooks",
    "POST /v1/erasures",
}
ENDS_OF_TIME = ("0001-01-01", "9999-12-31")
NATIVE = (
    "/v1/spaces",
    "/v1/feed",
    "/v1/webhooks",
    "/v1/erasures",
    "/v1/keys",
    "/v1/jobs",
    "/v1/usage",
    "/v1/audit",
    "/v1/check",
    "/v1/backup",
    "/health",
    "/livez",
    "/readyz",
    "/metrics",
)


def document() -> dict[str, Any]:
    """Of a server with keys: there every operation that asks for one insists."""
    described = copy.deepcopy(create_app(ServerSettings()).openapi())
    described["security"].remove({})
    return described


def config() -> schemathesis.Config:
    generation = GenerationConfig(
        max_examples=EXAMPLES,
        deterministic=not CHAOS,
        allow_x00=False,  # no text has it, which takes no schema to tell; see the barrage
    )
    accepted = ("2xx", "401", "403", "404", "409", "412", "429")  # 412: the value has another version
    refused = [*NEGATIVE_DATA_REJECTION_EXPECTED_STATUSES, "413"]  # too much of what is wrong
    checks = ChecksConfig(
        positive_data_acceptance=PositiveDataAcceptanceConfig(expected_statuses=accepted),
        negative_data_rejection=NegativeDataRejectionConfig(expected_statuses=refused),
    )
    phases = PhasesConfig(coverage=CoveragePhaseConfig(enabled=CHAOS))  # thousands of cases for the larger bodies
    project = ProjectConfig(generation=generation, checks=checks, phases=phases)
    return schemathesis.Config(seed=1, projects=ProjectsConfig(default=project))


@schemathesis.serializer("application/x-ndjson")
def lines(context: schemathesis.SerializationContext, value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else json.dumps(value).encode()


schema = schemathesis.openapi.from_dict(document(), config=config())


def checks_that_are_too_much_for(case: schemathesis.Case[Any]) -> list[Any]:
    if not case.operation.path.startswith(NATIVE):
        # The dialects are for others' clients: they take more than they document, and mean the rest as we do.
        return [positive_data_acceptance, negative_data_rejection]
    is_beyond = case.operation.label in BEYOND_THEIR_SCHEMA or is_out_of_range_in_utc(case)
    return [positive_data_acceptance] if is_beyond else []


def is_out_of_range_in_utc(case: schemathesis.Case[Any]) -> bool:
    """Whether a time is given that some zones have and UTC has not, which no schema can say either."""
    return isinstance(case.body, dict) and any(str(value)[:10] in ENDS_OF_TIME for value in case.body.values())


def bound_the_waiting(case: schemathesis.Case[Any]) -> None:
    """Nobody shall wait for a change that never comes."""
    if case.operation.path.endswith(("/events", "/feed/{reader}")) and "wait" in case.query:
        with contextlib.suppress(ValueError, TypeError):
            case.query["wait"] = 0.01 if 0 < float(case.query["wait"]) <= 60 else case.query["wait"]


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Served]:
    """A server of its own for each operation: what one leaves behind does not change the other."""
    with serving(tmp_path, admin_key=OPERATOR, wrong_keys=10**6) as running:  # it tries one at every operation
        yield running


@pytest.mark.chaos
# The server runs in threads of this process, and what it is made of draws numbers by chance (a pool of connections).
@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@schema.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, derandomize=not CHAOS, suppress_health_check=list(HealthCheck))
def test_every_operation_answers_as_documented(case: schemathesis.Case[Any], fresh: Served) -> None:
    bound_the_waiting(case)

    case.call_and_validate(
        base_url=fresh.url,
        headers={"Authorization": f"Bearer {OPERATOR}"},
        timeout=90,  # a busy machine is no fault of the answer
        excluded_checks=checks_that_are_too_much_for(case),
    )
