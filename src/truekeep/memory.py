"""Memory: the handle that users hold."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias, cast

from .engine import admit, requests
from .engine.admit import Limits
from .engine.lines import Lines
from .engine.tokens import estimate
from .engine.verbs import values
from .engine.verbs.context import Material
from .errors import InvalidInput
from .hints import hinting
from .model import (
    JSON,
    Changes,
    Checkpoint,
    Diff,
    Explanation,
    Extraction,
    Feed,
    Imported,
    Job,
    Judged,
    Keep,
    MemoryItem,
    Message,
    Order,
    Page,
    Reader,
    Recall,
    Receipt,
    Redact,
    Remembered,
    Restoration,
    Review,
    Session,
    Source,
    Stats,
    Suspicion,
    Trust,
    Value,
)
from .ports import Embedder, Extractor, Judge

if TYPE_CHECKING:
    from .engine.runtime.local import Local
    from .remote import Remote

Messages = str | Sequence[str | Mapping[str, Any] | Message]
# What a handle holds: an engine in this process, or a client of a server. Both have a method for each of its verbs.
Engine: TypeAlias = "Local | Remote"


def handle(engine: Engine) -> Memory:
    """A memory on an engine that is open already; a server has one store and many spaces."""
    memory = Memory.__new__(Memory)
    memory._hold(engine)
    return memory


def material(memory: Memory, query: str, *, limit: int = 20, **filters: Any) -> Material:
    """What `context` would pack, for those who pack several memories into one budget."""
    asked, chosen = requests.context_query(query, memory._limits, limit=limit, **filters)
    return memory._engine.material(asked, chosen, limit=limit)


def is_served(memory: Memory) -> bool:
    """Whether a server is asked, rather than a store that this process opened itself."""
    return memory._engine.space.tenant == ""  # the key alone says which tenant


def tell_at_once(memory: Memory) -> None:
    """Let a served recall bring `answerable` with it: who reads it in an event loop cannot wait for a server, and who
    reads it in any case need not ask twice."""
    if is_served(memory):
        cast("Remote", memory._engine).at_once = True


@hinting
class Memory:
    """One named memory of an agent, a user or a team. Whoever opens the same space shares it.

    Safe to use from several threads and, on the same file, from several processes.

    Args:
        space: the name of the memory; any text up to 256 characters.
        at: where it lives: a path, `sqlite:///path`, `:memory:`, a database, `postgresql://...`, or the address of a
            server, `https://...`; several servers of one store are separated by commas. Default: a file in
            `TRUEKEEP_HOME` or in the platform's folder for data; `stats().path` tells.
        key: the access key of a served memory. The other arguments are then the server's own affair.
        embedder: what turns text into meaning; default: the local model inside the package.
        extractor: what reads durable statements out of conversations; default: rules.
        judge: what tells which statement changes which, what answers a question and what is worth keeping; default: the
            learned one inside the package. "rules": none, and rules decide alone, as they do while a judge fails.
        clock: a callable that returns the present as an aware datetime; for tests and replays.
        background: whether a thread does the upkeep; with False it is done inside the calls that cause it.
        limits: how much one call may bring.
        redact: what is done about secrets in what is said: "on" (the default: replaced by placeholders that name their
            kind), "flag" (kept and listed), "refuse" (InvalidInput), "off".
    """

    def __init__(
        self,
        space: str,
        *,
        at: str | os.PathLike[str] | None = None,
        key: str | None = None,
        embedder: Embedder | str | None = None,
        extractor: Extractor | str | None = None,
        judge: Judge | str | None = None,
        clock: Callable[[], datetime] | None = None,
        background: bool = True,
        limits: Limits | None = None,
        redact: Redact | None = None,
    ) -> None:
        # Here and not above: the engine needs NumPy, and `import truekeep` shall cost nothing.
        from .assembly import open_memory

        self._hold(
            open_memory(
                space,
                at=at,
                key=key,
                embedder=embedder,
                extractor=extractor,
                judge=judge,
                clock=clock,
                background=background,
                limits=limits,
                redact=redact,
            )
        )

    def _hold(self, engine: Engine) -> None:
        self._engine = engine
        self._limits = engine.limits
        self._abandoned = weakref.finalize(self, engine.abandon)
        self._abandoned.atexit = False  # the engine has its own drain at exit

    @property
    def space(self) -> str:
        """The name of this memory."""
        return self._engine.space.name

    def __repr__(self) -> str:
        return f"Memory({self.space!r}, at={self._engine.place!r})"

    def __reduce__(self) -> str:
        """Threads share a handle, processes share what it stands for."""
        raise TypeError(f"a memory cannot be pickled or copied; open it where it is used, as {self!r}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def remember(
        self,
        content: str,
        *,
        kind: str | None = None,
        tags: Collection[str] = (),
        metadata: Mapping[str, JSON] | None = None,
        session: str | None = None,
        speaker: str | None = None,
        source: Source | str | None = None,
        key: str | None = None,
        ttl: timedelta | float | None = None,
        pinned: bool = False,
        when: datetime | None = None,
        idempotency_key: str | None = None,
        derived: bool = False,
        judged: Judged = True,
    ) -> Remembered:
        """Keep a statement; when this returns, it survives a power cut and the next recall can find it.

        Args:
            content: the statement, up to 64 KiB; it comes back byte for byte.
            kind: preference, decision, fact (the default), lesson, context, interaction, temporary, or your own slug.
            tags: labels to filter by.
            metadata: any JSON that shall come back with the item.
            session: the conversation in which it was said.
            speaker: who said it.
            source: where it comes from, so that it can be rolled back as a whole (`forget(source=...)`).
            key: the claim key, such as "ana/language": another statement under the same key supersedes this one.
            ttl: after this time (a timedelta, or seconds) it is gone for good.
            pinned: always part of `context`, and never fading.
            when: since when it is true, if not since now.
            idempotency_key: a retry with the same key makes no second memory.
            derived: it was recorded or concluded rather than said to be kept: if it was forgotten before, it stays so
                (outcome "refused").
            judged: look for what the statement changes, or says again in other words. That happens in the background,
                right after this returns: equal statements and claim keys count at once, all else follows. "now" waits
                for the verdict, and the outcome tells it; False takes the statement as it is, as for history that
                comes from elsewhere.
        """
        draft = requests.draft(
            self._limits,
            content=content,
            kind=kind,
            tags=tags,
            metadata=metadata,
            session=session,
            speaker=speaker,
            source=source,
            key=key,
            ttl=ttl,
            pinned=pinned,
            when=when,
            idempotency_key=idempotency_key,
            derived=derived,
            judged=judged,
        )
        return self._engine.remember([draft])[0]

    def remember_many(self, items: Iterable[str | Mapping[str, Any]]) -> list[Remembered]:
        """Keep several statements in one transaction: all of them, or none.

        Args:
            items: strings, or mappings with the arguments of `remember`. `judged="now"` of one counts for all, where
                they are at most 64: more are judged in the background.
        """
        drafts = requests.drafts(items, self._limits)
        return self._engine.remember(drafts) if drafts else []

    def recall(
        self,
        query: str,
        *,
        limit: int = 5,
        kinds: Collection[str] | None = None,
        tags: Collection[str] | None = None,
        session: str | None = None,
        speaker: str | None = None,
        source: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        min_similarity: float = 0.0,
        min_answerable: float = 0.0,
        min_trust: Trust | None = None,
        include_superseded: bool = False,
        order: Order = "best",
    ) -> Recall:
        """Find what answers the query, best first.

        Args:
            query: a question or a topic, in any words.
            limit: at most this many matches, 1 to 1,000.
            kinds: any of these; `-kind` leaves one out: `["-interaction"]` is the long-term profile.
            tags: all of these.
            session: said in this conversation.
            speaker: said by this speaker.
            source: from the source of this name.
            since: true since then or later.
            until: true since before then.
            as_of: what was true at that time, as far as we know today.
            known_at: what we believed at that time, whatever we learned since; with `as_of`, of that time.
            min_similarity: leave out what is less similar in meaning, 0 to 1.
            min_answerable: find nothing where `answerable` is less, 0 to 1.
            min_trust: leave out what is trusted less: unknown, tool, agent, user.
            include_superseded: also what was replaced or has ended.
            order: "best", "confidence" or "newest".
        """
        return self._engine.recall(
            requests.query(
                query,
                self._limits,
                limit=limit,
                min_similarity=min_similarity,
                min_answerable=min_answerable,
                order=order,
                kinds=kinds,
                tags=tags,
                session=session,
                speaker=speaker,
                source=source,
                since=since,
                until=until,
                as_of=as_of,
                known_at=known_at,
                min_trust=min_trust,
                include_superseded=include_superseded,
            )
        )

    def context(
        self,
        /,
        query: str,
        *,
        max_tokens: int = 1000,
        limit: int = 20,
        template: str = "default",
        count_tokens: Callable[[str], int] | None = None,
        min_answerable: float | None = None,
        **filters: Any,
    ) -> str:
        """A block that is ready for a prompt: what matters for the query, within a token budget.

        The empty string when nothing is known of it, but for pinned items. An empty query gives the newest items.

        Args:
            query: what the agent is about to do or answer.
            max_tokens: the budget; it holds on the rendered text.
            limit: at most this many items.
            template: "default" (fenced and labelled), "plain" (bare bullets), "prompt" (bare, with the message).
            count_tokens: your model's tokeniser; the default errs on the safe side.
            min_answerable: stay silent where `answerable` is less, 0 to 1; default: 0.09, and 0 for a single word or a
                short task (at most two words that mean anything, and no question).
            **filters: those of `recall`.
        """
        admit.whole(max_tokens, "max_tokens", 1, self._limits.context_tokens)
        count = estimate if count_tokens is None else requests.token_counter(count_tokens)
        filters["min_answerable"] = min_answerable
        asked, chosen = requests.context_query(query, self._limits, limit=limit, **filters)
        return self._engine.context(asked, chosen, limit=limit, max_tokens=max_tokens, template=template, count=count)

    def extract(
        self,
        messages: Messages,
        *,
        session: str | None = None,
        wait: bool = True,
        idempotency_key: str | None = None,
    ) -> Extraction:
        """Keep what is durable in a conversation: preferences, decisions, facts, failed attempts.

        Args:
            messages: a transcript of "Name: text" lines, or messages such as `{"role": ..., "content": ...}`.
            session: the name of the conversation.
            wait: with False a durable job does it, also after the end of this process; `job(id)` tells its state.
            idempotency_key: a retry with the same key keeps nothing twice and begins no second job.
        """
        checked = None if session is None else admit.name(session, "session", self._limits)
        once = None if idempotency_key is None else admit.name(idempotency_key, "idempotency_key", self._limits)
        asked = requests.messages(messages, self._limits)
        return self._engine.extract(asked, session=checked, wait=admit.flag(wait, "wait"), idempotency_key=once)

    def job(self, id: str) -> Job:
        """The state of a job that `extract(wait=False)` began."""
        return self._engine.job(admit.name(id, "id", self._limits))

    def forget(
        self,
        id: str | None = None,
        *,
        kinds: Collection[str] | None = None,
        tags: Collection[str] | None = None,
        session: str | None = None,
        speaker: str | None = None,
        source: str | None = None,
        before: datetime | None = None,
        everything: bool = False,
        dry_run: bool = False,
    ) -> Receipt:
        """Erase one item, or all that the filters match, for good: from every answer and from the store's files.

        The same statement does not come back by extraction or import; an explicit `remember` may bring it back.

        Args:
            id: this item.
            kinds: any of these kinds.
            tags: all of these tags.
            session: said in this conversation.
            speaker: said by this speaker.
            source: from the source of this name: rolls it back as a whole.
            before: learned before this time.
            everything: the whole space, values included; leaves no trace that anything was forgotten.
            dry_run: erase nothing; the receipt tells what would be erased, and what would be believed again.

        Raises:
            NotFound: `id` is a text, not an id. An id that nobody has (any more) erases nothing: `erased` is empty.
        """
        given = {"kinds": kinds, "tags": tags, "session": session, "speaker": speaker, "source": source}
        chosen = {name: value for name, value in {**given, "before": before}.items() if value is not None}
        ways = (id is not None) + bool(chosen) + admit.flag(everything, "everything")
        if ways == 0:
            raise InvalidInput("id", "say what to forget: an id, filters, or everything=True")
        if ways > 1:
            raise InvalidInput("id", "give either an id, or filters, or everything=True")
        admit.flag(dry_run, "dry_run")
        if everything and dry_run:
            raise InvalidInput("dry_run", "is for an id or filters; everything=True leaves nothing")
        if everything:
            return self._engine.forget_everything()
        if id is not None:
            return self._engine.forget([admit.name(id, "id", self._limits)], dry_run=dry_run)
        for name in chosen.keys() & {"kinds", "tags"}:
            if not chosen[name]:  # no filter at all elsewhere; here that would erase everything
                raise InvalidInput(name, "is empty; say what to forget")
        matching = requests.filters(self._limits, **chosen, include_superseded=True)
        return self._engine.forget_matching(matching, dry_run=dry_run)

    def checkpoint(self, name: str) -> Checkpoint:
        """Give the present moment a name, to compare with it or to go back to it; at most 1,000 a space.

        Raises:
            Conflict: there is a checkpoint of that name, or there are 1,000.
        """
        return self._engine.checkpoint(admit.name(name, "name", self._limits))

    def checkpoints(self) -> list[Checkpoint]:
        """The moments that have a name, oldest first."""
        return self._engine.checkpoints()

    def drop_checkpoint(self, name: Checkpoint | str) -> None:
        """Let go of a checkpoint, and of former values that were kept for it alone. What is believed stays.

        Raises:
            NotFound: there is no checkpoint of that name.
        """
        self._engine.drop_checkpoint(requests.checkpoint(name, "name", self._limits))

    def diff(self, since: Checkpoint | str, until: Checkpoint | str | None = None) -> Diff:
        """How what is believed differs between two checkpoints; what was forgotten is only counted.

        Args:
            since: the earlier checkpoint, or its name.
            until: the later one; without it, now.

        Raises:
            NotFound: there is no checkpoint of that name.
        """
        later = None if until is None else requests.checkpoint(until, "until", self._limits)
        return self._engine.diff(requests.checkpoint(since, "since", self._limits), later)

    def restore(self, checkpoint: Checkpoint | str, *, dry_run: bool = False) -> Restoration:
        """Believe again what was believed at a checkpoint, by new changes: the history of every item stays.

        What came since is withdrawn, what was superseded or corrected is as it was, values too. What was forgotten
        stays forgotten. The moment before gets a checkpoint of its own (`made`), so that this can be undone as well;
        a restore that was interrupted is finished by calling it again.

        Args:
            checkpoint: the moment, or its name.
            dry_run: change nothing, and tell what would be taken back.

        Raises:
            NotFound: there is no checkpoint of that name.
        """
        name = requests.checkpoint(checkpoint, "checkpoint", self._limits)
        return self._engine.restore(name, dry_run=admit.flag(dry_run, "dry_run"))

    def fork(self, name: str, *, at: Checkpoint | str | None = None) -> Checkpoint:
        """Copy this space into a new one: items with their history, values and what must stay forgotten.

        Args:
            name: that of the new space; open it as any other.
            at: as of this checkpoint; without it, as of now.

        Returns:
            The checkpoint "forked" of the new space: its first moment.

        Raises:
            Conflict: the new space holds something already.
        """
        moment = None if at is None else requests.checkpoint(at, "at", self._limits)
        return self._engine.fork(admit.name(name, "name", self._limits), moment)

    def review(self, *, limit: int = 100) -> Review:
        """What waits for somebody to look at it: doubts, items in quarantine, mentions of who was erased; latest first.

        Args:
            limit: at most this many of each, 1 to 1,000.
        """
        return self._engine.review(limit=admit.whole(limit, "limit", 1, self._limits.results))

    def resolve(self, suspicion: Suspicion | str, *, keep: Keep) -> Suspicion:
        """Settle a doubt, and return both items as they are now.

        Args:
            suspicion: one of those that `review` lists, or its id.
            keep: "newer" (it supersedes the older one), "older" (the newer one was wrong), or "both".
        """
        older, newer = requests.doubt(suspicion, self._limits)
        return self._engine.resolve(older, newer, requests.keep(keep))

    def release(self, id: str) -> MemoryItem:
        """Let an item out of quarantine after somebody looked at it: from now on it is recalled like any other.

        One that mentions somebody who was erased stays, and waits for review no longer.
        """
        return self._engine.release(admit.name(id, "id", self._limits))

    def history(self, id: str) -> list[MemoryItem]:
        """Every version of an item and of those it replaced or was replaced by, oldest first, each with its reason."""
        return self._engine.history(admit.name(id, "id", self._limits))

    def correct(
        self,
        id: str,
        content: str | None = None,
        *,
        kind: str | None = None,
        tags: Collection[str] | None = None,
        metadata: Mapping[str, JSON] | None = None,
        pinned: bool | None = None,
        ttl: timedelta | float | None = None,
        idempotency_key: str | None = None,
    ) -> MemoryItem:
        """Edit one item; what is not given stays. The former version is kept in its history.

        A retry with the same idempotency key changes nothing and returns the item as it is by then.
        """
        edits = requests.edits(
            self._limits, content=content, kind=kind, tags=tags, metadata=metadata, pinned=pinned, ttl=ttl
        )
        once = None if idempotency_key is None else admit.name(idempotency_key, "idempotency_key", self._limits)
        return self._engine.correct(admit.name(id, "id", self._limits), edits, admit.ttl(ttl), idempotency_key=once)

    def items(self, /, *, limit: int = 100, offset: int = 0, **filters: Any) -> list[MemoryItem]:
        """Items as they are, newest first; takes the filters of `recall`."""
        admit.whole(limit, "limit", 1, self._limits.results)
        admit.whole(offset, "offset", 0, sys.maxsize)
        return self._engine.items(requests.filters(self._limits, **filters), limit=limit, offset=offset)

    def page(self, /, *, limit: int = 100, cursor: str | None = None, **filters: Any) -> Page:
        """Items, newest first, a page at a time; what is added meanwhile neither repeats nor hides others.

        Args:
            limit: at most this many.
            cursor: that of the page before.
            **filters: those of `recall`.
        """
        admit.whole(limit, "limit", 1, self._limits.results)
        after = None if cursor is None else admit.name(cursor, "cursor", self._limits)
        return self._engine.page(requests.filters(self._limits, **filters), limit=limit, cursor=after)

    def item(self, id: str) -> MemoryItem:
        """One item as it is now, superseded or not.

        Raises:
            NotFound: there is no item `id`.
        """
        return self._engine.item(admit.name(id, "id", self._limits))

    def changes(self, after: int = 0, *, limit: int = 1000) -> Changes:
        """What changed after a cursor: the latest state of each item, and which were erased, in order.

        Args:
            after: the cursor of the answer before; 0 begins at the beginning.
            limit: at most this many.
        """
        admit.whole(after, "after", 0, 2**63 - 1)
        return self._engine.changes(after, limit=admit.whole(limit, "limit", 1, 10 * self._limits.results))

    def feed(self, reader: str, *, limit: int = 100, wait: timedelta | float | None = None) -> Feed:
        """What changed in any space, after what this reader has acknowledged; of each space in order.

        Nothing is lost: until `acknowledge` is called with the feed's positions, the same is told again. A new reader
        begins at the beginning.

        Args:
            reader: a name, under which it is kept how far somebody has come.
            limit: at most this many.
            wait: so long for a change, if there is none yet; a server waits for a minute at most.
        """
        admit.whole(limit, "limit", 1, self._limits.results)
        span = timedelta(0) if wait is None else admit.span(wait, "wait")
        return self._engine.feed(admit.name(reader, "reader", self._limits), limit=limit, wait=span)

    def acknowledge(self, reader: str, positions: Mapping[str, int] | None = None) -> Reader:
        """Note that a reader has dealt with what it was told.

        Args:
            reader: its name.
            positions: those of the feed; None: all that has changed until now.
        """
        if positions is not None:
            positions = requests.positions(positions, self._limits)
        return self._engine.acknowledge(admit.name(reader, "reader", self._limits), positions)

    def readers(self) -> list[Reader]:
        """Those who follow the changes of all spaces, by name."""
        return self._engine.readers()

    def drop_reader(self, reader: str) -> None:
        """Forget how far a reader has come.

        Raises:
            NotFound: there is no such reader.
        """
        self._engine.drop_reader(admit.name(reader, "reader", self._limits))

    def sessions(self) -> list[Session]:
        """The conversations that something is remembered of, latest first."""
        return self._engine.sessions()

    def explain(self, /, query: str, id: str | None = None, *, limit: int = 5, **filters: Any) -> list[Explanation]:
        """Why each match was found, or why the item `id` was not. Counts as no access.

        Raises:
            NotFound: there is no item `id`.
        """
        asked = requests.query(query, self._limits, limit=limit, **{"min_similarity": 0.0, "order": "best"} | filters)
        return self._engine.explain(asked, None if id is None else admit.name(id, "id", self._limits))

    def get(self, key: str, default: Any = None) -> Any:
        """The JSON value under a key, or the default."""
        found = self.value(key)
        return default if found is None else found.value

    def value(self, key: str) -> Value | None:
        """The value under a key with its version and times; None when there is none."""
        return self._engine.value(admit.name(key, "key", self._limits))

    def set(
        self,
        key: str,
        value: JSON,
        *,
        ttl: timedelta | float | None = None,
        if_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> Value | None:
        """Keep JSON under a key; None deletes it.

        Args:
            key: any name up to 256 characters.
            value: any JSON up to 16 MiB.
            ttl: after this time (a timedelta, or seconds) it is gone; without it, it stays.
            if_version: only if this is the present version (0: only if there is none); else Conflict is raised.
            idempotency_key: a retry with the same key changes nothing and returns the value as it is by then.
        """
        admit.json_text(value, "value", self._limits.value_bytes)
        edit = values.Replace(value, if_version)
        return self._edit(key, edit, admit.ttl(ttl) or timedelta.max, idempotency_key=idempotency_key)

    def append(self, key: str, element: JSON, *, idempotency_key: str | None = None) -> Value:
        """Add an element to the list under a key, atomically; a missing list begins empty."""
        admit.json_text(element, "element", self._limits.value_bytes)
        return values.kept(self._edit(key, values.Append(element, self._limits), idempotency_key=idempotency_key))

    def increment(self, key: str, by: float = 1, *, idempotency_key: str | None = None) -> Value:
        """Add to the number under a key, atomically; a missing number begins at 0."""
        return values.kept(self._edit(key, values.Increment(by), idempotency_key=idempotency_key))

    def delete(self, key: str) -> bool:
        """Delete the value under a key; whether there was one. Items are erased by `forget`."""
        return self._engine.delete_value(admit.name(key, "key", self._limits))

    def keys(self) -> list[str]:
        """The keys that have a value, sorted."""
        return self._engine.keys()

    def _edit(
        self, key: str, edit: values.Edit, ttl: timedelta | None = None, *, idempotency_key: str | None
    ) -> Value | None:
        once = None if idempotency_key is None else admit.name(idempotency_key, "idempotency_key", self._limits)
        return self._engine.edit_value(admit.name(key, "key", self._limits), edit, ttl, idempotency_key=once)

    def stats(self) -> Stats:
        """How much is where: the path, the number of items, pending work, failures."""
        return self._engine.stats()

    def export(self) -> Iterator[str]:
        """The whole space as lines of JSON, ready for `writelines`; see the reference of the export format."""
        return self._engine.export()

    def import_(self, lines: Iterable[str] | Path) -> Imported:
        """Restore an export into this space: all of it, or nothing if a line is malformed.

        What is here already and at least as new stays as it is, so an import can be repeated; what was forgotten
        here does not come back.
        """
        if isinstance(lines, Path):
            try:
                with lines.open("rb") as file:
                    return self._engine.import_(Lines(file))
            except OSError as error:
                raise InvalidInput("lines", f"cannot be read: {error.strerror}") from error
        if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
            raise InvalidInput("lines", "must be lines or a Path; a string is taken for neither")
        return self._engine.import_(list(lines))

    def backup(self, target: str | os.PathLike[str]) -> None:
        """A complete copy of the store (all its spaces) in one new file, while others read and write."""
        self._engine.backup(admit.path(target, "target"))

    def check(self) -> list[str]:
        """Read the whole store and tell what is damaged, in plain words; [] when it is sound."""
        return self._engine.check()

    def flush(self, limit: timedelta | float = 60) -> bool:
        """Do the waiting background work now: vectors, jobs, access counts.

        Args:
            limit: how long at most (a timedelta, or seconds).

        Returns:
            Whether all is done.
        """
        return self._engine.flush(admit.span(limit, "limit"))

    def close(self) -> None:
        """Finish the waiting work within a limit and release everything; deletes nothing. Harmless when repeated."""
        self._abandoned.detach()
        self._engine.close()
