"""Ctrl-C at every moment of a call, one after the other, instead of at random ones."""

from __future__ import annotations

import linecache
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any


def interrupted_everywhere(call: Callable[[], object], within: tuple[str, ...]) -> Iterator[str]:
    """Interrupt the call before each line that it runs in these modules; tells which, after each interrupt."""
    number = 0
    while True:
        place = _interrupted(call, number, within)
        if place is None:
            return
        yield place
        number += 1


def _interrupted(call: Callable[[], object], number: int, within: tuple[str, ...]) -> str | None:
    """Where it was interrupted; None if the call was over before."""
    left, place = number, ""

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left, place
        if not frame.f_code.co_filename.endswith(within):
            return None
        if event == "line" and not _leaves_a_block(frame):
            if left == 0:
                sys.settrace(None)
                place = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
                raise KeyboardInterrupt
            left -= 1
        return trace

    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return place
    finally:
        sys.settrace(None)
    return None


def _leaves_a_block(frame: FrameType) -> bool:
    """Python tells of a `with` again before it leaves its block, where no signal is ever looked at."""
    return linecache.getline(frame.f_code.co_filename, frame.f_lineno).lstrip().startswith("with ")


def goes_on(call: Callable[[], object]) -> bool:
    """Whether another thread can make the call."""
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(20)
    return not thread.is_alive()
