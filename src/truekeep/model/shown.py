"""What a person sees at a prompt: one line, with long texts cut."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from reprlib import Repr

_WIDTH = 60  # characters of a text
_SHOWN = 3  # entries of a list
_brief = Repr()
_brief.maxlist = _brief.maxdict = _SHOWN


def cut(value: object) -> str:
    """The repr of a value, cut where it would fill the line."""
    if isinstance(value, str):  # a statement is known by its beginning
        return repr(value if len(value) <= _WIDTH else value[: _WIDTH - 3] + "...")
    return _brief.repr(value)


def call(name: str, *told: str, **named: object) -> str:
    """`Name(told, name=value)`, without the values that are None, False, 0 or empty."""
    fields = [f"{field}={value!r}" for field, value in named.items() if value]
    return f"{name}({', '.join([*told, *fields])})"


def several(values: Iterable[str]) -> str:
    """A list of which only the first few are shown."""
    first = list(islice(values, _SHOWN + 1))
    return f"[{', '.join([*first[:_SHOWN], *(['...'] if len(first) > _SHOWN else [])])}]"


def counted(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"
