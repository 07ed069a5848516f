"""For all tests: property tests look at the same examples each time, and explore in `make chaos`.

A change shall not be refused for what another one left behind; what chaos finds becomes a test of its own.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)  # machines are busy
if os.environ.get("TEST_TRUEKEEP_CHAOS") != "1":
    settings.load_profile("steady")

# A hook keeps nothing where nobody reads along, and a test does what somebody would who does, wherever it runs.
for _name in ("CI", "CLAUDE_CODE_ENTRYPOINT"):
    os.environ.pop(_name, None)
