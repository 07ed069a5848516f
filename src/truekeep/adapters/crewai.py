"""CrewAI: the memory as tools. Its own memory port hands over vectors and no text, so nothing else can sit there."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from typing import Any, get_args, get_type_hints

from truekeep.memory import Memory

from .common import FailOpen, Remembering, Scopes, Spaces
from .common import memory_tools as tools_on
from .common.missing import MissingFramework
from .common.tools import UNAVAILABLE

try:
    from crewai.tools import BaseTool
    from pydantic import BaseModel, Field, PrivateAttr, create_model
except ModuleNotFoundError as error:
    raise MissingFramework("crewai", error) from error

__all__ = ["FailOpen", "MemoryTool", "Scopes", "Spaces", "memory_tools"]

Verb = Callable[..., str]
AsyncVerb = Callable[..., Coroutine[Any, Any, str]]


class MemoryTool(BaseTool):  # type: ignore[misc]  # CrewAI is not installed where types are checked
    """One of `remember`, `recall` and `forget`, for crews that run either way. It never raises.

    A crew that is saved has the name of the tool and what it takes, but neither the memory nor its key: give a restored
    crew the tools of `memory_tools` again.
    """

    _verb: Verb | None = PrivateAttr(default=None)
    _async_verb: AsyncVerb | None = PrivateAttr(default=None)

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
    return [_tool(verb, later) for verb, later in zip(tools.functions, tools.async_functions, strict=True)]


def never(arguments: Any = None, result: Any = None) -> bool:
    """An answer is true only until somebody remembers something else: CrewAI must not keep it."""
    return False


def _tool(verb: Verb, async_verb: AsyncVerb) -> MemoryTool:
    tool = MemoryTool(
        name=verb.__name__, description=verb.__doc__ or "", args_schema=_arguments(verb), cache_function=never
    )
    tool._verb, tool._async_verb = verb, async_verb
    return tool


def _arguments(verb: Verb) -> type[BaseModel]:
    """The arguments with their descriptions, as CrewAI shows them to a model."""
    fields: dict[str, Any] = {}
    for name, hint in get_type_hints(verb, include_extras=True).items():
        if name == "return":
            continue
        given, description = get_args(hint)
        default = inspect.signature(verb).parameters[name].default
        fields[name] = (given, Field(... if default is inspect.Parameter.empty else default, description=description))
    return create_model(verb.__name__.capitalize(), **fields)
