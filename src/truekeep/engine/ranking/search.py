"""One query at work on one state of the index: what is nominated, and what each candidate is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truekeep.engine import asked
from truekeep.engine.guarded_embedder import Guarded
from truekeep.engine.parts import Parts
from truekeep.engine.vectorise import with_few
from truekeep.errors import EmbedderError
from truekeep.index.arms import Meaning, Words
from truekeep.index.arrays import Rows, united
from truekeep.index.date_terms import NAMES_A_TIME, period_terms
from truekeep.index.tokens import identifiers, word_term
from truekeep.model import Filters, Query, SpaceId

from . import rank

if TYPE_CHECKING:
    from truekeep.index.view import Mask, View
    from truekeep.language.dates import Period

SMALL = 250  # in a space of so few items, looking at each costs less than asking who shall be looked at
FEW_HOLDERS = 3  # items, or one in a hundred, that hold an identifier: more of them, and it identifies none
SCANNED = 500  # of the items of a period, or of the lessons: with more of them, the arms nominate among them


class Scored(NamedTuple):
    """Rows, and what they are worth."""

    rows: Rows
    coverage: rank.Scores  # the share of the query's words, by their rarity, 0 to 1
    similarity: rank.Scores  # cosine to the query; where there is no vector, the coverage
    score: rank.Scores

    def only(self, keep: slice | NDArray[np.intp] | NDArray[np.bool_]) -> Scored:
        return Scored(self.rows[keep], self.coverage[keep], self.similarity[keep], self.score[keep])


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    parts: Parts
    space: SpaceId
    view: View
    mask: Mask
    asked: asked.Asked
    words: Words
    reader: Guarded | None  # who knows the language of the query
    meaning: Meaning | None  # None: degraded, words answer alone
    vector: NDArray[np.float32] | None
    now: datetime
    exact: Rows  # those that hold an identifier of the query, which few others do
    is_exact: bool  # the query is nothing but that
    known_at: datetime | None

    @property
    def is_english(self) -> bool:
        """Whether the query is, or of a language that is the embedder's own business."""
        return self.reader is self.parts.embedder

    def candidates(self, count: int) -> Rows:
        """What any arm nominates: no arm gates."""
        if self.meaning is not None and self.view.live <= SMALL and not self.view.pending_count:
            return self.view.rows(self.mask)
        nominated = [self.exact, self.words.nominate(count), self.words.nominate_together(count)]
        if self.meaning is not None:
            nominated.append(self.meaning.nominate(count))
        if self.asked.periods:
            nominated.append(self.among(self._of_periods(), count))
        if self.asked.wants_lessons:
            nominated.append(self.among(self.view.of_kind("lesson", self.mask), count))
        return united(nominated)

    def among(self, rows: Rows, count: int) -> Rows:
        """All of the rows if they are few, else those that either arm puts first."""
        if len(rows) <= max(SCANNED, count):
            return rows
        by_words = self.words.of(rows)
        threshold = np.partition(by_words, -count)[-count]
        nominated: Rows = rows[by_words >= max(threshold, np.finfo(np.float32).tiny)]
        if self.vector is None:
            return nominated
        return united([nominated, Meaning(self.view, self.vector, self.view.only(rows)).nominate(count)])

    def _of_periods(self) -> Rows:
        rows = self.view.rows(self.mask)
        return rows[self._said_then(rows) | self._speaks_of_then(rows)]

    def scored(self, rows: Rows) -> Scored:
        coverage = self._coverage(rows)
        similarity = self._similarity(rows, coverage)
        return Scored(rows, coverage, similarity, rank.fused(self._made_of(rows, coverage, similarity)))

    def made_of(self, rows: Rows) -> list[rank.Part]:
        """What the score of each row is made of."""
        coverage = self._coverage(rows)
        return self._made_of(rows, coverage, self._similarity(rows, coverage))

    def _coverage(self, rows: Rows) -> rank.Scores:
        return self.words.of(rows) * self._unit()

    def _unit(self) -> np.float32:
        return np.float32(1 / max(self.words.ceiling, 1e-9))  # a ceiling is never reached

    def _similarity(self, rows: Rows, coverage: rank.Scores) -> rank.Scores:
        if self.meaning is None:
            return coverage
        similarity = self.meaning.of(rows)
        if self.view.pending_count:
            similarity = np.where(self.view.has_vectors(rows), similarity, coverage)
        if self.is_exact:
            similarity = np.where(self.names_it(rows), np.float32(1), similarity)
        return np.minimum(np.maximum(similarity, np.float32(0)), np.float32(1))

    def _made_of(self, rows: Rows, coverage: rank.Scores, similarity: rank.Scores) -> list[rank.Part]:
        parts = [rank.Part("words", coverage * np.float32(rank.WORDS))]
        if self.meaning is not None:
            parts.append(rank.Part("meaning", similarity - self.meaning.luck(rows)))
        lengths = np.log1p(np.minimum(self.view.column("length").take(rows), np.float32(rank.LONG_ENOUGH)))
        return [*parts, rank.Part("length", lengths * np.float32(rank.LENGTH)), *self.more(rows)]

    def more(self, rows: Rows) -> list[rank.Part]:
        """What counts besides the text itself: what stands around it, who said it, when, and what is asked for."""
        view, wanted, parts = self.view, self.asked, []
        if len(self.exact):
            parts.append(_bonus("identifier", self.names_it(rows), rank.IDENTIFIER))
        if view.turns is not None:
            near, session = self.words.lent(rows)
            near *= np.minimum(rank.SHORT_TURN / np.maximum(view.column("length").take(rows), 1), 1).astype(np.float32)
            parts.append(rank.Part("neighbours", near * (self._unit() * np.float32(rank.NEIGHBOURS))))
            parts.append(rank.Part("session", session * (self._unit() * np.float32(rank.SESSION))))
        if wanted.speakers:
            parts.append(_bonus("speaker", self._of_speaker(rows), rank.SPEAKER))
        if wanted.is_about_user:
            parts.append(_bonus("user", view.said_by_user(rows), rank.USER))
        if wanted.periods:
            parts.append(_bonus("said then", self._said_then(rows), rank.SAID_THEN))
            parts.append(_bonus("speaks of then", self._speaks_of_then(rows), rank.SPEAKS_OF_THEN))
        if wanted.wants_time:
            parts.append(_bonus("names a time", view.holding([NAMES_A_TIME], rows), rank.NAMES_TIME))
        if wanted.wants_lessons:
            parts.append(_bonus("lesson", view.is_kind("lesson", rows), rank.LESSON))
        return parts

    def names_it(self, rows: Rows) -> NDArray[np.bool_]:
        """Which rows hold what the query names to the letter."""
        return np.isin(rows, self.exact)

    def _of_speaker(self, rows: Rows) -> NDArray[np.bool_]:
        """Said by the person asked about; where nobody in particular said it, naming them is enough."""
        names = [word_term(name) for name in self.asked.names]
        return self.view.said_by(self.asked.speakers, rows) | (
            self.view.holding(names, rows) & ~self.view.has_speaker(rows)
        )

    def _said_then(self, rows: Rows) -> NDArray[np.bool_]:
        said = np.zeros(len(rows), np.bool_)
        for period in self.asked.periods:
            said |= self.view.said_between(*_bounds(period), rows)
        return said

    def _speaks_of_then(self, rows: Rows) -> NDArray[np.bool_]:
        return self.view.holding([term for period in self.asked.periods for term in period_terms(period)], rows)


def _bonus(name: str, earned: NDArray[np.bool_], worth: float) -> rank.Part:
    return rank.Part(name, earned * np.float32(worth))


def _bounds(period: Period) -> tuple[datetime, datetime]:
    first = datetime.combine(period.first, time(), UTC)
    return first, datetime.combine(period.last, time(), UTC) + timedelta(days=1)


def begin(query: Query, *, parts: Parts, space: SpaceId, now: datetime) -> Search:
    view = parts.indexes.refreshed(space)
    question = asked.read(query.text, today=now.date(), speakers=view.everybody, is_chat=view.is_chat)
    reader = parts.reader_of(query.text)
    try:
        vector = None if reader is None else reader.embed([question.text])[0]
    except EmbedderError:
        vector = None  # counted and logged by the guard; the answer says `degraded`
    # After the question: nothing that is wrong with other texts may keep it from being understood.
    if vector is not None:
        view = with_few(view, parts, space, asked=question.words)
    mask = _allowed(view, query.filters, question.periods, now)
    exact = _exact(view, query.text, mask)
    return Search(
        parts=parts,
        space=space,
        view=view,
        mask=mask,
        asked=question,
        words=Words(view, question.words, mask),
        reader=reader,
        meaning=None if vector is None else Meaning(view, vector, mask),
        vector=vector,
        now=now,
        exact=exact,
        is_exact=len(exact) > 0 and len(query.text.split()) == 1,
        known_at=query.filters.known_at,
    )


def _exact(view: View, text: str, mask: Mask) -> Rows:
    """The rows that hold a rare identifier of the text."""
    few = max(FEW_HOLDERS, view.live // 100)
    holders = [found.rows[view.alive.take(found.rows)] for found in view.postings.find(identifiers(text))]
    rows = united([rows for rows in holders if len(rows) <= few] or [np.empty(0, np.int32)])
    return rows if mask is None else rows[mask.take(rows)]


def _allowed(view: View, filters: Filters, periods: Sequence[Period], now: datetime) -> Mask:
    """What the filters let through, and what was true in a past period that is asked about, though it has ended."""
    mask = view.select(filters, now)
    if mask is None or filters.as_of or filters.known_at:
        return mask
    for period in periods:
        last = min(_bounds(period)[1] - timedelta(microseconds=1), now)
        then = view.select(replace(filters, as_of=last), now)
        if then is not None:
            rows = np.flatnonzero(then)
            mask[rows[~view.is_retired(rows)]] = True
    return mask
