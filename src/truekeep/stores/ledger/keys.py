"""Access keys: who may do what, and when each was last used; and tenants, to whom all belongs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from truekeep.errors import Conflict
from truekeep.model import HIDDEN, AccessKey, SpaceId, TenantReceipt
from truekeep.stores.tables import microseconds

from .cells import key_cells, key_of
from .erasure import Erasing
from .rows import Rows

REVOKED = ("keys", "revoked", "ever")  # counted in the usage of a tenant: whether there was a key, for good


class Keys(Erasing):
    """The port `Keys`. Whose key it is, is known only once it is found: without a tenant, keys of all are sought."""

    def add_access_key(self, key: AccessKey, digest: bytes) -> None:
        cells = key_cells(key, digest)
        if not self._driver.change(key.tenant, lambda rows: rows.add_key(cells)):
            raise Conflict(f"there is a key {key.id!r} already, or one with the same secret")

    def access_key(self, digest: bytes) -> AccessKey | None:
        found = self._driver.read(None, lambda rows: rows.access_keys(None, digest=digest))
        return key_of(found[0]) if found else None

    def access_keys(self, tenant: str | None) -> list[AccessKey]:
        return [key_of(cells) for cells in self._driver.read(tenant, lambda rows: rows.access_keys(tenant))]

    def rotate_access_key(
        self, tenant: str | None, id: str, digest: bytes, *, former: Callable[[AccessKey], AccessKey] | None = None
    ) -> AccessKey | None:
        def work(rows: Rows) -> AccessKey | None:
            for cells in rows.access_keys(tenant, id=id):
                if not rows.replace_key(cells, (cells[0], digest, *cells[2:])):
                    raise Conflict("there is a key with the same secret already")
                key = key_of(cells)
                if former is not None:
                    rows.add_key(key_cells(former(key), cells[1]))
                return key
            return None

        return self._driver.change(tenant, work)

    def update_access_key(
        self, tenant: str | None, id: str, change: Callable[[AccessKey], AccessKey]
    ) -> AccessKey | None:
        def work(rows: Rows) -> AccessKey | None:
            for cells in rows.access_keys(tenant, id=id):
                changed = (*key_cells(change(key_of(cells)), cells[1])[:-1], cells[-1])
                rows.replace_key(cells, changed)
                return key_of(changed)
            return None

        return self._driver.change(tenant, work)

    def remove_access_key(self, tenant: str | None, id: str) -> bool:
        def work(rows: Rows) -> bool:
            for cells in rows.access_keys(tenant, id=id):
                if rows.drop_key(cells):
                    rows.add_usage((cells[2], *REVOKED), 1)
                    return True
            return False

        return self._driver.change(tenant, work)

    def has_access_keys(self) -> bool:
        return self._driver.read(None, lambda rows: rows.has_keys())

    def is_closed(self) -> bool:
        return self._driver.read(None, lambda rows: rows.has_keys() or rows.was_used(REVOKED))

    def open_again(self) -> None:
        def work(rows: Rows) -> None:
            if rows.has_keys():
                raise Conflict("there are access keys; revoke them first")
            rows.drop_usage(subject=REVOKED[0])

        self._driver.change(None, work)

    def note_key_use(self, used: Mapping[str, datetime]) -> None:
        times = {id: microseconds(used[id]) for id in sorted(used)}
        if times:
            self._driver.change(None, lambda rows: rows.note_key_use(times))

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
