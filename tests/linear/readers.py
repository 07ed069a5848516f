"""Everything that reads a text which somebody else wrote."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from truekeep.adapters.common.block import strip_recalled
from truekeep.engine import admit, asked, hygiene, tokens
from truekeep.engine.belief import Pair, Said, holds_until, verdicts
from truekeep.engine.messages import messages_of
from truekeep.engine.statement import statement
from truekeep.engine.verbs.context import TEMPLATES, Entry, Material
from truekeep.extractors.llm.prompt import Failing
from truekeep.extractors.llm.suggestions import items_of
from truekeep.extractors.prose import own_words
from truekeep.extractors.rules import RulesExtractor
from truekeep.fence import without_recalled
from truekeep.importers import transcripts
from truekeep.importers.drafts import read as imported
from truekeep.index import compounds, dates
from truekeep.index import tokens as terms
from truekeep.language import sentences
from truekeep.model import MemoryItem, Message, Source

Reader = Callable[[str], object]

NOW = datetime(2026, 11, 15, tzinfo=UTC)
_RULES = RulesExtractor()
_ADDRESS = "The crane service address is 12 Dock Street."


def readers(folder: Path) -> Mapping[str, Reader]:
    """All of them by name; what is imported is written into the folder first."""
    return {
        "admitted": lambda text: admit.content(text, admit.Limits(content_bytes=2**20)),
        "redacted": hygiene.redacted,
        "instructions": hygiene.poses_as_instruction,
        "statement": lambda text: statement(text, "Ana"),
        "period": lambda text: holds_until(text, NOW),
        "belief": _judged,
        "question": _asked,
        "terms": terms.text_terms,
        "query terms": terms.query_terms,
        "compounds": compounds.compound_terms,
        "dates": lambda text: dates.mentions(text, NOW.date()),
        "messages": messages_of,
        "sentences": lambda text: list(sentences(own_words(text))),
        "extract": lambda text: _RULES.extract([Message(content=text, role="user")]),
        "model's answer": _answered,
        "fence": lambda text: (without_recalled(text), strip_recalled(text)),
        "session": transcripts.own_words,
        "block": _packed,
        "tokens": tokens.estimate,
        **{format: _importing(format, folder) for format in ("markdown", "csv", "jsonl")},
        "heading": lambda text: _importing("markdown", folder)(f"# {text}"),
    }


def _judged(text: str) -> None:
    pairs = [
        (text, _ADDRESS),
        (f"It is not true that {_ADDRESS}", f"{_ADDRESS} {text}"),
        ("The crane works now.", f"The crane fails. {text}"),
        (text, f"{text} no longer"),
    ]
    for new, old in pairs:
        for kind in ("fact", "lesson"):
            said, before = Said(content=new, speaker="Ana", when=NOW), Said(content=old, kind=kind, when=NOW)
            verdicts([Pair(said, before, 0.9, 0.1)])


def _asked(text: str) -> None:
    speakers = tuple(sorted(set(text.split())))
    asked.read(text, today=NOW.date(), speakers=speakers, is_chat=True)
    asked.unanswered(text, set())


def _answered(text: str) -> None:
    for answer in (text, f"```json{text}", f"```json{text}```"):
        with suppress(Failing):
            items_of(answer)


def _packed(text: str) -> None:
    item = MemoryItem(
        id="i", content=text, kind="fact", source=Source(speaker=text), created=NOW, updated=NOW, when=NOW
    )
    material = Material(entries=[Entry(item=item, earlier=(text,))], lessons=[Entry(item=item)], query=text)
    for render in TEMPLATES.values():
        render(material)


def _importing(format: str, folder: Path) -> Reader:
    path = folder / f"page.{format}"

    def read(text: str) -> None:
        path.write_text({"jsonl": json.dumps({"content": text}), "csv": f"content,tags\n{text}"}.get(format, text))
        limits = admit.Limits(content_bytes=2**20)
        for _ in imported(format, path, limits=limits, now=NOW):
            pass

    return read
