"""Persons who were erased: by bars in the tenant's own space, nothing of theirs comes back by itself."""

from __future__ import annotations

import hmac
from collections.abc import Collection
from datetime import datetime
from typing import Literal

from truekeep.model import SpaceId, Value
from truekeep.stores.tables import fingerprint, moment

from .cells import value_cells
from .driver import Chapter
from .rows import Rows

Kind = Literal["speaker", "value"]  # whose name is barred
SIGNED = b"truekeep receipt\0"  # what is signed is no fingerprint, and no fingerprint is a signature


class Persons(Chapter):
    """The port `Persons`."""

    def marks(self, tenant: str, speakers: Collection[str]) -> list[str]:
        return [mark(self._driver.secret, tenant, "speaker", name) for name in speakers]

    def bar(self, tenant: str, *, speakers: Collection[str] = (), values: Collection[str] = (), now: datetime) -> None:
        own, secret = SpaceId.own(tenant), self._driver.secret
        named: list[tuple[Kind, str]] = [*(("speaker", one) for one in speakers), *(("value", one) for one in values)]
        keys = [_key(mark(secret, tenant, kind, name)) for kind, name in named]

        def work(rows: Rows) -> None:
            row = rows.find(own, make=True)
            old = {cells[0]: [cells] for cells in rows.of("kept_values", row, keys)}
            for key in keys:
                row.value_head += 1
                value = Value(key=key, value=True, version=0, created=now, updated=now)
                rows.keep("kept_values", row, [value_cells(value, row.value_head)], old.get(key, ()))

        if keys:
            self._driver.erase(own, work)  # it comes before an erasure, and must not fail where that would not

    def admit(self, tenant: str, speakers: Collection[str]) -> list[str]:
        own = SpaceId.own(tenant)

        def work(rows: Rows) -> list[str]:
            found = sorted(barred(rows, self._driver.secret, tenant, "speaker", speakers))
            if found:
                rows.drop("kept_values", rows.find(own), [_key(one) for one in self.marks(tenant, found)])
            return found

        return self._driver.write(own, work)

    def barred(self, tenant: str, speakers: Collection[str]) -> dict[str, datetime]:
        secret = self._driver.secret
        found = self._driver.read(tenant, lambda rows: barred(rows, secret, tenant, "speaker", speakers))
        return {name: moment(at) for name, at in found.items()}

    def leftovers(self) -> list[str]:
        return []

    def sign(self, text: str) -> str:
        return hmac.digest(self._driver.secret, SIGNED + text.encode(), "sha256").hex()

    def all_keys(self, space: SpaceId) -> list[str]:
        def fetch(rows: Rows) -> set[str]:
            row = rows.find(space)
            former = rows.all("former_values", row) if row.is_there else ()
            return {*rows.value_keys(row, 0), *(cells[0] for cells in former)}

        return sorted(self._driver.read(space.tenant, fetch, together=True))

    def erase_values(self, space: SpaceId, keys: Collection[str]) -> None:
        def work(rows: Rows) -> None:
            row = rows.find(space)
            if row.is_there:
                rows.drop("kept_values", row, keys)
                rows.drop("former_values", row, keys)

        if keys:
            self._driver.erase(space, work)


def mark(secret: bytes, tenant: str, kind: Kind, name: str) -> str:
    """What stands for a name, and does not tell it."""
    return fingerprint(secret, SpaceId.own(tenant), f"{kind}\0{name}").hex()


def barred(rows: Rows, secret: bytes, tenant: str, kind: Kind, names: Collection[str]) -> dict[str, int]:
    """Those of the names that are barred, and since when."""
    own = rows.seen(SpaceId.own(tenant)) if names else None
    if own is None or not own.is_there:
        return {}
    keys = {_key(mark(secret, tenant, kind, name)): name for name in names}
    return {keys[cells[0]]: cells[4] for cells in rows.of("kept_values", own, list(keys))}


def _key(mark: str) -> str:
    return f"person:bar:{mark}"
