"""What comes in about keys and tenants, as pydantic models."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from truekeep.model import Scope

from .fields import Name, Number, Quota, Several, Time
from .schemas import Body, example


class QuotasBody(Body):
    """What a key may do; unset: what the server's settings say."""

    operations_per_month: Quota | None = None
    recalls_per_month: Quota | None = None
    memories: Quota | None = None
    writes_per_day: Quota | None = None
    bytes_per_space: Quota | None = None


class KeyBody(Body, json_schema_extra=example({"name": "support-bot", "scopes": ["read", "write"]})):
    """A key to make."""

    name: Name
    tenant: Name | None = Field(
        None, description="whose it is; the operator alone may say so, and without it opens one"
    )
    scopes: Several[Scope] | None = Field(
        None, min_length=1, description="default: read and write; admin too if the operator makes it"
    )
    spaces: Several[Name] = Field([], max_length=64, description="patterns such as 'team-*'; none: every space")
    expires: Time | None = None
    quotas: QuotasBody | None = None


class KeyChangesBody(Body, json_schema_extra=example({"quotas": {"recalls_per_month": 10_000}})):
    """What to change in a key; what is not given stays, and a quota that is null falls back to the settings."""

    name: Name | None = None
    scopes: Several[Scope] | None = Field(None, min_length=1)
    spaces: Several[Name] | None = Field(None, max_length=64, description="patterns; an empty list: every space")
    expires: Time | None = None
    quotas: QuotasBody | None = None


class RotateBody(Body, json_schema_extra=example({"grace": 3600})):
    """How to rotate a key; it need not be sent."""

    grace: Number = Field(0, ge=0, le=30 * 86_400, description="seconds for which the former secret works as well")


def _rotation(text: bytes) -> RotateBody:
    return RotateBody.model_validate_json(text or b"{}", strict=True)


Rotation = Annotated[RotateBody, _rotation]


class TenantChangesBody(Body, json_schema_extra=example({"quotas": {"memories": 100_000}})):
    """What to change for all keys of a tenant; a quota that is not given stays, and null takes it away."""

    quotas: QuotasBody
