"""The tools of the MCP server."""

# Without postponed annotations: the SDK looks at the types of these methods itself.

import inspect
import json
from collections.abc import Callable, Collection
from hashlib import blake2b
from typing import Annotated, Any

from pydantic import Field, JsonValue

from truekeep.adapters.common import recall_block, verbs
from truekeep.adapters.common.verbs import (
    MOST_RECALLED,
    NOT_THERE,
    NOTHING_FOUND,
    about,
    fenced,
    forgotten,
    refusal,
    remembered,
    unknown,
)
from truekeep.engine.tokens import estimate
from truekeep.errors import Conflict, NotFound
from truekeep.memory import Memory
from truekeep.model import MemoryItem

from .doors import Door, Needs, Reach
from .results import (
    CheckpointResult,
    ContextResult,
    DiffResult,
    ForgetResult,
    HistoryResult,
    Item,
    RecallResult,
    RememberResult,
    ValueResult,
    Version,
    answer,
    diff_shown,
    excuse,
    value_shown,
)
from .versions import CallToolResult, ToolAnnotations, ToolError

_MOST_FORGOTTEN = 100
_MOST_SHOWN = 20  # of each kind of difference

Content = Annotated[str, Field(description=about(verbs.Content))]
Kind = Annotated[str, Field(description=about(verbs.Kind))]
Tags = Annotated[list[str] | None, Field(description=about(verbs.Tags))]
ClaimKey = Annotated[str | None, Field(description=about(verbs.Key))]
Days = Annotated[float | None, Field(description=about(verbs.Days), gt=0)]
Query = Annotated[str, Field(description=about(verbs.Query))]
Limit = Annotated[int, Field(description=about(verbs.Limit), ge=1, le=MOST_RECALLED)]
Kinds = Annotated[list[str] | None, Field(description=about(verbs.Kinds))]
AllTags = Annotated[list[str] | None, Field(description=about(verbs.AllTags))]
Superseded = Annotated[bool, Field(description=about(verbs.Superseded))]
MaxTokens = Annotated[int, Field(description="The budget of the block.", ge=1, le=100_000)]
Id = Annotated[str, Field(description="The id of a memory, as recall shows it.")]
Ids = Annotated[
    list[str], Field(description="Ids of memories, as recall shows them.", min_length=1, max_length=_MOST_FORGOTTEN)
]
Confirm = Annotated[
    str | None, Field(description="Leave it out at first. What that call returns here confirms that you mean it.")
]
Moment = Annotated[str, Field(description="A name for the present moment, such as 'before-import'.")]
Since = Annotated[str, Field(description="The name of a checkpoint.")]
Until = Annotated[str | None, Field(description="The name of a later checkpoint; leave it out for now.")]
Key = Annotated[str, Field(description="The name of the value.")]
Json = Annotated[JsonValue, Field(description="Any JSON; null deletes the value.")]
IfVersion = Annotated[
    int | None, Field(description="Only if this is its version by now (0: only if there is none yet).", ge=0)
]


class MemoryTools:
    """Each method is a tool; its docstring, or that of the verb which it shares, is what a model reads about it."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def add_to(self, server: Any, *, writable: bool = True) -> None:
        """Register them; those that write only where that is possible."""
        for name, (title, hints) in (_READING | (_WRITING if writable else {})).items():
            method = getattr(self, name)
            described = inspect.getdoc(method) or inspect.getdoc(getattr(verbs.Verbs, name))
            server.add_tool(method, title=title, description=described, annotations=hints)

    def check(self, name: str, given: Collection[str]) -> None:
        """Refuse arguments that a tool does not have: the SDK would drop them, and the model would never know.

        Raises:
            ToolError: says which, and what there are.
        """
        if name in _READING or name in _WRITING:
            stranger = unknown(name, given, inspect.signature(getattr(self, name)).parameters)
            if stranger is not None:
                raise ToolError(refusal(stranger))

    async def remember(
        self, content: Content, kind: Kind = "fact", tags: Tags = None, key: ClaimKey = None, days: Days = None
    ) -> Annotated[CallToolResult, RememberResult]:
        def work(reach: Reach) -> Any:
            kept = verbs.remember(reach.own, content, kind=kind, tags=tags, key=key, days=days)
            return answer(RememberResult.of(kept), remembered(kept))

        return await self._answer(work, needs="write")

    async def recall(
        self,
        query: Query,
        limit: Limit = 5,
        kinds: Kinds = None,
        tags: AllTags = None,
        include_superseded: Superseded = False,
    ) -> Annotated[CallToolResult, RecallResult]:
        filters = {"kinds": kinds, "tags": tags, "include_superseded": include_superseded}

        def work(reach: Reach) -> Any:
            found, text = verbs.recall(reach.spaces, reach.scopes, query, limit=limit, **filters)
            return answer(RecallResult.of(found), text)

        return await self._answer(work, needs="recall")

    async def context(
        self, query: Query = "", max_tokens: MaxTokens = 1000, kinds: Kinds = None
    ) -> Annotated[CallToolResult, ContextResult]:
        """All that matters for a task, packed into a token budget: facts with their dates, and what to avoid.

        Use it once at the start of a task; an empty query gives what is newest.
        """

        def work(reach: Reach) -> Any:
            material = reach.spaces.material(query, reach.scopes, kinds=kinds)
            block = recall_block(material, max_tokens=max_tokens, heading="")
            return answer(ContextResult(text=block, tokens=estimate(block)), block or NOTHING_FOUND)

        return await self._answer(work, needs="recall")

    async def forget(self, ids: Ids, confirm: Confirm = None) -> Annotated[CallToolResult, ForgetResult]:
        """Erase memories for good, in two steps, because they are wrong or because somebody asks for it.

        The first call erases nothing: it shows what would go, and returns `confirm`. Show that to the user; if they
        agree, call it again with the same ids and `confirm`. To replace a memory, use remember instead.
        """

        def work(reach: Reach) -> Any:
            memory, wanted = reach.own, list(dict.fromkeys(ids))
            items = [item for id in wanted if (item := _item(memory, id)) is not None]
            missing = [id for id in wanted if id not in {item.id for item in items}]
            code = _code(memory.space, items)
            if confirm is None or not items:
                result = ForgetResult(
                    erased=[],
                    would_erase=[Item.of(item) for item in items],
                    missing=missing,
                    confirm=code if items else None,
                )
                return answer(result, _preview(items, code))
            if confirm != code:
                raise Conflict("this confirms something else; call forget without confirm, and look at what it shows")
            done = ForgetResult.done([memory.forget(item.id) for item in items], missing)
            return answer(done, forgotten(done.erased))

        return await self._answer(work, needs="write")

    async def history(self, id: Id) -> Annotated[CallToolResult, HistoryResult]:
        """How a memory came to be what it is: every version, what it replaced and what replaced it, oldest first."""

        def work(reach: Reach) -> Any:
            versions = _history(reach, id)
            return answer(HistoryResult(versions=[Version.of(item) for item in versions]), fenced(versions))

        return await self._answer(work, needs="read")

    async def checkpoint(self, name: Moment) -> Annotated[CallToolResult, CheckpointResult]:
        """Give the present moment of the memory a name, before something that may go wrong, such as a large import.

        A person can go back to it later; `diff` tells what changed since.
        """

        def work(reach: Reach) -> Any:
            made = reach.own.checkpoint(name)
            return answer(CheckpointResult.of(made, reach.own.checkpoints()), f"This moment is {name!r} from now on.")

        return await self._answer(work, needs="write")

    async def diff(self, since: Since, until: Until = None) -> Annotated[CallToolResult, DiffResult]:
        """What is believed otherwise than at a checkpoint: what was added, replaced, corrected, said again."""

        def work(reach: Reach) -> Any:
            found = reach.own.diff(since, until)
            return answer(DiffResult.of(found, _MOST_SHOWN), diff_shown(found, _MOST_SHOWN))

        return await self._answer(work, needs="read")

    async def get_value(self, key: Key) -> Annotated[CallToolResult, ValueResult]:
        """Read a JSON value that was kept under a name, such as a profile or the state of a task.

        For what must be exact and is looked up by its name; use recall for what is looked up by its meaning.
        """

        def work(reach: Reach) -> Any:
            kept = reach.own.value(key)
            keys = reach.own.keys() if kept is None else None
            text = f"There is no value {key!r}." if kept is None else value_shown(kept.value)
            return answer(ValueResult.of(key, kept, keys), text)

        return await self._answer(work, needs="read")

    async def set_value(
        self, key: Key, value: Json, if_version: IfVersion = None
    ) -> Annotated[CallToolResult, ValueResult]:
        """Keep a JSON value under a name; it replaces the one before, and null deletes it.

        With if_version it is kept only if nobody changed it since you read it.
        """

        def work(reach: Reach) -> Any:
            kept = reach.own.set(key, value, if_version=if_version)
            text = f"{key!r} is deleted." if kept is None else f"{key!r} is kept (version {kept.version})."
            return answer(ValueResult.of(key, kept), text)

        return await self._answer(work, needs="write")

    async def _answer(self, work: Callable[[Reach], Any], *, needs: Needs) -> Any:
        """Whatever goes wrong, the model gets a sentence that it can act on, and the server goes on."""
        try:
            return await self._door.run(work, needs=needs)
        except Exception as error:  # as the adapters' rule has it: a memory never breaks its agent
            raise ToolError(excuse(error)) from None


def _item(memory: Memory, id: str) -> MemoryItem | None:
    try:
        return memory.item(id)
    except NotFound:
        return None


def _history(reach: Reach, id: str) -> list[MemoryItem]:
    for memory in reach.readable:
        try:
            return memory.history(id)
        except NotFound:
            continue
    raise NotFound(f"no memory {id!r}")


def _code(space: str, items: list[MemoryItem]) -> str:
    """Says what was looked at: no server need remember it, and a memory that changed since is not erased by it."""
    looked_at = [space, *sorted((item.id, item.version) for item in items)]
    return blake2b(json.dumps(looked_at).encode(), digest_size=6).hexdigest()


def _preview(items: list[MemoryItem], code: str) -> str:
    if not items:
        return NOT_THERE
    call = f"call forget again with the same ids and confirm={code!r}"
    return f"Nothing is erased yet. This would be gone for good:\n{fenced(items)}\nIf the user agrees, {call}."


def _hints(*, read_only: bool = False, destructive: bool = False, idempotent: bool = True) -> Any:
    return ToolAnnotations.model_validate(
        {
            "readOnlyHint": read_only,
            "destructiveHint": destructive,
            "idempotentHint": idempotent,
            "openWorldHint": False,
        }
    )


_READING = {
    "recall": ("Recall", _hints(read_only=True)),
    "context": ("What matters for a task", _hints(read_only=True)),
    "history": ("History of a memory", _hints(read_only=True)),
    "diff": ("What changed since", _hints(read_only=True)),
    "get_value": ("Read a value", _hints(read_only=True)),
}
_WRITING = {
    "remember": ("Remember", _hints()),
    "forget": ("Forget for good", _hints(destructive=True)),
    "checkpoint": ("Name this moment", _hints(idempotent=False)),
    "set_value": ("Keep a value", _hints(destructive=True)),
}
