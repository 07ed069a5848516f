"""AutoGen 0.7 (`autogen-agentchat`): a memory for agents, a record of their runs, tools, and the state of teams.

from autogen_agentchat.agents import AssistantAgent
from recollect.adapters.autogen import RecollectMemory, WriteBack

memory = RecollectMemory("support-bot")
agent = AssistantAgent("support", model_client=client, memory=[memory], tools=memory.tools)
await WriteBack(agent, memory, conversation="ticket-42").run(task="My order is late again.")
"""

from __future__ import annotations

from recollect.adapters.common import FailOpen, Recalling, Recording, Scopes, Spaces
from recollect.adapters.common.missing import MissingFramework

try:
    from .config import RecollectMemoryConfig
    from .injection import Inject
    from .memory import RecollectMemory
    from .teams import SavedTeam, load_team, save_team, saved_teams
    from .tools import MemoryTool
    from .writeback import WriteBack
except ModuleNotFoundError as error:
    raise MissingFramework("autogen", error) from error

__all__ = [
    "FailOpen",
    "Inject",
    "MemoryTool",
    "Recalling",
    "RecollectMemory",
    "RecollectMemoryConfig",
    "Recording",
    "SavedTeam",
    "Scopes",
    "Spaces",
    "WriteBack",
    "load_team",
    "save_team",
    "saved_teams",
]
