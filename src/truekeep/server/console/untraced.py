"""Looking into a memory: what the console asks does not count as recalled. The audit says who was told."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from truekeep.engine import requests
from truekeep.engine.tokens import estimate
from truekeep.engine.verbs.context import pack
from truekeep.engine.verbs.recall import recall
from truekeep.model import Filters, Match, Query, Recall, SpaceId
from truekeep.server.audit import told
from truekeep.server.desk import Caller

from .charts import by_day

_IN_CONTEXT = 20  # the default of `context`


class Look(NamedTuple):
    """What an agent would get."""

    recall: Recall
    context: str
    tokens: int
    max_tokens: int
    seconds: float


def look(caller: Caller, space: str, query: str, *, matches: int, max_tokens: int, filters: Mapping[str, Any]) -> Look:
    """The matches of a recall and the block of a context, both exactly as their own calls would give them."""
    engine, began = caller.engine(space), time.perf_counter()
    asked, chosen = requests.context_query(query, engine.limits, limit=matches, **filters)
    if asked is None:
        return Look(Recall(), "", 0, max_tokens, 0.0)
    found = _recalled(caller, space, replace(asked, min_answerable=0.0))
    seconds = time.perf_counter() - began
    packed = _recalled(caller, space, replace(asked, limit=_IN_CONTEXT))
    material = engine.material(asked, chosen, limit=_IN_CONTEXT, found=packed)
    text = pack(material, template="default", max_tokens=max_tokens, count_tokens=estimate)
    return Look(found, text, estimate(text), max_tokens, seconds)


def neighbours(caller: Caller, space: str, text: str, *, but: str, limit: int = 6) -> list[Match]:
    """Items that are like this text, apart from the one it is of."""
    words = text.encode()[: caller.desk.opened.limits.query_bytes].decode(errors="ignore")
    asked = Query(text=words, limit=limit + 1, filters=Filters(include_superseded=True))
    found = [match for match in _recalled(caller, space, asked) if match.id != but][:limit]
    return sorted(found, key=lambda match: -match.similarity)


def recalls_of(caller: Caller, space: str, id: str) -> int:
    """How often an item was recalled."""
    parts = caller.desk.opened.parts
    return parts.accesses.known(parts.store, SpaceId(caller.tenant, space), [id]).get(id, 0)


def recalls_by_day(caller: Caller, space: str, id: str, days: int) -> list[int]:
    """How often an item was recalled on each of the last days, the oldest day first."""
    parts, named = caller.desk.opened.parts, SpaceId(caller.tenant, space)
    today = parts.clock().date()
    counts = by_day(parts.store.accesses_by_day(named, id), today, days)
    return [*counts[:-1], counts[-1] + parts.accesses.waiting(named, [id]).get(id, 0)]


def _recalled(caller: Caller, space: str, query: Query) -> Recall:
    parts = caller.desk.opened.parts
    found = recall(query, parts=parts, space=SpaceId(caller.tenant, space), now=parts.clock(), count=False)
    caller.note(space, "recall", told(found))
    return found
