"""How an item of a LangGraph store is kept: as one memory item, whose text is what a search shall find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any
from urllib.parse import quote

from langgraph.store.base import Item, PutOp, SearchItem, get_text_at_path, tokenize_path

from truekeep.engine import admit
from truekeep.engine.admit import Limits
from truekeep.engine.hygiene import redacted
from truekeep.errors import InvalidInput
from truekeep.model import MemoryItem, Source

SOURCE = Source(name="langgraph-store", trust="agent")  # a graph's own code writes here, not the user
UNINDEXED = "unindexed"  # the kind of what no query shall find

_FIELD = "langgraph"  # of the metadata
_LIMITS = Limits()
_VALUE_BYTES = _LIMITS.metadata_bytes - 4096  # where it is and since when is kept beside it
_CONTENT_BYTES = _LIMITS.content_bytes - 1024  # redaction may make a text a little longer

Namespace = tuple[str, ...]
Place = tuple[Namespace, str]


def namespace_tag(namespace: Namespace) -> str:
    """The tag of all that is in a namespace or below it; readable where that is safe."""
    path = "ns:" + "/".join(quote(label, safe=" @+=,!") for label in namespace)
    is_safe = len(path) <= _LIMITS.tag_chars and redacted(path).text == path  # a tag that is redacted finds nothing
    return path if is_safe else f"ns:#{_digest(*namespace)}"


def key_tag(namespace: Namespace, key: str) -> str:
    """The tag of one item, in all its versions."""
    return f"langgraph:{_digest(*namespace, key)}"


def draft(op: PutOp, *, kind: str, fields: Sequence[str], former: MemoryItem | None, now: datetime) -> dict[str, Any]:
    """The arguments of `remember` for one put: the same claim key again supersedes what was there before."""
    text = "" if op.index is False else searchable(op.value or {}, op.index or fields)
    shown = "/".join((*op.namespace, op.key))
    kept = {
        "namespace": [*op.namespace],
        "item": op.key,
        "value": _plain(op.value),
        "ttl": op.ttl,
        "since": (now if former is None else _since(former)).isoformat(),
        "updated": now.isoformat(),
    }
    return {
        "content": text or shown,
        "kind": kind if text else UNINDEXED,
        "tags": [
            *(namespace_tag(op.namespace[:depth]) for depth in range(1, len(op.namespace) + 1)),
            key_tag(op.namespace, op.key),
        ],
        "metadata": {_FIELD: kept},
        "source": SOURCE,
        "key": key_tag(op.namespace, op.key),
        "ttl": lifetime_of(op),
    }


def again(item: MemoryItem) -> dict[str, Any]:
    """The arguments of `remember` that only put off the end of an item that was read."""
    return {
        "content": item.content,
        "kind": item.kind,
        "tags": item.tags,
        "metadata": item.metadata,
        "source": item.source,
        "key": item.key,
        "ttl": lifetime(item),
    }


def lifetime_of(op: PutOp) -> timedelta | None:
    """How long what is put shall live; None: for good."""
    if op.ttl is None:
        return None
    try:
        return admit.ttl(timedelta(minutes=op.ttl))
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput("ttl", f"must be a number of minutes, more than 0, not {op.ttl!r}") from error


def lifetime(item: MemoryItem) -> timedelta | None:
    """How long it lives after it was last written or read; None: for good."""
    minutes: Any = _kept(item)["ttl"]
    return None if minutes is None else timedelta(minutes=minutes)


def is_record(item: MemoryItem) -> bool:
    """Whether it is the present version of something that a store keeps."""
    return item.is_current and item.source.name == SOURCE.name and _FIELD in item.metadata


def namespace_of(item: MemoryItem) -> Namespace:
    return tuple(_kept(item)["namespace"])


def value_of(item: MemoryItem) -> dict[str, Any]:
    return dict(_kept(item)["value"])


def item_of(item: MemoryItem) -> Item:
    return Item(**_fields(item))


def found(item: MemoryItem, score: float | None = None) -> SearchItem:
    return SearchItem(**_fields(item), score=score)


def unsaved(op: PutOp, now: datetime) -> Item | None:
    """What a put that still waits for the memory will have kept."""
    if op.value is None:
        return None
    return Item(value=dict(op.value), key=op.key, namespace=op.namespace, created_at=now, updated_at=now)


def searchable(value: Mapping[str, Any], fields: Sequence[str]) -> str:
    """The text that a search shall find: the fields, or with "$" all words and numbers of the value."""
    texts = []
    for field in fields:
        whole = [_sentence(value)] if field == "$" else get_text_at_path(value, tokenize_path(field))
        texts += [text for text in whole if text.strip()]
    return _cut("\n".join(texts))


def _sentence(value: Mapping[str, Any]) -> str:
    """One text alone as it is, several with their names: `{"text": "Ana likes tea"}` reads "Ana likes tea"."""
    leaves = [(name, leaf) for name, leaf in _leaves(value) if leaf.strip()]
    if len(leaves) == 1:
        return leaves[0][1]
    return "; ".join(f"{name}: {leaf}" for name, leaf in leaves)


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list | tuple):
        if all(isinstance(inner, str | int | float) for inner in value):
            yield name, ", ".join(map(str, value))
        else:
            for inner in value:
                yield from _leaves(inner, name)
    elif value is not None:
        yield name, str(value)


def _cut(text: str) -> str:
    """As much as an item's text may have; the value itself is complete."""
    return text.encode()[:_CONTENT_BYTES].decode(errors="ignore") if len(text) * 4 > _CONTENT_BYTES else text


def _plain(value: Mapping[str, Any] | None) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidInput("value", f"must be a mapping with strings as keys, not {type(value).__name__}")
    admit.json_text(value, "value", _VALUE_BYTES)
    return dict(value)


def _kept(item: MemoryItem) -> Mapping[str, Any]:
    kept = item.metadata[_FIELD]
    assert isinstance(kept, Mapping)
    return kept


def _since(item: MemoryItem) -> datetime:
    return datetime.fromisoformat(_kept(item)["since"]).astimezone(UTC)


def _fields(item: MemoryItem) -> dict[str, Any]:
    kept = _kept(item)
    return {
        "namespace": namespace_of(item),
        "key": kept["item"],
        "value": value_of(item),
        "created_at": _since(item),
        "updated_at": datetime.fromisoformat(kept["updated"]).astimezone(UTC),
    }


def _digest(*parts: str) -> str:
    return blake2b("\x00".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
