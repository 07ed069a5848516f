"""Words that people bring from elsewhere: an error about one of them says what it is called here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import CO_VARKEYWORDS, isasyncgenfunction, iscoroutinefunction, isfunction, unwrap
from types import FunctionType
from typing import Any, NoReturn, TypeVar

from .errors import InvalidInput
from .model import Filters

_T = TypeVar("_T")


def _by_word(table: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    words = {word: () for row in table.values() for word in row.split()}
    return {word: tuple(ours for ours, row in table.items() if word in row.split()) for word in words}


_METHODS = _by_word(
    {
        "remember": "add add_memory add_texts create insert memorize put save store write",
        "recall": "ask find lookup query retrieve search similarity_search",
        "items": "all get_all list list_memories memories",
        "correct": "edit modify update",
        "forget": "clear delete_all delete_memory drop erase purge remove reset wipe",
        "context": "build_context get_context prompt",
        "stats": "count info size",
        "export": "dump to_json",
        "import_": "load",
        "restore": "rollback undo",
    }
)
_TOLD = {
    "remember": "to keep something call remember()",
    "recall": "to find something call recall()",
    "items": "to list what is kept call items()",
    "correct": "to change an item call correct()",
    "forget": "to erase an item call forget(id), for all of them forget(everything=True)",
    "context": "for a block that is ready for a prompt call context()",
    "stats": "for how much is kept call stats()",
    "export": "for all of it as lines call export()",
    "import_": "to take in an export call import_()",
    "restore": "to go back to a checkpoint call restore()",
}

_OWNERS = "agent agent_id collection namespace user user_id"

# The first that the method has is meant.
_ARGUMENTS = _by_word(
    {
        "content": "data document fact memory message query statement text",
        "query": "content prompt q question search text",
        "messages": "conversation history text transcript",
        "limit": "count k max_results n n_results num_results size top_k",
        "max_tokens": "budget max_length token_limit tokens",
        "min_similarity": "min_score score_threshold similarity_threshold threshold",
        "kind": "category kinds memory_type type",
        "kinds": "categories category kind memory_type type types",
        "tags": "labels tag",
        "metadata": "meta",
        "session": "chat_id conversation_id run_id session_id thread thread_id",
        "speaker": "author name who",
        "ttl": "expires expires_in expiry ttl_days ttl_seconds",
        "when": "created_at date time timestamp",
        "as_of": "at date time timestamp",
        "id": "item_id memory_id",
        "space": f"{_OWNERS} name tenant",
        "at": "base_url db file host location path uri url",
        "key": "api_key token",
    }
)
_FORMS = {"ttl": "ttl= (a timedelta, or seconds)"}


def method(word: str) -> str | None:
    """The method that somebody means; None if nobody knows."""
    return next(iter(_METHODS.get(word, ())), None)


def meant(word: str, accepted: Collection[str]) -> str | None:
    """What somebody means by an argument that is not accepted, in a few words; None if nobody knows."""
    for ours in _ARGUMENTS.get(word, ()):
        if ours in accepted:
            return f"use {_FORMS.get(ours, f'{ours}=')}"
    if word in _OWNERS.split():
        return "each has a memory of its own, opened with Memory(space)"
    if word in ("filter", "filters", "where") and "session" in accepted:
        return "give each filter by its name: kinds=, tags=, session=, speaker=..."
    return None


def hinting(handle: type[_T]) -> type[_T]:
    """Errors about a method or an argument that a handle does not have say what was meant. Nothing else changes."""
    for name, function in list(vars(handle).items()):
        is_public = name == "__init__" or not name.startswith("_")
        is_ours = isfunction(function) and not (iscoroutinefunction(function) or isasyncgenfunction(function))
        if is_public and is_ours:  # one that is awaited calls one that is not
            setattr(handle, name, _checked(function, handle.__name__ if name == "__init__" else name))
    setattr(handle, "__getattr__", _missing)  # noqa: B010  # as an assignment, it would hide every typing mistake
    return handle


def _missing(self: object, name: str) -> NoReturn:
    here = type(self).__name__
    known = method(name)
    hint = "" if known is None else f"; {_TOLD[known]}"
    raise AttributeError(f"{here} has no {name!r}{hint}", name=name, obj=self)


def _checked(function: FunctionType, name: str) -> Callable[..., Any]:
    code = unwrap(function).__code__
    own = frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    takes_filters = bool(code.co_flags & CO_VARKEYWORDS)
    accepted = own | Filters.__dataclass_fields__.keys() if takes_filters else own

    def refuse(given: Collection[str]) -> None:
        for word in given:
            hint = None if word in accepted else meant(word, accepted)
            if hint and takes_filters:  # where filters are taken, an unknown one is wrong input
                raise InvalidInput(word, f"is no argument of {name}(): {hint}")
            if hint:
                raise TypeError(f"{name}() has no {word!r}: {hint}")

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if not kwargs.keys() <= accepted:
            refuse(kwargs)
        return function(*args, **kwargs)

    return called
