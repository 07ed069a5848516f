"""What comes in about the feed over all spaces, as pydantic models."""

from __future__ import annotations

from pydantic import Field

from .fields import Name, Position
from .schemas import Body, example


class AcknowledgeBody(Body, json_schema_extra=example({"positions": {"support-bot": 17}})):
    """What a reader has dealt with."""

    positions: dict[Name, Position] | None = Field(
        None, max_length=10_000, description="those of the feed; without them, all that has changed until now"
    )
