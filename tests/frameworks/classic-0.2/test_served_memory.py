"""The tests of the classic adapter on a server again, under Microsoft's last 0.2."""

from __future__ import annotations

from tests.frameworks.classic.test_served_memory import *  # noqa: F403
