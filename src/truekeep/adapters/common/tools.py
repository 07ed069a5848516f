"""`remember`, `recall` and `forget` as tools: plain, typed functions with answers that a model can read."""

# Without postponed annotations: frameworks look at the types of these functions themselves.

import inspect
import re
from collections.abc import Callable, Coroutine
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from truekeep.engine.context import TEMPLATES, Entry, Material
from truekeep.errors import InvalidInput, NotFound
from truekeep.memory import Memory
from truekeep.model import KINDS, Match, Recall, Remembered, Source

from .plans import Plan
from .remembering import Remembering
from .scopes import Scopes
from .spaces import Spaces

UNAVAILABLE = "Memory is unavailable right now; go on without it."
READ_ONLY = "This memory can only be read."
NOTHING_FOUND = "No relevant memories found."
MOST_RECALLED = 50
_LIKE_AN_ID = re.compile(r"[!-~]{1,64}")
_ALIKE = 20  # items that are looked at when one is to be forgotten by its text

Content = Annotated[str, "One self-contained statement, with names instead of pronouns."]
Kind = Annotated[str, f"What it is: {', '.join(KINDS[:5])} or temporary; a lesson is what failed or must be avoided."]
Tags = Annotated[list[str] | None, "Labels to group it by."]
Query = Annotated[str, "A question or a topic, in any words."]
Limit = Annotated[int, "At most this many memories."]
Id = Annotated[str, "The id of the memory, or its exact text as recall shows it."]
_T = TypeVar("_T")


class Tools:
    """The tools of one agent, as functions, as coroutine functions and as JSON schemas. None of them raises."""

    def __init__(self, remembering: Remembering) -> None:
        run, wait = remembering.run, remembering.aio.run
        plans = _Verbs(remembering)

        def remember(content: Content, kind: Kind = "fact", tags: Tags = None) -> str:
            return run(plans.remember(content, kind, tags))

        def recall(query: Query, limit: Limit = 5) -> str:
            return run(plans.recall(query, limit))

        def forget(id: Id) -> str:
            return run(plans.forget(id))

        async def async_remember(content: Content, kind: Kind = "fact", tags: Tags = None) -> str:
            return await wait(plans.remember(content, kind, tags))

        async def async_recall(query: Query, limit: Limit = 5) -> str:
            return await wait(plans.recall(query, limit))

        async def async_forget(id: Id) -> str:
            return await wait(plans.forget(id))

        self.remember: Callable[..., str] = _named(remember)
        self.recall: Callable[..., str] = _named(recall)
        self.forget: Callable[..., str] = _named(forget)
        self.async_remember: Callable[..., Coroutine[Any, Any, str]] = _named(async_remember)
        self.async_recall: Callable[..., Coroutine[Any, Any, str]] = _named(async_recall)
        self.async_forget: Callable[..., Coroutine[Any, Any, str]] = _named(async_forget)

    @property
    def functions(self) -> list[Callable[..., str]]:
        """All three, for synchronous agents."""
        return [self.remember, self.recall, self.forget]

    @property
    def async_functions(self) -> list[Callable[..., Coroutine[Any, Any, str]]]:
        """All three under the same names, for asynchronous agents."""
        return [self.async_remember, self.async_recall, self.async_forget]

    @property
    def function_map(self) -> dict[str, Callable[..., str]]:
        """The functions by name, for an agent that is configured with `function_map`."""
        return {function.__name__: function for function in self.functions}

    @property
    def function_schemas(self) -> list[dict[str, Any]]:
        """In the older form, for an agent that is configured with `functions`."""
        return [_schema(function) for function in self.functions]

    @property
    def schemas(self) -> list[dict[str, Any]]:
        """In the form of OpenAI's `tools`."""
        return [{"type": "function", "function": schema} for schema in self.function_schemas]


def memory_tools(memory: Memory | Spaces | Remembering | str) -> Tools:
    """Tools on a memory, on several spaces, or on what an adapter holds already."""
    return memory.tools if isinstance(memory, Remembering) else Remembering(memory).tools


DESCRIPTIONS = {
    "remember": "Store one memory that shall outlive this conversation: a preference, a decision, a fact, a lesson.",
    "recall": "Search the memories of earlier conversations. Use it before you answer what may have come up before.",
    "forget": "Erase a memory for good, because it is wrong or because somebody asks for it.",
}


class _Verbs:
    """What the tools do, for both doors."""

    def __init__(self, remembering: Remembering) -> None:
        self._spaces = remembering.spaces
        self._scoped = remembering.plans.scoped

    def remember(self, content: str, kind: str, tags: list[str] | str | None) -> Plan[str]:
        slug = "-".join(str(kind or "fact").lower().split())
        labels = [tags] if isinstance(tags, str) else tags if isinstance(tags, list) else []

        def verb(memory: Memory) -> str:
            return told(memory.remember(content, kind=slug, tags=labels, source=Source(role="assistant")))

        return self._writing(verb)

    def recall(self, query: str, limit: int) -> Plan[str]:
        most = min(max(limit, 1), MOST_RECALLED) if isinstance(limit, int) else 5

        def verb(scopes: Scopes) -> str:
            return _bullets(self._spaces.recall(query, scopes, limit=most))

        return self._scoped(_excused(verb), UNAVAILABLE)

    def forget(self, id: str) -> Plan[str]:
        named = str(id).strip()

        def verb(memory: Memory) -> str:
            erased = memory.forget(named).erased if _LIKE_AN_ID.fullmatch(named) else ()
            if not erased:
                alike = (match for match in memory.recall(named, limit=_ALIKE) if _same_line(_line(match), named))
                erased = tuple(gone for match in alike for gone in memory.forget(match.id).erased)
            return f"Memory forgotten (id: {', '.join(erased)})" if erased else "There is no such memory."

        return self._writing(verb)

    def _writing(self, verb: Callable[[Memory], str]) -> Plan[str]:
        def on_it(scopes: Scopes) -> str:
            return READ_ONLY if scopes.write is None else verb(self._spaces.memory(scopes.write))

        return self._scoped(_excused(on_it), UNAVAILABLE)


def _excused(verb: Callable[[Scopes], str]) -> Callable[[Scopes], str]:
    """A call that was wrong is answered, so that the model can make a better one."""

    def excused(scopes: Scopes) -> str:
        try:
            return verb(scopes)
        except InvalidInput as error:
            return f"That did not work: {error}"
        except NotFound:
            return "There is no such memory."

    return excused


def told(kept: Remembered) -> str:
    """What a `remember` did, for a model."""
    if kept.outcome == "reinforced":
        return f"Already known (id: {kept.id})"
    if kept.outcome == "superseded":
        return f"Memory updated (id: {kept.id}), replacing: {'; '.join(_flat(old.content) for old in kept.superseded)}"
    return f"Memory stored (id: {kept.id})"


def _bullets(found: Recall) -> str:
    lessons = {match.id: match for match in found.lessons}
    lines = [_line(match) for match in found if match.id not in lessons]
    lines += [_line(match, avoid=True) for match in lessons.values()]
    return "\n".join(lines) or NOTHING_FOUND


def _line(match: Match, *, avoid: bool = False) -> str:
    """One line, whatever the text: it cannot pose as another memory, or leave a fence around it."""
    entry = Entry(item=match.item)
    is_lesson = avoid or match.kind == "lesson"
    material = Material(entries=[] if is_lesson else [entry], lessons=[entry] if is_lesson else [])
    return _flat(TEMPLATES["plain"](material))


def _same_line(line: str, given: str) -> bool:
    return line.removeprefix("- ").removeprefix("Avoid: ") == _flat(given).removeprefix("- ").removeprefix("Avoid: ")


def _flat(text: str) -> str:
    return " ".join(text.split())


def _named(function: _T) -> _T:
    name = function.__name__.removeprefix("async_")  # type: ignore[attr-defined]  # a function has one
    function.__name__ = function.__qualname__ = name  # type: ignore[attr-defined]
    function.__doc__ = DESCRIPTIONS[name]
    return function


def _schema(function: Callable[..., Any]) -> dict[str, Any]:
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters
    properties = {name: _property(hints[name], parameters[name].default) for name in parameters}
    required = [name for name, parameter in parameters.items() if parameter.default is parameter.empty]
    return {
        "name": function.__name__,
        "description": function.__doc__,
        "parameters": {"type": "object", "properties": properties, "required": required},
    }


def _property(hint: Any, default: object) -> dict[str, Any]:
    given, description = get_args(hint)
    inner = [one for one in get_args(given) if one is not NoneType] if NoneType in get_args(given) else [given]
    if get_origin(inner[0]) is list:
        shape: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
    else:
        shape = {"type": "integer" if inner[0] is int else "string"}
    known = {} if default in (inspect.Parameter.empty, None) else {"default": default}
    return {**shape, "description": description, **known}
