"""mem0: exports, local stores, histories."""

from __future__ import annotations

import base64
import json
import pickle
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from truekeep import InvalidInput

from . import stores
from .looking import NOW, all_of, contents, left_out, statements

MEMORY = {
    "id": "3d6a5707",
    "memory": "Ana is vegan",
    "hash": "6102fc91",
    "metadata": {"place": "Porto"},
    "created_at": "2025-03-01T10:00:00+00:00",
    "updated_at": "2025-03-02T10:00:00-07:00",
    "user_id": "ana",
    "agent_id": "concierge",
    "run_id": "trip-1",
    "categories": ["food", "health"],
    "score": None,
}

# A point of mem0ai 2.2.1 with qdrant-client 1.20.0, byte for byte.
REAL_POINT = base64.b64decode(
    "gASVYAIAAAAAAACMIHFkcmFudF9jbGllbnQuaHR0cC5tb2RlbHMubW9kZWxzlIwLUG9pbnRTdHJ1Y3SUk5QpgZR9lCiMCF9fZGljdF9flH2UKI"
    "wCaWSUjCRmNzVjM2FkYi1mODdiLTRhNjQtODQ1MS1iMzdmZDY4YTk1YWWUjAZ2ZWN0b3KUfZSMAJRdlChHP92dnZ2dnZ5HP+/f39/f3+BHP+zc"
    "3Nzc3N1HP8mZmZmZmZpHP78fHx8fHx9HP+KysrKysrNHP+DQ0NDQ0NFHP+o6Ojo6Ojplc4wHcGF5bG9hZJR9lCiMCGNhdGVnb3J5lIwGdHJhdm"
    "VslIwBbpRLA4wHdXNlcl9pZJSMA2FuYZSMBnJ1bl9pZJSMBnRyaXAtMZSMBHJvbGWUjAR1c2VylIwIYWN0b3JfaWSUjANhbmGUjARkYXRhlIwV"
    "SSBwcmVmZXIgd2luZG93IHNlYXRzlIwEaGFzaJSMIDNjZjRlNjE3YzcyY2E0ZTJjZGZjMWYzMGQ2N2Q1MTBmlIwKY3JlYXRlZF9hdJSMIDIwMj"
    "YtMTEtMTVUMTk6MzU6MTcuMDM3MzQyKzAwOjAwlIwKdXBkYXRlZF9hdJSMIDIwMjYtMTEtMTVUMTk6MzU6MTcuMDM3MzQyKzAwOjAwlIwPdGV4"
    "dF9sZW1tYXRpemVklIwVSSBwcmVmZXIgd2luZG93IHNlYXRzlHV1jBJfX3B5ZGFudGljX2V4dHJhX1+UTowXX19weWRhbnRpY19maWVsZHNfc2"
    "V0X1+Uj5QoaAdoCWgNkIwUX19weWRhbnRpY19wcml2YXRlX1+UTnViLg=="
)


def exported(path: Path, told: Any) -> Path:
    path.write_text(json.dumps(told))
    return path


@pytest.mark.parametrize("around", [lambda m: [m], lambda m: {"results": [m]}, lambda m: {"memories": [m], "total": 1}])
def test_an_export_keeps_whose_it_is_when_and_in_which_run(tmp_path: Path, around: Any) -> None:
    (found,) = statements("mem0", exported(tmp_path / "export.json", around(MEMORY)))

    source = found["source"]
    assert (found["content"], found["when"]) == ("Ana is vegan", datetime(2025, 3, 2, 17, tzinfo=UTC))
    assert (source.speaker, source.session, source.message) == ("ana", "trip-1", "3d6a5707")
    assert found["tags"] == ("food", "health", "user:ana", "agent:concierge")
    assert found["metadata"] == {"place": "Porto"}


@pytest.mark.parametrize(
    ("told", "speaker", "trust"),
    [
        ({"role": "user", "actor_id": "Ana M."}, "Ana M.", "user"),
        ({"role": "user"}, "ana", "user"),
        ({"role": "assistant"}, "concierge", "agent"),
        ({"role": "assistant", "agent_id": None}, "assistant", "agent"),
        ({}, "ana", "unknown"),
    ],
)
def test_who_said_it_is_the_actor_or_follows_from_the_role(
    tmp_path: Path, told: dict[str, Any], speaker: str, trust: str
) -> None:
    (found,) = statements("mem0", exported(tmp_path / "export.json", [MEMORY | told]))

    assert (found["source"].speaker, found["source"].trust) == (speaker, trust)


def test_what_has_expired_is_left_out_and_an_end_is_kept(tmp_path: Path) -> None:
    gone, living = MEMORY | {"expiration_date": "2025-12-31"}, MEMORY | {"expiration_date": "2026-01-02"}

    old, new = all_of("mem0", exported(tmp_path / "export.json", [gone, living]))

    assert getattr(old, "reason", None) == "has expired"
    assert new.arguments["ttl"] == datetime(2026, 1, 3, tzinfo=UTC) - NOW == timedelta(days=2)  # type: ignore[union-attr]


def test_a_memory_without_text_or_with_a_wrong_time_is_bad(tmp_path: Path) -> None:
    bad = [{"id": 1, "memory": None, "user_id": "a", "role": "user"}, MEMORY | {"updated_at": "soon"}, "text"]

    found = left_out("mem0", exported(tmp_path / "export.json", bad))

    assert [(where, is_bad) for where, _, is_bad in found] == [(f"memory {number}", True) for number in (1, 2, 3)]


@pytest.mark.parametrize("told", [{"nothing": 1}, 7, {"results": 7}])
def test_json_that_is_no_export_is_refused(tmp_path: Path, told: Any) -> None:
    with pytest.raises(InvalidInput, match="no list of memories"):
        all_of("mem0", exported(tmp_path / "export.json", told))


def test_a_point_of_the_real_qdrant_is_read(tmp_path: Path) -> None:
    (found,) = statements("mem0", stores.qdrant(tmp_path / "qdrant", REAL_POINT))

    assert (found["content"], found["source"].speaker) == ("I prefer window seats", "ana")
    assert (found["source"].session, found["source"].role) == ("trip-1", "user")
    assert found["metadata"] == {"category": "travel", "n": 3}


def test_points_come_in_their_order_and_the_latest_copy_of_each_counts(tmp_path: Path) -> None:
    points = [
        stores.point(id, {"data": text, "user_id": "ana", "role": "user"})
        for id, text in [("a", "old"), ("b", "tea"), ("a", "new")]
    ]

    assert contents("mem0", stores.qdrant(tmp_path / "home" / "qdrant", *points).parent) == ["tea", "new"]


def test_what_mem0_notes_for_itself_is_left_out_without_alarm(tmp_path: Path) -> None:
    entity = stores.point("e", {"data": "ana", "entity_type": "person", "linked_memory_ids": ["a"], "user_id": "ana"})
    migration = stores.point("m", {"user_id": "8f14"})

    found = left_out("mem0", stores.qdrant(tmp_path / "qdrant", entity, migration))

    assert [is_bad for _, _, is_bad in found] == [False, False]


def test_a_point_that_would_run_something_is_refused(tmp_path: Path) -> None:
    trace = tmp_path / "trace"

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.mkdir, (trace,)

    with pytest.raises(InvalidInput, match="more than plain data"):
        all_of("mem0", stores.qdrant(tmp_path / "qdrant", pickle.dumps({"payload": Evil()})))

    assert not trace.exists()


def test_a_chroma_store_is_read(tmp_path: Path) -> None:
    payload = {"data": "Ana is vegan", "user_id": "ana", "hash": "61", "updated_at": "2025-03-02T10:00:00+00:00"}
    folder = stores.chroma(tmp_path / "chroma", {"7": None}, payload, name="mem0")

    (found,) = statements("mem0", folder)

    assert (found["content"], found["tags"]) == ("Ana is vegan", ("user:ana",))
    assert found["when"] == datetime(2025, 3, 2, 10, tzinfo=UTC)


@pytest.mark.parametrize("suffix", [".json", ".pkl"])
def test_the_documents_beside_a_faiss_index_are_read(tmp_path: Path, suffix: str) -> None:
    documents = {"7": {"data": "Ana is vegan", "user_id": "ana"}}
    (tmp_path / "mem0.faiss").write_bytes(b"an index")
    if suffix == ".json":
        exported(tmp_path / "mem0.json", {"docstore": documents, "index_to_id": {"0": "7"}})
    else:
        (tmp_path / "mem0.pkl").write_bytes(pickle.dumps((documents, {0: "7"})))

    (found,) = statements("mem0", tmp_path)

    assert (found["content"], found["source"].message) == ("Ana is vegan", "7")


def test_a_history_tells_what_its_events_left(tmp_path: Path) -> None:
    file = tmp_path / "history.db"
    rows = [
        ("1", "a", None, "Ana is vegetarian", "ADD", 0),
        ("2", "b", None, "Ben hates mondays", "ADD", 0),
        ("3", "a", "Ana is vegetarian", "Ana is vegan", "UPDATE", 0),
        ("4", "b", "Ben hates mondays", None, "DELETE", 1),
    ]
    with stores.made(file, stores.HISTORY) as database:
        for id, memory, old, new, event, is_deleted in rows:
            row = (id, memory, old, new, event, "2025-03-01T10:00:00", "2025-03-02T10:00:00", is_deleted, "ana", "user")
            database.execute(f"INSERT INTO history VALUES ({', '.join('?' * len(row))})", row)

    for path in (file, tmp_path):
        (found,) = statements("mem0", path)

        assert (found["content"], found["source"].speaker) == ("Ana is vegan", "ana")
        assert (found["when"], found["metadata"]) == (datetime(2025, 3, 2, 10, tzinfo=UTC), {})


def test_the_files_of_a_store_can_be_named(tmp_path: Path) -> None:
    payload = {"data": "Ana is vegan", "user_id": "ana"}
    stores.qdrant(tmp_path / "qdrant", stores.point("a", payload))
    stores.chroma(tmp_path / "chroma", {"7": None}, payload)

    for file in ("qdrant/collection/mem0/storage.sqlite", "chroma/chroma.sqlite3"):
        assert contents("mem0", tmp_path / file) == ["Ana is vegan"]


def test_a_text_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "export.json").write_text("{")

    with pytest.raises(InvalidInput, match="is not JSON"):
        all_of("mem0", tmp_path / "export.json")


def test_the_home_of_mem0_has_a_history_only(tmp_path: Path) -> None:
    migrations = stores.qdrant(tmp_path / "migrations_qdrant", stores.point("m", {"user_id": "8f14"})) / "collection"
    (migrations / "mem0").rename(migrations / "mem0migrations")
    with stores.made(tmp_path / "history.db", stores.HISTORY) as database:
        times = ("2025-03-01T10:00:00", "2025-03-01T10:00:00")
        row = ("1", "a", None, "Ana naps", "ADD", *times, 0, None, "user")
        database.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    assert contents("mem0", tmp_path) == ["Ana naps"]


@pytest.mark.parametrize("name", ["empty", "database"])
def test_a_folder_or_database_without_a_store_is_refused(tmp_path: Path, name: str) -> None:
    if name == "database":
        with stores.made(tmp_path / "other.db", "CREATE TABLE t (x)"):
            pass
    path = tmp_path / "other.db" if name == "database" else tmp_path

    with pytest.raises(InvalidInput, match="path"):
        all_of("mem0", path)
