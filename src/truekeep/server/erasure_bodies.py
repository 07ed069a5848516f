"""What comes in about erasing a person, as pydantic models."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from truekeep.engine.verbs.erasure import MOST_NAMES

from .fields import Name
from .schemas import Body, example

Names = Annotated[list[Name], Field(fail_fast=True, max_length=MOST_NAMES)]
_TENANT = Field(None, description="whose spaces; the operator alone may name another than its own")


class ErasureBody(Body, json_schema_extra=example({"speakers": ["ana"], "values": ["user:ana:*"], "dry_run": True})):
    """Whom to erase."""

    tenant: Name | None = _TENANT
    speakers: Names = Field(min_length=1, description="the names under which they spoke, each as it was written")
    values: Names = Field([], description="patterns of keys of values")
    sessions: Names = Field([], description="patterns of sessions that go as a whole, whoever spoke in them")
    names: Names | None = Field(
        None, description="looked for in what others said, to be reviewed; without them those of the speakers"
    )
    dry_run: bool = Field(False, description="tell what would be erased, and where; nothing is")


class VerifyBody(Body, json_schema_extra=example({"receipt": {"id": "019b796d", "signature": "..."}})):
    """A receipt that somebody shows."""

    tenant: Name | None = _TENANT
    receipt: dict[str, JsonValue]


class AdmitBody(Body, json_schema_extra=example({"speakers": ["ana"]})):
    """Who may come back by themselves."""

    tenant: Name | None = _TENANT
    speakers: Names = Field(min_length=1)
