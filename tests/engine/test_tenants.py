"""What may be used by a tenant with several keys."""

from __future__ import annotations

import pytest

from truekeep.engine.tenants import widest
from truekeep.model import Quotas


@pytest.mark.parametrize(
    ("given", "default", "most"),
    [
        ([Quotas(memories=3), Quotas(memories=5)], Quotas(memories=9), 5),
        ([Quotas(memories=3), Quotas()], Quotas(memories=9), 9),
        ([Quotas(memories=3), Quotas()], Quotas(), None),
        ([Quotas(memories=0)], Quotas(memories=9), 0),
    ],
)
def test_the_widest_quota_of_its_keys_holds(given: list[Quotas], default: Quotas, most: int | None) -> None:
    assert widest(given, default) == Quotas(memories=most)
