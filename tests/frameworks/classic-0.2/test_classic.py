"""The tests of the classic adapter again, under Microsoft's last 0.2."""

from __future__ import annotations

from tests.frameworks.classic.test_attaching import *  # noqa: F403
from tests.frameworks.classic.test_failing import *  # noqa: F403
from tests.frameworks.classic.test_groups import *  # noqa: F403
from tests.frameworks.classic.test_persistent_agents import *  # noqa: F403
from tests.frameworks.classic.test_persistent_groups import *  # noqa: F403
from tests.frameworks.classic.test_showing import *  # noqa: F403
