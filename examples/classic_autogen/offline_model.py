"""A model for classic AutoGen that needs no key and no network: it says what it was told in its system message."""

from __future__ import annotations

import uuid
from types import SimpleNamespace
from typing import Any

CONFIG = {"config_list": [{"model": "offline", "model_client_cls": "OfflineModel"}], "cache_seed": None}


class OfflineModel:
    """Answers with its memory, if it has one. Every prompt is kept in `seen`."""

    seen: list[list[dict[str, Any]]] = []  # noqa: RUF012  # of all agents together

    def __init__(self, config: object, **_: Any) -> None:
        pass

    def create(self, params: dict[str, Any]) -> Any:
        self.seen.append([dict(message) for message in params["messages"]])
        memories = [line[2:] for line in str(params["messages"][0]["content"]).splitlines() if line.startswith("- ")]
        said = f"I remember: {'; '.join(memories)}" if memories else "I shall keep that in mind."
        message = SimpleNamespace(content=said, function_call=None, tool_calls=None)
        return SimpleNamespace(id=uuid.uuid4().hex, choices=[SimpleNamespace(message=message)], model="offline", cost=0)

    def message_retrieval(self, response: Any) -> list[str]:
        return [response.choices[0].message.content]

    def cost(self, response: Any) -> float:
        return 0.0

    @staticmethod
    def get_usage(response: Any) -> dict[str, Any]:
        return {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0, "cost": 0.0, "model": "offline"}
