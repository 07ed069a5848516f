"""What goes out, for the OpenAPI document: most of it is the model, as `truekeep.wire` tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, Field, JsonValue, create_model

from truekeep import model, wire
from truekeep.engine.verbs.context import Material

_NAMES = {model.MemoryItem: "Item", model.AccessKey: "Key", model.Usage: "Count", model.SpaceSize: "Space"}
_SAID = {
    model.MemoryItem: "One memory item.",
    model.Match: "A memory item that was found, with its score and why.",
    model.Suspicion: "A doubt: the newer memory may have replaced the older one.",
}
_DESCRIBED: Mapping[tuple[type, str], str] = {
    (model.MemoryItem, "suspected_by"): "newer memories that may have replaced it",
    (model.Match, "suspected_by"): "newer memories that may have replaced it",
    (model.Remembered, "suspected"): "older ones that it may have replaced",
    (model.Page, "cursor"): "for the next page; null when this was the last",
}
_OTHERS: Mapping[Any, Any] = {Any: JsonValue, model.SpaceId: str, model.Quotas: dict[str, int | None]}


@cache
def of(kind: Any) -> Any:
    """The answer that tells a thing of the model, all of whose fields are always there; what is none stays itself.

    `Annotated[bool, "done"]` is an object with that one field, and is called after it, or as a second note says.
    """
    if field := field_of(kind):
        inner, _, *called = get_args(kind)
        return _answer(*(called or [f"{field.capitalize()}Answer"]), **{field: inner})
    is_told: bool = is_dataclass(kind) and kind not in _OTHERS
    if not is_told:
        return _OTHERS.get(kind, kind)
    name = f"{_NAMES.get(kind, kind.__name__)}Answer"
    told = {
        field: (type, Field(description=_DESCRIBED[kind, field]) if (kind, field) in _DESCRIBED else ...)
        for field, type in wire.shape(kind).items()
    }
    return _answer(name, _SAID.get(kind), **told)


def field_of(kind: Any) -> str | None:
    """The name under which an answer is told that is annotated with one."""
    return get_args(kind)[1] if get_origin(kind) is Annotated else None


def _answer(name: str, said: str | None = None, /, **fields: Any) -> type[BaseModel]:
    """An answer of these fields, each with its type and perhaps a default."""
    pairs = {field: given if isinstance(given, tuple) else (given, ...) for field, given in fields.items()}
    typed: Any = {field: (_type(type), default) for field, (type, default) in pairs.items()}
    return create_model(name, __doc__=said, __module__=__name__, **typed)


def _type(given: Any) -> Any:
    """What pydantic calls it: a thing of the model by its answer, a tuple as a list. `[X]` is a list of X."""
    if isinstance(given, list):
        return list[_type(given[0])]  # type: ignore[misc]  # a type that is known when this runs
    origin, arguments = get_origin(given), get_args(given)
    if origin in (list, tuple, Sequence):
        return _type([arguments[0]])
    if origin is Mapping:
        return dict[arguments[0], _type(arguments[1])]  # type: ignore[misc,valid-type]  # the same
    if origin is not None and type(None) in arguments:
        return reduce(or_, map(_type, arguments))
    return of(given)


class Problem(BaseModel):
    """RFC 9457."""

    type: str = Field(examples=["urn:truekeep:invalid-input"])
    title: str
    status: int
    detail: str = Field(
        description="what happened and what to do", examples=["content: is empty; say what to remember"]
    )
    argument: str | None = Field(None, description="which argument is wrong")
    problem: str | None = Field(None, description="what is wrong with it")
    retryable: bool | None = None


RememberedManyAnswer = _answer("RememberedManyAnswer", remembered=[model.Remembered])
SpacesAnswer = _answer("SpacesAnswer", spaces=[model.SpaceSize], cursor=str | None)
TenantsAnswer = _answer("TenantsAnswer", tenants=[model.Tenant], cursor=str | None)
AccessKeysAnswer = _answer("AccessKeysAnswer", keys=[model.AccessKey])
ContextAnswer = _answer(
    "ContextAnswer",
    context=(str, Field("", description="ready for a prompt; empty when there is nothing to say")),
    tokens=(int, Field(0, description="an estimate that errs on the safe side")),
    material=(Material | None, None),
)
NewKeyAnswer = _answer(
    "NewKeyAnswer", **wire.shape(model.AccessKey), key=(str, Field(description="the secret; shown this once"))
)
UsageAnswer = _answer(
    "UsageAnswer",
    tenant=str,
    quotas=(model.Quotas, Field(description="those of the key that asks")),
    usage=[model.Usage],
)
RecallAnswer = _answer(
    "RecallAnswer",
    **{
        **wire.shape(model.Recall),
        "lessons": (Sequence[model.Match], Field(description="what failed before: the avoid channel")),
        "answerable": (float, Field(None, description="how likely anything here answers, 0 to 1")),
    },
)
CardAnswer = _answer(
    "CardAnswer",
    name=Literal["Truekeep"],
    version=str,
    links=(Mapping[str, str], Field(description="paths by what is there")),
)
HealthAnswer = _answer("HealthAnswer", status=Literal["ok"], version=str)
ProbeAnswer = _answer("ProbeAnswer", status=Literal["ok"])
DeletedAnswer = _answer("DeletedAnswer", key=str, deleted=bool)
ErasuresAnswer = _answer("ErasuresAnswer", erasures=[model.Erasure], cursor=str | None)
NewWebhookAnswer = _answer(
    "NewWebhookAnswer",
    **wire.shape(model.Webhook),
    secret=(str, Field(description="signs deliveries; shown this once")),
)
AttemptAnswer = _answer(
    "AttemptAnswer",
    taken=bool,
    status=(int | None, Field(description="what the receiver answered")),
    error=(str, Field(description="why it was not taken")),
)
