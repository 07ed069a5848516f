"""Cutting erased texts out of jobs, without taking the rest of a transcript along."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping

import apsw

from recollect.model import JSON

from .jobs import JOB, rewrite_job
from .rows import Columns, query, to_json, verified
from .spaces import Space

PAYLOAD, STATE, RESULT, ERROR = 3, 4, 6, 7  # places among the columns of a job
CUT = "…"  # without it, what stood left and right of a text might grow together to the same text
LABELS = frozenset({"session", "role", "speaker", "id", "when"})  # who and where; not what was said
# Scripts that set no spaces between words: Thai to Lao, Burmese, Khmer, kana, ideographs. There a text ends anywhere.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def cut_out(connection: apsw.Connection, row: Space, texts: Collection[str]) -> None:
    """Jobs that are still to be done lose the texts; those that are done or failed lose their whole payload."""
    for old in _telling(connection, row.id, texts):
        new = list(old[:-1])
        is_open = new[STATE] in ("waiting", "running")
        new[PAYLOAD] = to_json(_without(json.loads(new[PAYLOAD]), texts)) if is_open else "{}"
        new[RESULT] = to_json(_without(json.loads(new[RESULT]), texts))
        new[ERROR] = None if new[ERROR] is None else _shortened(new[ERROR], texts)
        rewrite_job(connection, row, old, tuple(new))


def jobs_telling(connection: apsw.Connection, space: int, texts: Collection[str]) -> int:
    """How many jobs of the space contain one of the texts."""
    return len(_telling(connection, space, texts))


def _telling(connection: apsw.Connection, space: int, texts: Collection[str]) -> list[Columns]:
    sought = [to_json(text)[1:-1] for text in texts]  # as it looks within JSON
    found = []
    for columns in query(connection, f"{JOB} WHERE space = ?", (space,)):
        whole = f"{columns[PAYLOAD]}\n{columns[RESULT]}\n{to_json(columns[ERROR])}"
        if any(text in whole for text in sought):  # most jobs need not be read
            verified("jobs", columns, columns[1])
            told = [json.loads(columns[PAYLOAD]), json.loads(columns[RESULT]), columns[ERROR]]
            if _without(told, texts) != told:
                found.append(columns)
    return found


def _without(told: JSON, texts: Collection[str]) -> JSON:
    """The same without the texts, in every string but labels."""
    if isinstance(told, str):
        return _shortened(told, texts)
    if isinstance(told, Mapping):
        return {name: inner if name in LABELS else _without(inner, texts) for name, inner in told.items()}
    if isinstance(told, list):
        return [_without(inner, texts) for inner in told]
    return told


def _shortened(told: str, texts: Collection[str]) -> str:
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
