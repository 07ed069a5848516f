"""Attributes that are worked out when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, cast, overload

_T = TypeVar("_T")


class lazy(Generic[_T]):  # used as a decorator
    """`functools.cached_property` without its lock.

    Until Python 3.12 all instances share that lock: threads wait for each other without need, and a process that was
    forked while it was held waits for ever. Here two threads may work out the same value; either is good.
    """

    def __init__(self, work_out: Callable[[Any], _T]) -> None:
        self._work_out = work_out
        self._name = work_out.__name__
        self.__doc__ = work_out.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> _T: ...
    def __get__(self, instance: object | None, owner: type) -> Self | _T:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._work_out(instance)  # found there first from now on
        return value


def later(default: _T) -> _T:
    """The default of a dataclass's field that may be given as `worked_out(...)`, for when it is first asked for."""
    return cast(_T, _Later(default))


def worked_out(work: Callable[[], _T]) -> _T:
    """The value of a `later` field, to be found then."""
    return cast(_T, _Deferred(work))


def unknown(thing: object) -> frozenset[str]:
    """The `later` fields of a thing that nobody has asked for yet."""
    return frozenset(name for name, value in vars(thing).items() if isinstance(value, _Deferred))


class _Later(Generic[_T]):
    """What a field of such a class is read and set through; the class has no slots."""

    def __init__(self, default: _T) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object | None, owner: type) -> _T:
        if instance is None:
            return self._default  # here dataclasses look for it
        value: _T = instance.__dict__[self._name]
        if isinstance(value, _Deferred):
            value = instance.__dict__[self._name] = value.work()
        return value

    def __set__(self, instance: object, value: _T) -> None:
        instance.__dict__[self._name] = value


class _Deferred(Generic[_T]):
    def __init__(self, work: Callable[[], _T]) -> None:
        self.work = work

    def __reduce__(self) -> tuple[Callable[[_T], _T], tuple[_T]]:
        return _itself, (self.work(),)  # who copies or sends it wants the value


def _itself(value: _T) -> _T:
    return value
