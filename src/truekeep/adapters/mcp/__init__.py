"""A memory as an MCP server, for any host that speaks the Model Context Protocol; works with `mcp` 1.x and 2.x."""

from __future__ import annotations

from .doors import Door, Needs, OwnDoor, Reach, SpaceLine
from .server import memory_server, serve_stdio
from .versions import session_manager

__all__ = ["Door", "Needs", "OwnDoor", "Reach", "SpaceLine", "memory_server", "serve_stdio", "session_manager"]
