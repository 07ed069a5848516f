"""Arguments for frameworks that check them with pydantic, and drop what they do not know without a word."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


def open_model(schema: dict[str, Any]) -> type[BaseModel]:
    """Lets everything through as the model wrote it, for the tool to judge; shows the schema to those who ask."""

    class Given(BaseModel):
        model_config = ConfigDict(extra="allow", title=schema["name"])

        @classmethod
        def model_json_schema(cls, *args: Any, **options: Any) -> dict[str, Any]:
            return dict(schema["parameters"])

    return Given
