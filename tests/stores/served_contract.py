"""The contract of a store that a server may use: what the engine asks, keys, usage, audit, what is a tenant's own."""

from __future__ import annotations

from tests.stores.audit_contract import AuditContract
from tests.stores.keys_contract import KeysContract
from tests.stores.own_space_contract import HeadsContract, OwnSpaceContract
from tests.stores.persons_contract import PersonsContract
from tests.stores.persons_erased_contract import ErasedPersonContract
from tests.stores.usage_contract import UsageContract
from truekeep.testing.store_contract import StoreContract


class ServedStoreContract(
    StoreContract,
    KeysContract,
    UsageContract,
    OwnSpaceContract,
    HeadsContract,
    PersonsContract,
    ErasedPersonContract,
    AuditContract,
):
    """All that a store must do; supply a fixture `store` that is empty."""
