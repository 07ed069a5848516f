"""The guides for classic AutoGen again, under Microsoft's last 0.2."""

from __future__ import annotations

from tests.frameworks.classic.test_guides import *  # noqa: F403
