"""Tenants: all that belongs to one of them, and its end."""

from __future__ import annotations

from truekeep.errors import Conflict
from truekeep.model import HIDDEN, SpaceId, TenantReceipt

from .cells import key_of
from .erasure import Erasing
from .keys import REVOKED, Keys
from .rows import Rows


class Tenants(Erasing, Keys):
    """The rest of the port `Keys`: what is about a tenant as a whole."""

    def tenants(self) -> list[str]:
        found = self._driver.read(None, lambda rows: rows.tenants())
        return sorted(tenant for tenant in found if not tenant.startswith(HIDDEN))

    def erase_tenant(self, tenant: str) -> TenantReceipt:
        keys = self._driver.change(None, lambda rows: _drop_keys(rows, tenant))
        erased = [self.erase_space(SpaceId(tenant, name)) for name in self.traces(tenant)]
        own = self.erase_space(SpaceId.own(tenant))  # last: until then it tells what is still to be done
        self._driver.change(None, lambda rows: rows.drop_usage(tenant=tenant))
        self._driver.change(None, lambda rows: rows.drop_audit(tenant=tenant))
        left = len(self.access_keys(tenant)) + len(self.traces(tenant))
        return TenantReceipt(
            tenant=tenant,
            keys=keys,
            spaces=len(erased),
            items=sum(len(one.ids) for one in erased),
            remaining=left + sum(one.remaining for one in (*erased, own)),
            pending=any(one.pending for one in (*erased, own)),
        )

    def traces(self, tenant: str) -> list[str]:
        found = self._driver.read(None, lambda rows: rows.spaces(), together=True)
        return [space.name for space in found if space.tenant == tenant and not space.is_hidden]


def _drop_keys(rows: Rows, tenant: str) -> int:
    keys = rows.access_keys(tenant)
    if any(key_of(cells).operator for cells in keys):
        raise Conflict(f"an operator's key belongs to the tenant {tenant!r}; revoke it first")
    for cells in keys:
        rows.drop_key(cells)
    if keys:
        rows.add_usage((HIDDEN, *REVOKED), 1)  # under no name: that there was a key must outlive the tenant
    return len(keys)
