"""An attribute that is worked out when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

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
