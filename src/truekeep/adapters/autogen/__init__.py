"""AutoGen 0.7 (`autogen-agentchat`): a memory for agents, a record of their runs, tools, and the state of teams.

from autogen_agentchat.agents import AssistantAgent
from truekeep.adapters.autogen import TruekeepMemory, WriteBack

memory = TruekeepMemory("support-bot")
agent = AssistantAgent("support", model_client=client, memory=[memory], tools=memory.tools)
await WriteBack(agent, memory, conversation="ticket-42").run(task="My order is late again.")
"""

from __future__ import annotations

from truekeep.adapters.common import FailOpen, Recalling, Recording, Scopes, Spaces
from truekeep.adapters.common.adapter import MissingFramework

try:
    from .config import TruekeepMemoryConfig
    from .injection import Inject
    from .memory import MemoryTool, TruekeepMemory
    from .teams import SavedTeam, load_team, save_team, saved_teams
    from .writeback import WriteBack
except ModuleNotFoundError as error:
    raise MissingFramework("autogen", error) from error

__all__ = [
    "FailOpen",
    "Inject",
    "MemoryTool",
    "Recalling",
    "Recording",
    "SavedTeam",
    "Scopes",
    "Spaces",
    "TruekeepMemory",
    "TruekeepMemoryConfig",
    "WriteBack",
    "load_team",
    "save_team",
    "saved_teams",
]
