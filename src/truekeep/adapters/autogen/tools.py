"""`MemoryTool`: `remember`, `recall` and `forget` as AutoGen's function tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autogen_core import ComponentModel
from autogen_core.tools import FunctionTool
from pydantic import BaseModel

from .memory import TruekeepMemory


class MemoryToolConfig(BaseModel):
    """A tool by its name, and the memory that it works on."""

    verb: str
    memory: ComponentModel


class MemoryTool(FunctionTool):  # type: ignore[misc]  # untyped in our checks
    """One of the tools of a memory. It never raises: a model gets an answer that it can read.

    A function tool is dumped as source code, which would not find its memory again; this one is dumped by its name.

    Args:
        memory: what it works on.
        verb: remember, recall or forget.
    """

    component_config_schema = MemoryToolConfig
    component_provider_override = "truekeep.adapters.autogen.MemoryTool"
    component_description = "A tool on a memory that outlives the process."

    def __init__(self, memory: TruekeepMemory, verb: str) -> None:
        function = verbs(memory)[verb]
        super().__init__(function, description=function.__doc__ or verb, name=verb)
        self._memory = memory

    def _to_config(self) -> MemoryToolConfig:
        return MemoryToolConfig(verb=self.name, memory=self._memory.dump_component())

    @classmethod
    def _from_config(cls, config: MemoryToolConfig) -> MemoryTool:
        return cls(TruekeepMemory.load_component(config.memory), config.verb)


def verbs(memory: TruekeepMemory) -> dict[str, Callable[..., Any]]:
    """The tools of a memory by name."""
    return {function.__name__: function for function in memory.remembering.tools.async_functions}
