"""`MemoryTool`: `remember`, `recall` and `forget` as AutoGen's function tools."""

from __future__ import annotations

from autogen_core import CancellationToken, ComponentModel
from autogen_core.tools import FunctionTool
from pydantic import BaseModel

from truekeep.adapters.common.tools import open_model

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
        tools = memory.remembering.tools
        function = {one.__name__: one for one in tools.async_functions}[verb]
        schema = {one["name"]: one for one in tools.function_schemas}[verb]
        super().__init__(function, description=schema["description"], name=verb)
        self._args_type = open_model(schema)
        self._memory = memory

    async def run(self, args: BaseModel, cancellation_token: CancellationToken) -> str:
        """Carry out a call as the model wrote it: what is wrong with it, the tool says itself."""
        answer: str = await self._func(**args.model_dump())
        return answer

    def _to_config(self) -> MemoryToolConfig:
        return MemoryToolConfig(verb=self.name, memory=self._memory.dump_component())

    @classmethod
    def _from_config(cls, config: MemoryToolConfig) -> MemoryTool:
        return cls(TruekeepMemory.load_component(config.memory), config.verb)
