"""CrewAI: the memory as tools. Its own memory port hands over vectors and no text, so nothing else can sit there."""

from __future__ import annotations

from collections.abc import KeysView
from typing import Any

from truekeep.memory import Memory

from .common import FailOpen, Remembering, Scopes, Spaces
from .common import memory_tools as tools_on
from .common.adapter import MissingFramework
from .common.tools import AsyncTool, Tool
from .common.verbs import UNAVAILABLE

try:
    from crewai.tools import BaseTool
    from pydantic import PrivateAttr

    from .common.tools import open_model
except ModuleNotFoundError as error:
    raise MissingFramework("crewai", error) from error

__all__ = ["FailOpen", "MemoryTool", "Scopes", "Spaces", "memory_tools"]


class MemoryTool(BaseTool):  # type: ignore[misc]  # CrewAI is not installed where types are checked
    """One of `remember`, `recall` and `forget`, for crews that run either way. It never raises.

    A crew that is saved has the name of the tool and what it takes, but neither the memory nor its key: give a restored
    crew the tools of `memory_tools` again.
    """

    _verb: Tool | None = PrivateAttr(default=None)
    _async_verb: AsyncTool | None = PrivateAttr(default=None)

    def _run(self, **arguments: Any) -> str:
        return UNAVAILABLE if self._verb is None else self._verb(**arguments)

    async def _arun(self, **arguments: Any) -> str:
        return UNAVAILABLE if self._async_verb is None else await self._async_verb(**arguments)


def memory_tools(memory: Memory | Spaces | Remembering | str, *, guard: FailOpen | None = None) -> list[MemoryTool]:
    """The tools of an agent: `Agent(..., tools=memory_tools("support-bot"))`.

    Agents that share them share the memory. What a model stores is trusted as an agent's word.

    Args:
        memory: a `Memory`, for reading and writing; `Spaces(...)`; or the name of a space.
        guard: how failures are met.
    """
    tools = tools_on(memory if isinstance(memory, Remembering) else Remembering(memory, guard=guard))
    return [*map(_tool, tools.functions, tools.async_functions, tools.function_schemas)]


def never(arguments: Any = None, result: Any = None) -> bool:
    """An answer is true only until somebody remembers something else: CrewAI must not keep it."""
    return False


class _Everything(KeysView[str]):
    """Names of arguments. CrewAI leaves out, without a word, what is not among them; so that it is the tool that judges
    a call, everything is."""

    def __contains__(self, name: object) -> bool:
        return True


class _Properties(dict[str, Any]):
    """Those of a schema, with such names."""

    def keys(self) -> _Everything:  # type: ignore[override]  # as much of a view as is needed
        return _Everything(self)


def _tool(verb: Tool, async_verb: AsyncTool, schema: dict[str, Any]) -> MemoryTool:
    parameters = schema["parameters"]
    properties = _Properties(parameters["properties"])
    tool = MemoryTool(
        name=schema["name"],
        description=schema["description"],
        args_schema=open_model({**schema, "parameters": {**parameters, "properties": properties}}),
        cache_function=never,
    )
    tool._verb, tool._async_verb = verb, async_verb
    return tool
