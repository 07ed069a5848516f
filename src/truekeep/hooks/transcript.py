"""A session as its host wrote it down, ready to be extracted from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from truekeep.adapters.common.speech import readable
from truekeep.engine import admit
from truekeep.errors import InvalidInput
from truekeep.importers import transcripts
from truekeep.importers.records import Found
from truekeep.model import Message

_MOST_BYTES = 4 * 1024 * 1024  # of one job
_OUTCOME = 600  # characters
_SAID = "At the end of the last session the agent said: "


@dataclass(frozen=True, slots=True)
class Session:
    """What was said, in order; nothing of what nobody typed."""

    messages: Sequence[Message]
    is_unattended: bool = False

    def parts(self) -> Iterator[list[Message]]:
        """Cut so that each may be one job."""
        part: list[Message] = []
        size = 0
        for message in self.messages:
            length = len(message.content.encode())
            if part and size + length > _MOST_BYTES:
                yield part
                part, size = [], 0
            part.append(message)
            size += length
        if part:
            yield part

    def outcome(self) -> str | None:
        """How it ended: the beginning of what the agent said last, to the end of a sentence."""
        last = next((one.content for one in reversed(self.messages) if one.role == "assistant"), None)
        if last is None:
            return None
        text = " ".join(last.split())
        if len(text) > _OUTCOME:
            cut = text[:_OUTCOME]
            text = cut[: max(cut.rfind(end) for end in (". ", "! ", "? ")) + 1].strip() or f"{cut.rstrip()}..."
        return _SAID + text


def read(host: str, path: Path) -> Session:
    """The session in a file. Raises InvalidInput where there is none."""
    records = transcripts.READERS.get(host, transcripts.claude_code)(path)
    messages = [_message(one) for one in records if isinstance(one, Found)]
    return Session(messages, is_unattended=transcripts.is_unattended(path))


def _message(found: Found) -> Message:
    return Message(content=readable(str(found.content)), role=found.role, id=_id(found.id), when=found.when)


def _id(given: str | None) -> str | None:
    """None where no memory would accept it: what was said counts for more than that it is known again."""
    try:
        return admit.name(given, "id", admit.Limits())
    except InvalidInput:
        return None
