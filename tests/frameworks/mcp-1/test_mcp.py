"""The tests of the MCP server again, under the last 1.x."""

from __future__ import annotations

from tests.frameworks.mcp.test_page import *  # noqa: F403
from tests.frameworks.mcp.test_served import *  # noqa: F403
from tests.frameworks.mcp.test_tools import *  # noqa: F403
