"""For all tests: property tests look at the same examples each time, and explore in `make chaos`.

A change shall not be refused for what another one left behind; what chaos finds becomes a test of its own.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True)
if os.environ.get("TEST_TRUEKEEP_CHAOS") != "1":
    settings.load_profile("steady")
