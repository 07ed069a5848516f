"""From what a source holds to what can be remembered: checked, named, and keyed so that it comes in once."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

from truekeep.engine import admit, requests
from truekeep.engine.admit import Limits
from truekeep.errors import InvalidInput
from truekeep.model import Source
from truekeep.model.items import is_over

from . import lines, markdown, mem0, stores, transcripts
from .fields import Fields, text_of
from .files import STDIN
from .records import Entry, Found, LeftOut, Raw, Record, Statement

_Reader = Callable[[Path, Fields, datetime], Iterator[Raw]]
_READERS: Mapping[str, _Reader] = {
    "mem0": lambda path, fields, now: mem0.read(path),
    "teachability": lambda path, fields, now: stores.read_teachability(path),
    "chroma": lambda path, fields, now: stores.read_chroma(path, fields),
    "langgraph": stores.read_langgraph,
    "jsonl": lambda path, fields, now: lines.read_json(path, fields),
    "csv": lambda path, fields, now: lines.read_csv(path, fields),
    "markdown": lambda path, fields, now: markdown.read(path, fields),
    "claude-code": lambda path, fields, now: transcripts.claude_code(path),
    "codex": lambda path, fields, now: transcripts.codex(path),
    "chatgpt": lambda path, fields, now: transcripts.chatgpt(path),
    "claude": lambda path, fields, now: transcripts.claude(path),
}
FORMATS = tuple(_READERS)
_OF_TEXT = ("jsonl", "csv", "markdown")  # these can come through a pipe
_FIXED = ("mem0", "teachability", "claude-code", "codex", "chatgpt", "claude")  # their fields have one meaning


def read(
    format: str,
    path: str | PathLike[str],
    *,
    source: str | None = None,
    map: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    now: datetime | None = None,
) -> Iterator[Record]:
    """What a file or folder of another program holds, in order.

    Args:
        format: one of `FORMATS`.
        path: the file or folder; nothing in it is changed. "-" is stdin, for text.
        source: the name of the source that all of it gets, so that it can be rolled back (`forget(source=...)`);
            default: "import:" and the name of the file.
        map: our name of a field → theirs, such as `{"content": "body"}`.
        limits: those of the memory that it is for.
        now: the present; what has expired by then is left out.

    Raises:
        InvalidInput: it cannot be read at all. A single record that is wrong comes as `LeftOut`.
    """
    place = admit.path(path, "path")
    if format not in _READERS:
        raise InvalidInput("format", f"{format!r} is not known; there are {', '.join(FORMATS)}")
    if str(place) == STDIN and format not in _OF_TEXT:
        raise InvalidInput("path", f"- is for {', '.join(_OF_TEXT)}; {format} needs a file or a folder")
    if map and format in _FIXED:
        raise InvalidInput("map", f"is not for {format}, whose fields have one meaning")
    if str(place) != STDIN and not place.exists():
        raise InvalidInput("path", f"there is no {place}")
    file = "stdin" if str(place) == STDIN else place.resolve().name
    name = admit.name(source or f"import:{file}", "source", limits or Limits())
    moment = now or datetime.now(UTC)
    return _checked(_READERS[format](place, Fields(map), moment), _Admission(format, name, limits or Limits(), moment))


def _checked(found: Iterator[Raw], admission: _Admission) -> Iterator[Record]:
    for raw in found:
        if isinstance(raw, LeftOut):
            yield raw
            continue
        try:
            yield admission.statement(raw) if isinstance(raw, Found) else admission.entry(raw)
        except InvalidInput as error:
            yield LeftOut(where=raw.where, reason=str(error))


class _Admission:
    """Checks what was found as `remember` would, so that a dry run tells the truth."""

    def __init__(self, format: str, source: str, limits: Limits, now: datetime) -> None:
        self._format, self._source, self._limits, self._now = format, source, limits, now
        self._records: Counter[str] = Counter()

    def statement(self, found: Found) -> Statement | LeftOut:
        ttl = None if found.expires is None else found.expires - self._now
        if is_over(found.expires, self._now):
            return LeftOut(where=found.where, reason="has expired", is_bad=False)
        content = text_of(found.content)
        if not isinstance(content, str) or not content.strip():
            return LeftOut(where=found.where, reason="has no text")
        arguments: dict[str, Any] = {
            "content": content,
            "kind": found.kind or None,
            "tags": found.tags,
            "metadata": dict(found.metadata),
            "source": Source(
                name=self._source,
                speaker=found.speaker,
                role=found.role,
                session=found.session,
                message=found.id,
            ),
            "when": found.when,
            "ttl": ttl,
            "derived": True,  # what was forgotten here does not come back by being imported once more
        }
        arguments["idempotency_key"] = self._key(arguments)
        requests.draft(self._limits, **arguments)
        return Statement(where=found.where, arguments=arguments)

    def entry(self, found: Entry) -> Entry:
        admit.name(found.key, "key", self._limits)
        admit.json_text(found.value, "value", self._limits.value_bytes)
        return found

    def _key(self, arguments: Mapping[str, Any]) -> str:
        """The same for the same record in every run. What changed in the source is another memory.

        What expires has another length of life in each run, and is known by its statement instead.
        """
        admit.metadata(arguments["metadata"], self._limits)  # or it may have no JSON
        told = json.dumps(arguments, sort_keys=True, default=str, ensure_ascii=True)
        digest = hashlib.blake2b(told.encode(), digest_size=16).hexdigest()
        id = arguments["source"].message
        if id is None and arguments["kind"] == "interaction":
            # "Thanks" twice is two records, and nothing else tells them apart.
            self._records[digest] += 1
            digest = f"{digest}:{self._records[digest]}"
        return f"import:{self._format}:{digest}" if id is None else f"import:{self._format}:{id[:128]}:{digest}"
