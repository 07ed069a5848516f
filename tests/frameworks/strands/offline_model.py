"""A model of Strands that is offline: it says what it is told to say, and knows what it was shown."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from strands.models import Model

Reply = str | tuple[str, dict[str, Any]]


def calling(name: str, **arguments: Any) -> Reply:
    return name, arguments


class OfflineModel(Model):
    def __init__(self, *replies: Reply) -> None:
        self._replies = [*replies]
        self.shown: list[list[dict[str, Any]]] = []
        self.system: str | None = None
        self.trailing: list[int] = []
        self.offered: dict[str, dict[str, Any]] = {}

    @property
    def prompt(self) -> list[str]:
        """The texts of the last thing that a person said, in the last request."""
        texts = [[block["text"] for block in one["content"] if "text" in block] for one in self._said_by("user")]
        return [found for found in texts if found][-1]

    @property
    def result(self) -> str:
        """What the last tool answered."""
        blocks = [
            block["toolResult"] for one in self._said_by("user") for block in one["content"] if "toolResult" in block
        ]
        return str(blocks[-1]["content"][0]["text"])

    def _said_by(self, role: str) -> list[dict[str, Any]]:
        return [message for message in self.shown[-1] if message["role"] == role]

    def update_config(self, **config: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    def structured_output(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError("this model only talks")

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: str | None = None, **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        self.shown.append([*messages])
        self.system = system_prompt
        self.trailing.append(options.get("dynamic_trailing_blocks", 0))
        self.offered = {spec["name"]: spec["inputSchema"]["json"] for spec in tool_specs or ()}
        reply = self._replies.pop(0)
        yield {"messageStart": {"role": "assistant"}}
        if isinstance(reply, str):
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": reply}}}
        else:
            yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "c1", "name": reply[0]}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(reply[1])}}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if isinstance(reply, str) else "tool_use"}}
