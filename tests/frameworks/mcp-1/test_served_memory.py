"""The tests of `truekeep mcp` before a server again, under the last 1.x."""

from __future__ import annotations

from tests.frameworks.mcp.test_served_memory import *  # noqa: F403
