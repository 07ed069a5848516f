"""Teachability of classic AutoGen, and the task-centric memory of autogen-ext: memos in a pickle beside Chroma."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from truekeep.errors import InvalidInput

from . import chroma, times
from .files import whole_bytes
from .pickles import Husk, plain
from .records import Found, LeftOut, Raw

PAIRS = "uid_text_dict.pkl"  # Teachability: id → (what was asked, what was taught)
MEMOS = "uid_memo_dict.pkl"  # task-centric memory: id → a task, and an insight


def read(path: Path) -> Iterator[Raw]:
    """The memos of a folder, or of the pickle in it."""
    file = path if path.is_file() else next((path / name for name in (MEMOS, PAIRS) if (path / name).is_file()), None)
    if file is None:
        raise InvalidInput("path", f"{path} has neither {PAIRS} nor {MEMOS}: is it Teachability's path_to_db_dir?")
    memos = plain(whole_bytes(file), str(file))
    if not isinstance(memos, dict):
        raise InvalidInput("path", f"{file} is not what Teachability keeps there")
    written = {} if file.name == MEMOS else _times(file.parent)
    for id, memo in memos.items():
        yield _found(str(id), memo, written.get(str(id)))


def _found(id: str, memo: object, written: str | None) -> Raw:
    pair = (memo.fields.get("task"), memo.fields.get("insight")) if isinstance(memo, Husk) else memo
    if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], str)):
        return LeftOut(where=f"memo {id}", reason="is not a pair of texts")
    asked, taught = pair
    is_both = isinstance(asked, str) and asked.strip() and asked.strip() not in taught
    return Found(
        where=f"memo {id}",
        id=id,
        content=f"{asked}\n{taught}" if is_both else taught,  # the question is what it will be found by
        when=times.moment_or_none(written),
        metadata={"input": asked, "output": taught} if is_both else {},
    )


def _times(folder: Path) -> dict[str, str]:
    """When each memo was kept, where Chroma knows."""
    if not (folder / chroma.FILE).is_file():
        return {}
    return {row.id: row.written for row in chroma.rows(folder) if row.collection == "memos"}
