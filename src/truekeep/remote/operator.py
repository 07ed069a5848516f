"""What the keys, tenants, audit and webhooks of a server are asked for: records, as its routes tell them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from truekeep import wire
from truekeep.model import AccessKey, AuditFilters, AuditPage, Delivery, Tenant, TenantReceipt, Webhook

from .address import segment
from .line import Call
from .remote import Remote

Record = dict[str, Any]


class Operator(Remote):
    """Whoever looks after a server, over HTTP. What the key allows, the server decides."""

    def __init__(self, *, at: str, key: str | None) -> None:
        super().__init__("default", at=at, key=key)

    def make_key(self, wish: Record) -> Record:
        return self._send("POST", "/v1/keys", wish, dict)

    def access_keys(self) -> list[AccessKey]:
        return self._get("/v1/keys", lambda answer: [wire.reader(AccessKey)(one) for one in answer["keys"]])

    def update_key(self, id: str, changes: Record) -> AccessKey:
        return self._send("PATCH", f"/v1/keys/{segment(id)}", changes, wire.reader(AccessKey))

    def rotate_key(self, id: str, grace: float) -> Record:
        return self._send("POST", f"/v1/keys/{segment(id)}/rotate", {"grace": grace}, dict)

    def revoke_key(self, id: str) -> None:
        self._call(Call(method="DELETE", path=f"/v1/keys/{segment(id)}"), dict)

    def tenants(self) -> Iterator[Tenant]:
        cursor: str | None = ""
        while cursor is not None:
            answer = self._get("/v1/tenants", dict, ("cursor", cursor))
            yield from map(wire.reader(Tenant), answer["tenants"])
            cursor = answer["cursor"]

    def limit_tenant(self, name: str, quotas: Record) -> Tenant:
        return self._send("PATCH", f"/v1/tenants/{segment(name)}", {"quotas": quotas}, wire.reader(Tenant))

    def erase_tenant(self, name: str) -> TenantReceipt:
        return self._call(Call(method="DELETE", path=f"/v1/tenants/{segment(name)}"), wire.reader(TenantReceipt))

    def audit(self, tenant: str | None, filters: AuditFilters, *, cursor: str | None, limit: int) -> AuditPage:
        asked = {**wire.record(filters), "tenant": tenant, "cursor": cursor, "limit": str(limit)}
        given = [(name, text) for name, text in asked.items() if text is not None]
        return self._get("/v1/audit", wire.reader(AuditPage), *given)

    def add_webhook(self, wish: Record) -> Record:
        return self._send("POST", "/v1/webhooks", wish, dict, repeats=False)

    def webhooks(self) -> list[Webhook]:
        return self._get("/v1/webhooks", lambda answer: [wire.reader(Webhook)(one) for one in answer["webhooks"]])

    def drop_webhook(self, id: str) -> None:
        self._call(Call(method="DELETE", path=f"/v1/webhooks/{segment(id)}"), dict)

    def test_webhook(self, id: str) -> Record:
        return self._send("POST", f"/v1/webhooks/{segment(id)}/test", {}, dict)

    def dead_deliveries(self, id: str) -> list[Delivery]:
        path = f"/v1/webhooks/{segment(id)}/dead"
        return self._get(path, lambda answer: [wire.reader(Delivery)(one) for one in answer["deliveries"]])

    def retry_webhook(self, id: str, deliveries: list[str] | None) -> int:
        asked = {} if deliveries is None else {"deliveries": deliveries}
        retried: int = self._send("POST", f"/v1/webhooks/{segment(id)}/retry", asked, dict)["retried"]
        return retried
