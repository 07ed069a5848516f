"""`LLMExtractor`: ask the model, keep what it can cite, and let the rules do what it cannot."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from truekeep.errors import ConfigurationError
from truekeep.extractors.rules import RulesExtractor
from truekeep.model import Draft, ExtractionReport, Message
from truekeep.ports import Account, Extracted, Extractor

from .endpoint import Budget, Endpoint, OwnAccount, Purse
from .prompt import Failing, Question, chunks, lines_of, question
from .suggestions import drafts_of, items_of

log = logging.getLogger(__name__)

REST = 30.0  # seconds in which an endpoint that is out of order is left alone


class LLMExtractor:
    """Asks a model behind an OpenAI-compatible endpoint what is worth keeping, and checks what it says.

    A suggestion is kept only if it quotes the message that it names. Whatever goes wrong with the endpoint, its answer
    or the budget, the rules read what the model did not, and the report says why; it never raises for that.

    Args:
        base_url: up to and without `/chat/completions`: `http://localhost:11434/v1`.
        model: as the endpoint calls it.
        key: sent as a bearer token; shown nowhere.
        timeout: for one request.
        limit: for a whole extraction, with all its requests and pauses; default: three times the timeout.
        retries: how often a request is repeated that failed in a way that may pass.
        budget: what each tenant may use, in all its spaces together.
        fallback: who reads what the model could not; default: the rules.
        read_tools: also read what tools and systems say, and keep it with the trust of a tool.
        chunk_bytes: how much of a conversation is sent in one request.
        answer_tokens: how long one answer may be.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str | None = None,
        timeout: timedelta = timedelta(seconds=20),
        limit: timedelta | None = None,
        retries: int = 2,
        budget: Budget | None = None,
        fallback: Extractor | None = None,
        read_tools: bool = False,
        chunk_bytes: int = 24_000,
        answer_tokens: int = 4_096,
    ) -> None:
        self._limit = 3 * timeout if limit is None else limit
        if timeout <= timedelta(0) or self._limit <= timedelta(0) or chunk_bytes < 1_000:
            raise ConfigurationError("the extractor needs a timeout, a limit and chunk_bytes >= 1000")
        self._endpoint = Endpoint(base_url, model, key=key, retries=retries, answer_tokens=answer_tokens)
        self._timeout = timeout.total_seconds()
        self._budget = budget or Budget()
        self.fallback: Extractor = fallback or RulesExtractor()
        self._read_tools = read_tools
        self._chunk_bytes = chunk_bytes
        self._own_account = OwnAccount()
        self._resting_until = 0.0

    @property
    def name(self) -> str:
        return f"llm/{self._endpoint.model}"

    @property
    def time_limit(self) -> timedelta:
        return self._limit

    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        """Without a memory the budget holds for as long as this object lives."""
        return list(self.extract_within(messages, account=self._own_account).drafts)

    def extract_within(
        self, messages: Sequence[Message], *, account: Account, settled: Collection[int] = ()
    ) -> Extracted:
        began = time.monotonic()
        purse = Purse(self._budget, account)
        numbered = [_numbered(message, place) for place, message in enumerate(messages)]
        read = self._read(numbered, settled, purse, began + self._limit.total_seconds())
        drafts, fallback = read.drafts, None
        if read.failure is not None:
            fallback = str(read.failure)
            log.warning("the model at %s could not extract, the rules do: %s", self._endpoint.host, fallback)
            rest = [message for place, message in enumerate(numbered) if place >= read.reached and place not in settled]
            drafts = [*drafts, *self.fallback.extract(rest)]
        report = ExtractionReport(
            extractor=self.name,
            calls=purse.calls,
            prompt_tokens=purse.prompt_tokens,
            completion_tokens=purse.completion_tokens,
            dropped=read.dropped,
            fallback=fallback,
            seconds=round(time.monotonic() - began, 3),
        )
        return Extracted(drafts, report)

    def _read(self, messages: list[Message], settled: Collection[int], purse: Purse, until: float) -> _Read:
        """What the model finds, portion by portion, until the first that fails."""
        lines = lines_of(messages, settled, read_tools=self._read_tools, chunk_bytes=self._chunk_bytes)
        drafts: list[Draft] = []
        known: set[tuple[int, str]] = set()
        dropped = 0
        for chunk in chunks(lines, self._chunk_bytes):
            try:
                items = self._items(question(chunk), purse, until)
                found = drafts_of(items, chunk, known=known)
                dropped += len(items) - len(found)
                if items and not found:
                    raise Failing("nothing of the answer could be found in the conversation")
            except Failing as failure:
                if failure.tires:
                    self._resting_until = time.monotonic() + REST
                reached = next(line.place for line in chunk if not line.is_settled)
                return _Read(drafts, dropped, failure, reached)
            drafts += found
        return _Read(drafts, dropped, None, len(messages))

    def _items(self, asked: Question, purse: Purse, until: float) -> list[object]:
        if time.monotonic() < self._resting_until:
            raise Failing("the endpoint rests after a failure")
        if time.monotonic() >= until:
            raise Failing("the time for the extraction was used up")
        reply = self._endpoint.ask(asked, timeout=self._timeout, until=until, purse=purse)
        return items_of(reply.text)

    def __repr__(self) -> str:
        return f"LLMExtractor(host={self._endpoint.host!r}, model={self._endpoint.model!r})"


class _Read(NamedTuple):
    drafts: list[Draft]
    dropped: int
    failure: Failing | None
    reached: int  # place of the first message that was not read


def _numbered(message: Message, place: int) -> Message:
    """With an id, so that whoever reads only a part of the conversation cites the right message."""
    return message if message.id is not None else replace(message, id=str(place))
