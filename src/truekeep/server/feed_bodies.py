"""What comes in about the feed over all spaces and about webhooks, as pydantic models."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .fields import Name, Position, Several
from .schemas import Body, example

# Pydantic describes names by a pattern, and says nothing of those that do not match it.
_Positions = Annotated[
    dict[Name, Position], Field(max_length=10_000, json_schema_extra={"additionalProperties": False})
]


class AcknowledgeBody(Body, json_schema_extra=example({"positions": {"support-bot": 17}})):
    """What a reader has dealt with."""

    positions: _Positions | None = Field(
        None, description="those of the feed; without them, all that has changed until now"
    )


class WebhookBody(Body, json_schema_extra=example({"url": "https://example.org/hook", "spaces": ["team-*"]})):
    """An address to tell of changes."""

    url: str = Field(min_length=8, max_length=2000, description="to which a delivery is posted")
    spaces: Several[Name] = Field([], max_length=64, description="patterns such as 'team-*'; none: every space")
    secret: str | None = Field(None, max_length=200, description="whsec_ and base64; without it one is made")
    from_start: bool = Field(False, description="whether it is told what there is already, too")


class RetryBody(Body, json_schema_extra=example({})):
    """What to send again."""

    deliveries: Several[Name] | None = Field(
        None, max_length=100, description="ids of those that were given up; without them, all"
    )
