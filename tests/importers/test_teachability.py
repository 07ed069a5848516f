"""Teachability and task-centric memory."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from truekeep import InvalidInput

from . import stores
from .looking import all_of, contents, left_out, statements


def taught(folder: Path, memos: Any) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "uid_text_dict.pkl").write_bytes(pickle.dumps(memos))
    return folder


def test_a_memo_is_found_by_what_was_asked_and_says_what_was_taught(tmp_path: Path) -> None:
    folder = taught(tmp_path / "teach", {"1": ("Which seat does Ana like?", "A window seat"), "2": ("tea", "Ana: tea")})

    first, second = statements("teachability", folder)

    assert first["content"] == "Which seat does Ana like?\nA window seat"
    assert first["metadata"] == {"input": "Which seat does Ana like?", "output": "A window seat"}
    assert (first["source"].name, first["source"].message) == ("import:teach", "1")
    assert (second["content"], second["metadata"]) == ("Ana: tea", {})


def test_the_time_is_that_of_the_store_beside_the_pickle(tmp_path: Path) -> None:
    folder = stores.chroma(tmp_path / "teach", {"1": "asked"}, name="memos")
    taught(folder, {"1": ("asked", "learned"), "2": ("a", "b")})

    assert [one["when"] for one in statements("teachability", folder)] == [datetime(2025, 3, 1, 10, tzinfo=UTC), None]


def test_the_pickle_itself_can_be_named(tmp_path: Path) -> None:
    folder = taught(tmp_path / "teach", {"1": ("asked", "learned")})

    assert contents("teachability", folder / "uid_text_dict.pkl") == ["asked\nlearned"]


def test_memos_of_task_centric_memory_are_read(tmp_path: Path) -> None:
    (tmp_path / "uid_memo_dict.pkl").write_bytes(stores.memo("Book a seat", "Ask for the window"))

    assert contents("teachability", tmp_path) == ["Book a seat\nAsk for the window"]


@pytest.mark.parametrize("memo", ["text", ("one",), ("asked", 7), None, ("a", "b", "c")])
def test_a_memo_that_is_no_pair_is_bad_and_the_others_come_in(tmp_path: Path, memo: Any) -> None:
    folder = taught(tmp_path, {"1": memo, "2": ("asked", "learned")})

    assert left_out("teachability", folder) == [("memo 1", "is not a pair of texts", True)]
    assert len(all_of("teachability", folder)) == 2


def test_a_pickle_that_would_run_something_is_refused_and_does_not_run(tmp_path: Path) -> None:
    trace = tmp_path / "trace"

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.mkdir, (trace,)

    with pytest.raises(InvalidInput, match="more than plain data"):
        all_of("teachability", taught(tmp_path, {"1": ("asked", "learned"), "2": Evil()}))

    assert not trace.exists()


def test_a_folder_without_memos_and_a_pickle_of_something_else_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="path_to_db_dir"):
        all_of("teachability", tmp_path)
    with pytest.raises(InvalidInput, match="not what Teachability keeps"):
        all_of("teachability", taught(tmp_path, ["a list"]))
