"""An index without its dead: as arrays, to go on with, and as bytes, to open quickly next time.

Bytes of a snapshot are used in place when it is opened; nothing is parsed but a small header. What was erased is not in
it: dead rows, terms that no live row holds, and names that no live row bears are left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from . import columns, vectors
from .arrays import Array, Schema, blank
from .columns import Counts
from .postings import Segment, kept
from .view import View

FORMAT = 3
_POSTINGS: Schema = {
    "terms": (np.uint64, ()),
    "offsets": (np.int64, ()),
    "rows": (np.int32, ()),
    "counts": (np.uint8, ()),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact:
    """Everything that an index holds, with live rows only."""

    items: dict[str, Array]
    passages: dict[str, Array]
    postings: Segment
    names: dict[str, list[str]]
    other_ids: dict[int, str]
    counts: Counts


def empty(dimension: int) -> Compact:
    """What an index starts from."""
    return Compact(
        items=blank(columns.SCHEMA),
        passages=blank(vectors.schema(dimension)),
        postings=Segment(**blank(_POSTINGS)),
        names={column: [] for column in columns.NAMED},
        other_ids={},
        counts=Counts(),
    )


def compact(view: View) -> Compact:
    """What is alive in a view, renumbered without gaps."""
    rows = np.flatnonzero(view.alive)
    renumbered = np.full(view.size, -1, np.int32)
    renumbered[rows] = np.arange(len(rows), dtype=np.int32)
    passages, moved = _passages(view, renumbered)
    items = {name: view.column(name)[rows] for name in columns.SCHEMA}
    known = items["first"] != columns.NONE_YET
    items["first"][known] = moved[items["first"][known]]
    names = {}
    for column in columns.NAMED:
        names[column], items[column] = _names(view, column, items[column])
    others = {int(renumbered[row]): id for row, id in list(view.other_ids.items()) if row < view.size}
    return Compact(
        items=items,
        passages=passages,
        postings=kept(view.postings.whole(), renumbered),
        names=names,
        other_ids={row: id for row, id in others.items() if row >= 0},
        counts=replace(view.counts, dead=0, mortal=int(np.count_nonzero(items["flags"] & columns.MORTAL))),
    )


def _passages(view: View, renumbered: Array) -> tuple[dict[str, Array], Array]:
    """The passages of live rows, and where each passage has moved to."""
    size = view.passages.size
    owners = renumbered[view.passages.columns["owner"][:size]]
    stay = owners >= 0
    moved = np.cumsum(stay, dtype=np.int32) - 1
    kept_columns = {name: column[:size][stay] for name, column in view.passages.columns.items()}
    return {**kept_columns, "owner": owners[stay]}, np.append(moved, np.int32(0))


def _names(view: View, column: str, codes: Array) -> tuple[list[str], Array]:
    used, places = np.unique(np.append(codes, 0), return_inverse=True)  # 0, None, keeps its place
    names = view.names[column]
    return [names[code] or "" for code in used[1:].tolist()], places[:-1].astype(np.int32)


def pack(content: Compact, *, dimension: int) -> dict[str, bytes]:
    header = {
        "format": FORMAT,
        "dimension": dimension,
        "counts": asdict(content.counts),
        "names": content.names,
        "other_ids": list(content.other_ids.items()),
        "sizes": [len(content.items["seq"]), len(content.passages["owner"])],
    }
    arrays = {
        **{f"item.{name}": column for name, column in content.items.items()},
        **{f"passage.{name}": column for name, column in content.passages.items()},
        **{f"posting.{name}": column for name, column in content.postings._asdict().items()},
    }
    parts = {name: np.ascontiguousarray(array).tobytes() for name, array in arrays.items()}
    return {"header": json.dumps(header).encode(), **parts}


def unpack(parts: Mapping[str, bytes], *, dimension: int) -> Compact:
    """Raises ValueError for anything but a complete snapshot of this format and dimension."""
    try:
        header = json.loads(parts["header"])
        if header["format"] != FORMAT or header["dimension"] != dimension:
            raise ValueError(f"snapshot of format {header['format']}, dimension {header['dimension']}")
        items, passages = header["sizes"]
        content = Compact(
            items=_columns(parts, "item", columns.SCHEMA, items),
            passages=_columns(parts, "passage", vectors.schema(dimension), passages),
            postings=Segment(**_columns(parts, "posting", _POSTINGS)),
            names={column: list(header["names"][column]) for column in columns.NAMED},
            other_ids={int(row): str(id) for row, id in header["other_ids"]},
            counts=Counts(**header["counts"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"incomplete snapshot: {error}") from error
    _check(content)
    return content


def _columns(parts: Mapping[str, bytes], prefix: str, schema: Schema, size: int | None = None) -> dict[str, Any]:
    arrays = {}
    for name, (kind, cell) in schema.items():
        array = np.frombuffer(parts[f"{prefix}.{name}"], kind).reshape(-1, *cell)
        if size is not None and len(array) != size:
            raise ValueError(f"snapshot part {prefix}.{name} has {len(array)} rows, not {size}")
        arrays[name] = array
    return arrays


def _check(content: Compact) -> None:
    """Numbers that point somewhere must point inside: a search must never fail on a snapshot that opened."""
    items, passages, postings = len(content.items["seq"]), len(content.passages["owner"]), content.postings
    codes = [(content.items[column], 0, len(content.names[column])) for column in columns.NAMED]
    bounds = [
        *codes,
        (content.passages["owner"], 0, items - 1),
        (content.items["first"], columns.NONE_YET, passages),
        (content.items["passages"], 0, passages),
        (content.items["first"].astype(np.int64) + content.items["passages"], columns.NONE_YET, passages),
        (postings.rows, 0, items - 1),
        (np.diff(postings.offsets), 1, len(postings.rows)),
    ]
    inside = all(not len(array) or (array.min() >= low and array.max() <= high) for array, low, high in bounds)
    ends = len(postings.offsets) == len(postings.terms) + 1 and postings.offsets[-1] == len(postings.rows)
    if not inside or not ends or len(postings.counts) != len(postings.rows) or content.counts.live != items:
        raise ValueError("snapshot whose numbers contradict each other")
