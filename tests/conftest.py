"""For all tests: property tests look at the same examples each time, and explore in `make chaos`.

A change shall not be refused for what another one left behind; what chaos finds becomes a test of its own.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("recollect.testing")  # before any folder imports it, so that its assertions tell as much

settings.register_profile("steady", derandomize=True)
if os.environ.get("RECOLLECT_CHAOS") != "1":
    settings.load_profile("steady")
