"""`OfflineModel`: a stand-in for a language model, so that an agent can be tried without a key and a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

Answer = str | Mapping[str, Any] | Callable[[str], str]


class OfflineModel:
    """Says what it was told to say, and keeps the prompts that it got.

    It is a client with OpenAI's `chat.completions.create`, and a model client of classic AutoGen:
    `AssistantAgent("bot", llm_config=model.config)`, then `register_model_client(model)`.

    Args:
        *answers: what it is going to say, in this order: text, a message with tool calls, or a function that makes text
            of the prompt. Without any left it says "Noted.".
    """

    __name__ = "OfflineModel"  # AutoGen asks what it takes for a class

    def __init__(self, *answers: Answer) -> None:
        self.answers: list[Answer] = [*answers]
        self.shown: list[str] = []
        """The prompts, each as one text."""

    def answer(self, messages: Sequence[Mapping[str, Any]]) -> str | Mapping[str, Any]:
        """The next answer."""
        self.shown.append("\n".join(str(message["content"]) for message in messages))
        said = self.answers.pop(0) if self.answers else "Noted."
        return said(self.shown[-1]) if callable(said) else said

    @property
    def chat(self) -> Any:
        """As a client of OpenAI has it."""
        return SimpleNamespace(completions=SimpleNamespace(create=self._completed))

    def _completed(self, *, messages: Sequence[Mapping[str, Any]], **_: Any) -> Any:
        said = self.answer(messages)
        message = {"content": said, "tool_calls": None} if isinstance(said, str) else {"content": None, **said}
        return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(**message))])

    @property
    def config(self) -> dict[str, Any]:
        """The `llm_config` of an agent of classic AutoGen."""
        return {"config_list": [{"model": "offline", "model_client_cls": self.__name__}], "cache_seed": None}

    def __call__(self, config: object, **_: Any) -> OfflineModel:
        """The model client that AutoGen makes of a class: all agents share this one."""
        return self

    def create(self, params: Mapping[str, Any]) -> Any:
        """As AutoGen calls it."""
        said = self.answer(params["messages"])
        return SimpleNamespace(id=uuid4().hex, choices=[said], model="offline", cost=0)

    def message_retrieval(self, response: Any) -> list[Any]:
        """As AutoGen calls it."""
        choices: list[Any] = response.choices
        return choices

    def cost(self, response: object) -> float:
        """Nothing."""
        return 0.0

    @staticmethod
    def get_usage(response: object) -> dict[str, Any]:
        """Nothing, either."""
        return {}
