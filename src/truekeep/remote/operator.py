"""What a server is asked of its keys, tenants, spaces, audit, webhooks, erasures: records, as its routes tell them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import timedelta
from typing import Any, TypeVar

from truekeep import wire
from truekeep.model import (
    JSON,
    AccessKey,
    AuditFilters,
    AuditPage,
    Delivery,
    Erasure,
    Person,
    Receipt,
    SpaceSize,
    Tenant,
    TenantReceipt,
    Webhook,
)

from .asking import Asking, each
from .server import segment

Record = dict[str, Any]
_T = TypeVar("_T")
_SPACES = 1_000  # the most that a server lists in one answer
_LONG = timedelta(hours=1)  # as long as a whole tenant may take to be searched


class Operator(Asking):
    """Whoever looks after a server, over HTTP. What the key allows, the server decides."""

    def make_key(self, wish: Record) -> Record:
        return self._send("POST", "/v1/keys", wish, dict)

    def access_keys(self) -> list[AccessKey]:
        return self._get("/v1/keys", each("keys", wire.reader(AccessKey)))

    def update_key(self, id: str, changes: Record) -> AccessKey:
        return self._send("PATCH", f"/v1/keys/{segment(id)}", changes, wire.reader(AccessKey))

    def rotate_key(self, id: str, grace: float) -> Record:
        return self._send("POST", f"/v1/keys/{segment(id)}/rotate", {"grace": grace}, dict)

    def revoke_key(self, id: str) -> None:
        self._delete(f"/v1/keys/{segment(id)}", dict)

    def tenants(self) -> Iterator[Tenant]:
        return self._pages("/v1/tenants", "tenants", wire.reader(Tenant))

    def limit_tenant(self, name: str, quotas: Record) -> Tenant:
        return self._send("PATCH", f"/v1/tenants/{segment(name)}", {"quotas": quotas}, wire.reader(Tenant))

    def erase_tenant(self, name: str) -> TenantReceipt:
        return self._delete(f"/v1/tenants/{segment(name)}", wire.reader(TenantReceipt))

    def spaces(self) -> Iterator[SpaceSize]:
        """Those that hold something and that the key covers, by name."""
        return self._pages("/v1/spaces", "spaces", wire.reader(SpaceSize), ("limit", str(_SPACES)))

    def erase_space(self, name: str) -> Receipt:
        return self._send("POST", f"/v1/spaces/{segment(name)}/forget", {"everything": True}, wire.reader(Receipt))

    def audit(self, tenant: str | None, filters: AuditFilters, *, cursor: str | None, limit: int) -> AuditPage:
        asked = {**wire.record(filters), "tenant": tenant, "cursor": cursor, "limit": str(limit)}
        given = [(name, text) for name, text in asked.items() if text is not None]
        return self._get("/v1/audit", wire.reader(AuditPage), *given)

    def add_webhook(self, wish: Record) -> Record:
        return self._send("POST", "/v1/webhooks", wish, dict, repeats=False)

    def webhooks(self) -> list[Webhook]:
        return self._get("/v1/webhooks", each("webhooks", wire.reader(Webhook)))

    def drop_webhook(self, id: str) -> None:
        self._delete(f"/v1/webhooks/{segment(id)}", dict)

    def test_webhook(self, id: str) -> Record:
        return self._send("POST", f"/v1/webhooks/{segment(id)}/test", {}, dict)

    def dead_deliveries(self, id: str) -> list[Delivery]:
        return self._get(f"/v1/webhooks/{segment(id)}/dead", each("deliveries", wire.reader(Delivery)))

    def retry_webhook(self, id: str, deliveries: list[str] | None) -> int:
        asked = {} if deliveries is None else {"deliveries": deliveries}
        retried: int = self._send("POST", f"/v1/webhooks/{segment(id)}/retry", asked, dict)["retried"]
        return retried

    def _pages(self, path: str, name: str, decode: Callable[[Any], _T], *parameters: tuple[str, str]) -> Iterator[_T]:
        """All of a list that a server tells in pages."""
        several = each(name, decode)
        cursor: str | None = ""
        while cursor is not None:
            page, cursor = self._get(
                path, lambda answer: (several(answer), answer["cursor"]), *parameters, ("cursor", cursor)
            )
            yield from page

    def erasures(self, tenant: str | None) -> ServedErasures:
        return ServedErasures(self, tenant)


class ServedErasures:
    """As `engine.verbs.erasure.Erasures`, of the tenant that is named, or of that of the key."""

    def __init__(self, operator: Operator, tenant: str | None) -> None:
        self._operator = operator
        self._tenant = {} if tenant is None else {"tenant": tenant}

    def preview(self, person: Person) -> Erasure:
        return self._erase(person, dry_run=True)

    def erase(self, person: Person) -> Erasure:
        return self._erase(person, dry_run=False)

    def _erase(self, person: Person, *, dry_run: bool) -> Erasure:
        body = {**self._tenant, **wire.record(person), "dry_run": dry_run}
        return self._operator._send("POST", "/v1/erasures", body, wire.reader(Erasure), answer=_LONG)

    def admit(self, speakers: Collection[str]) -> list[str]:
        body = {**self._tenant, "speakers": list(speakers)}
        return self._operator._send("POST", "/v1/erasures/admit", body, lambda answer: list(answer["admitted"]))

    def receipts(self, *, speaker: str | None = None, limit: int = 100) -> list[Erasure]:
        asked = {**self._tenant, "limit": str(limit), **({} if speaker is None else {"speaker": speaker})}
        return self._operator._get("/v1/erasures", each("erasures", wire.reader(Erasure)), *asked.items())

    def receipt(self, id: str) -> Erasure:
        path = f"/v1/erasures/{segment(id)}"
        return self._operator._get(path, wire.reader(Erasure), *self._tenant.items())

    def is_genuine(self, record: Mapping[str, JSON]) -> bool:
        body = {**self._tenant, "receipt": record}
        return self._operator._send("POST", "/v1/erasures/verify", body, lambda answer: bool(answer["genuine"]))
