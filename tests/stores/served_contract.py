"""The contract of a store that a server may use: what the engine asks, and keys, usage and quotas."""

from __future__ import annotations

from tests.stores.keys_contract import KeysContract
from tests.stores.usage_contract import UsageContract
from truekeep.testing.store_contract import StoreContract


class ServedStoreContract(StoreContract, KeysContract, UsageContract):
    """All that a store must do; supply a fixture `store` that is empty."""
