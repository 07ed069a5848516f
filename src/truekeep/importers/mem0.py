"""mem0: its export as JSON, its local stores (Qdrant, Chroma, FAISS), and the history beside them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from truekeep.errors import InvalidInput
from truekeep.model import ROLE_TRUST

from .fields import slug
from .files import database, is_database, json_of, tables, whole_bytes, whole_text
from .pickles import Husk, plain
from .records import Found, LeftOut, Raw, end, moment
from .stores import CHROMA_FILE, chroma_rows

_LISTS = ("results", "memories", "data")  # where an export keeps its memories
_TEXTS = ("memory", "data", "text", "content")
# What became something of ours, or can be worked out from the text.
_TOLD = {
    *("id", "memory", "data", "text", "content", "hash", "text_lemmatized", "metadata", "score"),
    *("user_id", "agent_id", "app_id", "run_id", "actor_id", "role", "memory_type"),
    *("created_at", "updated_at", "expiration_date", "categories"),
    *("memory_id", "new_memory", "event", "is_deleted"),  # of a history
}
_NOT_A_STORE = "mem0migrations"  # a collection with the anonymous name under which mem0 counts its users
_HISTORY = """
    SELECT memory_id, new_memory, event, created_at, updated_at, is_deleted, actor_id, role
    FROM history ORDER BY rowid"""


def read(path: Path) -> Iterator[Raw]:
    """An export, a history, or the folder of a store."""
    if path.is_dir():
        yield from _stored(path)
    elif path.name == CHROMA_FILE:
        yield from _from_chroma(path)
    elif path.name == "storage.sqlite":
        yield from _from_qdrant(path)
    elif is_database(path):
        yield from _from_history(path)
    else:
        yield from _exported(path)


def _exported(path: Path) -> Iterator[Raw]:
    try:
        told = json_of(whole_text(path))
    except (ValueError, RecursionError) as error:
        raise InvalidInput("path", f"{path} is not JSON; mem0's export is, and so is what get_all returns") from error
    if isinstance(told, dict) and "docstore" in told:
        yield from _from_docstore(told)
        return
    if isinstance(told, dict):
        told = next((told[name] for name in _LISTS if isinstance(told.get(name), list)), None)
    if not isinstance(told, list):
        raise InvalidInput("path", f"{path} has no list of memories; mem0's export is one, or has one under 'results'")
    for number, memory in enumerate(told, start=1):
        yield _found(f"memory {number}", memory)


def _stored(folder: Path) -> Iterator[Raw]:
    """All stores in a folder and in those right below it."""
    stores = [
        *((store, _from_qdrant) for store in _below(folder, "collection/*/storage.sqlite")),
        *((store, _from_chroma) for store in _below(folder, CHROMA_FILE)),
        *((store, _from_faiss) for store in _below(folder, "*.faiss")),
    ] or [(store, _from_history) for store in _below(folder, "history.db")]
    if not stores:
        raise InvalidInput("path", f"{folder} has no store that mem0 keeps locally: Qdrant, Chroma, FAISS, history.db")
    for store, reader in stores:
        yield from reader(store)


def _below(folder: Path, pattern: str) -> list[Path]:
    found = {*folder.glob(pattern), *folder.glob(f"*/{pattern}")}
    return sorted(store for store in found if store.parent.name != _NOT_A_STORE)


def _from_qdrant(path: Path) -> Iterator[Raw]:
    with database(path) as connection:
        latest: dict[str, Raw] = {}  # older versions may have left copies
        for (point,) in connection.execute("SELECT point FROM points ORDER BY rowid DESC"):
            told = plain(point, f"a point of {path}")
            fields = told.fields if isinstance(told, Husk) else {}
            id = str(fields.get("id"))
            if id not in latest:
                latest[id] = _found(f"point {id}", {**_mapping(fields.get("payload")), "id": id})
    yield from reversed(latest.values())


def _from_chroma(path: Path) -> Iterator[Raw]:
    for row in chroma_rows(path):
        yield _found(f"{row.collection}/{row.id}", {"created_at": row.written, **row.metadata, "id": row.id})


def _from_faiss(index: Path) -> Iterator[Raw]:
    told, old = index.with_suffix(".json"), index.with_suffix(".pkl")
    if told.is_file():
        yield from _exported(told)
    elif old.is_file():
        pair = plain(whole_bytes(old), str(old))
        yield from _from_docstore({"docstore": pair[0] if isinstance(pair, tuple) and pair else None})


def _from_docstore(told: Mapping[str, Any]) -> Iterator[Raw]:
    for id, payload in _mapping(told["docstore"]).items():
        yield _found(f"document {id}", {**_mapping(payload), "id": id})


def _from_history(path: Path) -> Iterator[Raw]:
    """What the events leave. Whose memories these are is not in there."""
    with database(path) as connection:
        if "history" not in tables(connection):
            raise InvalidInput("path", f"{path} is no history of mem0")
        last: dict[str, Mapping[str, Any]] = {}
        connection.row_factory = sqlite3.Row
        for event in connection.execute(_HISTORY):
            last[event["memory_id"]] = {**last.get(event["memory_id"], {}), **event}
    for id, event in last.items():
        if not event["is_deleted"] and event["event"] != "DELETE":
            yield _found(f"memory {id}", {**event, "id": id, "memory": event["new_memory"]})


def _found(where: str, memory: object) -> Raw:
    """A memory, or the payload of one."""
    if not isinstance(memory, Mapping):
        return LeftOut(where=where, reason="is not an object")
    if "entity_type" in memory and "linked_memory_ids" in memory:
        return LeftOut(where=where, reason="is a name that mem0 noted for its search", is_bad=False)
    if set(memory) <= {"id", "created_at", "user_id"}:
        return LeftOut(where=where, reason="is a note of mem0 about itself", is_bad=False)
    content = next((memory[name] for name in _TEXTS if isinstance(memory.get(name), str)), None)
    if content is None:
        return LeftOut(where=where, reason="has no text")
    try:
        return Found(where=where, content=content, **_fields(memory))
    except ValueError as error:
        return LeftOut(where=where, reason=str(error))


def _fields(memory: Mapping[str, Any]) -> dict[str, Any]:
    written = memory.get("updated_at") or memory.get("created_at")
    ends = memory.get("expiration_date")
    role, user, agent = (_text(memory.get(name)) for name in ("role", "user_id", "agent_id"))
    is_user = ROLE_TRUST.get(role or "user") == "user"
    rest = {name: value for name, value in memory.items() if name not in _TOLD and value is not None}
    owners = {"user": user, "agent": agent, "app": _text(memory.get("app_id"))}
    return {
        "id": _text(memory.get("id")),
        "kind": slug(memory["memory_type"]) if isinstance(memory.get("memory_type"), str) else None,
        "when": moment(written) if written else None,
        "expires": end(ends) if ends else None,
        "speaker": _text(memory.get("actor_id")) or (user if is_user else agent or role),
        "role": role,
        "session": _text(memory.get("run_id")),
        "tags": (*_categories(memory), *(f"{name}:{owner}" for name, owner in owners.items() if owner)),
        "metadata": {**_mapping(memory.get("metadata")), **rest},
    }


def _categories(memory: Mapping[str, Any]) -> tuple[str, ...]:
    categories = memory.get("categories")
    return tuple(str(one) for one in categories if one) if isinstance(categories, list) else ()


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str | None:
    return None if value is None or not str(value).strip() else str(value)
