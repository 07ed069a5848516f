"""What goes out, for the OpenAPI document: most of it is the model, as `truekeep.wire` tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, Field, JsonValue, create_model

from truekeep import model, wire
from truekeep.engine.context import Entry, Material

# What each type of the model is called in an answer.
_ANSWERS: dict[Any, Any] = {Any: JsonValue, model.SpaceId: str, model.Quotas: dict[str, int | None]}


def _told(kind: type, name: str, said: str | None = None, **described: str) -> type[BaseModel]:
    """The answer that tells a thing of the model, all of whose fields are always there."""
    answer = _ANSWERS[kind] = _answer(
        name,
        said,
        **{
            field: (type, Field(description=described[field]) if field in described else ...)
            for field, type in wire.shape(kind).items()
        },
    )
    return answer


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
    if origin in (tuple, Sequence):
        return _type([arguments[0]])
    if origin is Mapping:
        return dict[arguments[0], _type(arguments[1])]  # type: ignore[misc,valid-type]  # the same
    if origin is not None and type(None) in arguments:
        return reduce(or_, map(_type, arguments))
    return _ANSWERS.get(given, given)


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


_told(model.Source, "SourceAnswer")
ItemAnswer = _told(
    model.MemoryItem, "ItemAnswer", "One memory item.", suspected_by="newer memories that may have replaced it"
)
_told(
    model.Match,
    "MatchAnswer",
    "A memory item that was found, with its score and why.",
    suspected_by="newer memories that may have replaced it",
)
RememberedAnswer = _told(model.Remembered, "RememberedAnswer", suspected="older ones that it may have replaced")
RememberedManyAnswer = _answer("RememberedManyAnswer", remembered=[model.Remembered])
PageAnswer = _told(model.Page, "PageAnswer", cursor="for the next page; null when this was the last")
SuspicionAnswer = _told(
    model.Suspicion, "SuspicionAnswer", "A doubt: the newer memory may have replaced the older one."
)
ReviewAnswer = _told(model.Review, "ReviewAnswer")
VersionsAnswer = _answer("VersionsAnswer", versions=[model.MemoryItem])
RecallAnswer = _told(model.Recall, "RecallAnswer", lessons="what failed before: the avoid channel")
_told(Entry, "EntryAnswer")
_told(Material, "MaterialAnswer")
_told(model.Arm, "ArmAnswer")
_told(model.Explanation, "ExplanationAnswer")
ExplanationsAnswer = _answer("ExplanationsAnswer", explanations=[model.Explanation])
JobAnswer = _told(model.Job, "JobAnswer")
JobsAnswer = _answer("JobsAnswer", jobs=[model.Job])
_told(model.ExtractionReport, "ExtractionReportAnswer")
ExtractionAnswer = _told(model.Extraction, "ExtractionAnswer")
ReceiptAnswer = _told(model.Receipt, "ReceiptAnswer")
ValueAnswer = _told(model.Value, "ValueAnswer")
_told(model.Session, "SessionAnswer")
SessionsAnswer = _answer("SessionsAnswer", sessions=[model.Session])
ImportedAnswer = _told(model.Imported, "ImportedAnswer")
_told(model.Event, "EventAnswer")
ChangesAnswer = _told(model.Changes, "ChangesAnswer")
_told(model.SpaceSize, "SpaceAnswer")
SpacesAnswer = _answer("SpacesAnswer", spaces=[model.SpaceSize], cursor=str | None)
StatsAnswer = _told(model.Stats, "StatsAnswer")
_told(model.AccessKey, "KeyAnswer")
AccessKeysAnswer = _answer("AccessKeysAnswer", keys=[model.AccessKey])
_told(model.Usage, "CountAnswer")

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
CardAnswer = _answer(
    "CardAnswer",
    name=Literal["Truekeep"],
    version=str,
    links=(Mapping[str, str], Field(description="paths by what is there")),
)
HealthAnswer = _answer("HealthAnswer", status=Literal["ok"], version=str)
DeletedAnswer = _answer("DeletedAnswer", key=str, deleted=bool)
KeysOfValuesAnswer = _answer("KeysOfValuesAnswer", keys=[str])
DoneAnswer = _answer("DoneAnswer", done=bool)
RevokedAnswer = _answer("RevokedAnswer", revoked=bool)
ProblemsAnswer = _answer("ProblemsAnswer", problems=[str])
