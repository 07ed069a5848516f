"""Steps that somebody may want to watch: the verbs of a memory, its store, its embedder. Mostly nobody does.

A step is a method. Only while somebody watches it, another one stands in its place: otherwise nothing is in between.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import wraps
from typing import Any, TypeVar, cast

_Method = TypeVar("_Method", bound=Callable[..., Any])
Watch = Callable[[str], AbstractContextManager[object]]

_watching: tuple[tuple[Watch, frozenset[str]], ...] = ()
_steps: list[_Step] = []


def watch(one: Watch, *names: str) -> Callable[[], None]:
    """From now on make each step of these names, or any, within `one(name)`; what is returned ends that."""
    entry = (one, frozenset(names))
    _change((*_watching, entry))
    return lambda: _change(tuple(other for other in _watching if other is not entry))


def _change(watching: tuple[tuple[Watch, frozenset[str]], ...]) -> None:
    global _watching
    _watching = watching
    for each in _steps:
        each.place()


def step(name: str) -> Callable[[_Method], _Method]:
    """Let a method be watched under a name."""

    def marked(work: _Method) -> _Method:
        return cast(_Method, _Step(name, work))  # until its class is made, which gets the method itself

    return marked


class _Step:
    def __init__(self, name: str, work: Callable[..., Any]) -> None:
        self._name = name
        self._work = work

    def __set_name__(self, owner: type, attribute: str) -> None:
        self._owner, self._attribute = owner, attribute
        _steps.append(self)
        self.place()

    def place(self) -> None:
        """Put into the class what is called from now on."""
        watches = [one for one, names in _watching if not names or self._name in names]
        setattr(self._owner, self._attribute, self._within(watches) if watches else self._work)

    def _within(self, watches: list[Watch]) -> Callable[..., Any]:
        @wraps(self._work)
        def made(*given: Any, **named: Any) -> Any:
            with ExitStack() as stack:
                for one in watches:
                    stack.enter_context(one(self._name))
                return self._work(*given, **named)

        return made
