"""Steps that somebody may want to watch: the verbs of a memory, its store, its embedder. Mostly nobody does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import wraps
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")
Watch = Callable[[str], AbstractContextManager[object]]

_watching: tuple[tuple[Watch, frozenset[str] | None], ...] = ()
_of: dict[str, tuple[Watch, ...]] = {}  # who watches a step, as far as it was made


def watch(one: Watch, *names: str) -> Callable[[], None]:
    """From now on make each step of these names, or any, within `one(name)`; what is returned ends that."""
    entry = (one, frozenset(names) or None)
    _change((*_watching, entry))
    return lambda: _change(tuple(other for other in _watching if other is not entry))


def _change(watching: tuple[tuple[Watch, frozenset[str] | None], ...]) -> None:
    global _watching
    _watching = watching
    _of.clear()


def step(name: str) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Let a function be watched under a name."""

    def watched(work: Callable[_P, _T]) -> Callable[_P, _T]:
        @wraps(work)
        def made(*given: _P.args, **named: _P.kwargs) -> _T:
            if not _watching:
                return work(*given, **named)
            watches = _of.get(name)
            if watches is None:
                watches = _of[name] = tuple(one for one, names in _watching if names is None or name in names)
            if not watches:
                return work(*given, **named)
            with ExitStack() as stack:
                for one in watches:
                    stack.enter_context(one(name))
                return work(*given, **named)

        return made

    return watched
