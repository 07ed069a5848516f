"""Cutting texts out of what jobs carry, word by whole word, without taking the rest of a transcript along."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from truekeep.model import JSON, SpaceId
from truekeep.stores.tables import to_json

from .cells import Cells, Space, job_of
from .rows import Rows

CUT = "…"  # without it, what stood left and right of a text might grow together to the same text
LABELS = frozenset({"session", "role", "speaker", "id", "when"})  # who and where; not what was said
# Scripts that set no spaces between words: Thai to Lao, Burmese, Khmer, kana, ideographs. There a text ends anywhere.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def cut_out(rows: Rows, row: Space, texts: Collection[str]) -> None:
    """Jobs that are still to be done lose the texts; those that are done or failed lose their whole payload."""
    telling = jobs_telling(rows, row, texts)
    rows.keep("jobs", row, list(telling.values()), list(telling))


def jobs_telling(rows: Rows, row: Space, texts: Collection[str]) -> dict[Cells, Cells]:
    """The jobs of the space that contain one of the texts, each with what shall be left of it."""
    found = {}
    sought = [to_json(text)[1:-1] for text in texts]  # as it looks within JSON
    for cells in rows.all("jobs", row) if texts else ():
        whole = f"{cells[2]}\n{cells[5]}\n{to_json(cells[6])}"
        if not any(text in whole for text in sought):  # most jobs need not be read
            continue
        job = job_of(SpaceId(row.tenant, row.name), cells)
        told: list[JSON] = [job.payload, job.result, job.error]
        payload, result, error = (without(one, texts) for one in told)
        if [payload, result, error] != told:
            left = payload if job.state in ("waiting", "running") else {}
            found[cells] = (*cells[:2], to_json(left), *cells[3:5], to_json(result), error, *cells[7:])
    return found


def without(told: JSON, texts: Collection[str]) -> JSON:
    """The same without the texts, in every string but labels."""
    if isinstance(told, str):
        return shortened(told, texts)
    if isinstance(told, Mapping):
        return {name: inner if name in LABELS else without(inner, texts) for name, inner in told.items()}
    if isinstance(told, list):
        return [without(inner, texts) for inner in told]
    return told


def shortened(told: str, texts: Collection[str]) -> str:
    here = sorted((text for text in texts if text in told), key=len, reverse=True)
    if not here:
        return told
    pattern = re.compile("|".join(_whole(text) for text in here))
    return pattern.sub("" if pattern.search(CUT) else CUT, told)


def _whole(text: str) -> str:
    """A pattern for the text where it is no part of a longer word."""
    before = r"(?<!\w)" if _joins(text[0]) else ""
    after = r"(?!\w)" if _joins(text[-1]) else ""
    return before + re.escape(text) + after


def _joins(character: str) -> bool:
    """Whether it makes one word with a letter beside it."""
    return re.match(r"\w", character) is not None and not UNSPACED.match(character)
