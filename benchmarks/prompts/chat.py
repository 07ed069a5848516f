"""The script of a chat, what is known beforehand, and how its requests are measured."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.sentences import sentences
from truekeep import Memory
from truekeep.adapters.common import FailOpen, is_recalled, strip_recalled
from truekeep.fence import RECALL_CLOSE, RECALL_OPEN

SYSTEM = "You are the assistant of a software team. Answer in one sentence, and say so when you do not know."
TURNS = (
    "Good morning! Which tools does Ana prefer these days?",
    "What is she allergic to, and what should I not offer her for lunch?",
    "And what does Ben think of pair programming?",
    "ok",
    "Who had trouble with PostgreSQL during the migration?",
    "What did we try since the outage in March that broke the build?",
    "Did anybody say what the staging cluster costs?",
    "Thanks!",
    "When is the meeting about the quarterly budget?",
    "Was it moved because of the customer?",
    "Please list everything about the invoice export.",
    "Which of these problems came up in the Berlin office?",
    "/compact",
    "Greta comes to visit. Which food should I order for her?",
    "Does she drink coffee or rather green tea?",
    "And Hugo, what does he always ask for when he is travelling?",
    "great, thank you",
    "Whose password expires soon?",
    "What do I have to ask Priya about the feature flags?",
    "Which decisions about Kubernetes were made for reasons of cost?",
)
KNOWN = 200  # items: ten times as many as a block shows

Request = Sequence[Mapping[str, Any]]  # messages with role and content, in the order in which a provider reads them


class Figures(NamedTuple):
    """Shares, from 0 to 1, over all pairs of requests that follow each other."""

    prefix: float
    """Of the bytes before the last user message, where a late block stands, those that the next request begins with."""
    lines: float
    """Of the lines of a block, those that the next one has as well."""


def reply(turn: int) -> str:
    """What the model answers; long enough that a history weighs something."""
    return f"Answer {turn}: as far as I know, that is the case, and somebody of the team should confirm it by Friday."


@contextmanager
def known(folder: Path) -> Iterator[Memory]:
    """A memory with what is known before the chat, and the model that ships."""
    with Memory("team", at=folder / "memory.db") as memory:
        memory.remember_many(sentences(KNOWN))
        memory.flush(60)
        yield memory


def patient() -> FailOpen:
    """On a busy machine nothing shall be late: what is measured is not time."""
    return FailOpen(deadline=60)


def measured(requests: Iterable[Request]) -> Figures:
    """The figures of the requests of a chat, one for each turn."""
    pairs = [*pairwise(requests)]
    repeated = sum(_alike(_before(first), _bytes(second)) for first, second in pairs)
    lines = [(block_lines(first), block_lines(second)) for first, second in pairs]
    return Figures(
        prefix=repeated / sum(len(_before(first)) for first, _ in pairs),
        lines=sum(len(first & second) for first, second in lines) / max(1, sum(len(first) for first, _ in lines)),
    )


def block_lines(request: Request) -> set[str]:
    """The lines of its recalled block, without the fence."""
    text = "\n".join(_text(message["content"]) for message in request)
    block = text.partition(RECALL_OPEN)[2].partition(RECALL_CLOSE)[0]
    return {*block.splitlines()[1:]}


def _before(request: Request) -> bytes:
    """What stands before the last thing that the user says, and before a block of its own above it."""
    places = [place for place, message in enumerate(request) if message["role"] == "user"]
    own = [place for place in places if not _is_block(request[place])]
    place = own[-1] if own else len(request)
    while place and place - 1 in places and _is_block(request[place - 1]):
        place -= 1
    return _bytes(request[:place])


def _alike(first: bytes, second: bytes) -> int:
    """How many bytes they begin with in common."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(first), len(second)))


def _is_block(message: Mapping[str, Any]) -> bool:
    text = _text(message["content"])
    return is_recalled(text) and not strip_recalled(text)


def _bytes(request: Request) -> bytes:
    return "".join(f"{json.dumps(message, ensure_ascii=False)}\n" for message in request).encode()


def _text(content: Any) -> str:
    """That of a message in whatever shape."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    return "\n".join(str(part.get("text", "")) if isinstance(part, Mapping) else str(part) for part in parts)
