from __future__ import annotations

from hypothesis import settings

# A deadline is a wall clock: on a busy machine it fails tests that are right.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
