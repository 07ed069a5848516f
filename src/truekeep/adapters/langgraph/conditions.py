"""LangGraph's conditions on values and namespaces: pure decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import ge, gt, le, lt
from typing import Any

from langgraph.store.base import ListNamespacesOp, MatchCondition

from truekeep.errors import InvalidInput

_ORDERINGS = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
_OPERATORS = {"$eq", "$ne", *_ORDERINGS}


def check(filter: Mapping[str, Any] | None) -> None:
    """Raise InvalidInput, which is a ValueError, where a filter has an operator that nobody knows."""
    for condition in (filter or {}).values():
        if isinstance(condition, Mapping):
            operators = [name for name in condition if str(name).startswith("$")]
            if unknown := [name for name in operators if name not in _OPERATORS]:
                raise InvalidInput("filter", f"has the unknown operator {unknown[0]!r}; there are {sorted(_OPERATORS)}")
            check({name: inner for name, inner in condition.items() if name not in operators})


def passes(value: Mapping[str, Any], filter: Mapping[str, Any] | None) -> bool:
    """Whether a value meets all conditions of a filter."""
    return all(_meets(value.get(name), condition) for name, condition in (filter or {}).items())


def _meets(value: Any, condition: Any) -> bool:
    if isinstance(condition, Mapping):
        if any(str(name).startswith("$") for name in condition):
            return all(_compares(value, operator, other) for operator, other in condition.items())
        return isinstance(value, Mapping) and passes(value, condition)
    if isinstance(condition, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(condition)
            and all(_meets(one, other) for one, other in zip(value, condition, strict=True))
        )
    return bool(value == condition)


def _compares(value: Any, operator: str, other: Any) -> bool:
    if operator == "$eq":
        return bool(value == other)
    if operator == "$ne":
        return bool(value != other)
    try:
        return bool(_ORDERINGS[operator](_sortable(value), _sortable(other)))
    except TypeError:  # a missing field, or a word and a number: neither comes first
        return False


def _sortable(value: Any) -> Any:
    """Numbers compare as numbers, also where one is written as text."""
    try:
        return float(value)
    except ValueError:
        return value


def listed(namespaces: Iterable[tuple[str, ...]], op: ListNamespacesOp) -> list[tuple[str, ...]]:
    """The namespaces that an operation asks for, sorted, each once."""
    matching = (one for one in namespaces if all(_matches(one, condition) for condition in op.match_conditions or ()))
    cut = sorted({one if op.max_depth is None else one[: op.max_depth] for one in matching})
    return cut[op.offset : op.offset + op.limit]


def _matches(namespace: Sequence[str], condition: MatchCondition) -> bool:
    path = condition.path
    if condition.match_type not in ("prefix", "suffix"):
        raise InvalidInput("match_conditions", f"are of the type prefix or suffix, not {condition.match_type!r}")
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))
