"""How far a call goes until it is answered, seen by a trace of it.

A *hop* is a function of ours that was entered from another one and has not returned; the hops of a call are the
deepest such chain, the method of the handle and what stands around it included. Comprehensions and generator
expressions are part of the function that they stand in. The *modules* are those that any function ran in.

Both are counted on a small file that is warm, in the calling thread: `remember` with a statement that is new, after
another one, so that the index has that one to take in; `recall` with a question that was not asked before. The
embedder is the default one.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import truekeep

PACKAGE = Path(truekeep.__file__).parent
_WITHIN = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


@dataclass
class Trace:
    """What one call ran through."""

    deepest: list[str] = field(default_factory=list)
    modules: set[str] = field(default_factory=set)
    _stack: list[str] = field(default_factory=list)

    @property
    def hops(self) -> int:
        return len(self.deepest)

    def follow(self, call: Callable[[], object]) -> None:
        sys.setprofile(self._note)
        try:
            call()
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(str(PACKAGE)):
            return
        if code.co_name in _WITHIN:
            return
        if event == "return":
            del self._stack[-1:]
            return
        module = Path(code.co_filename).relative_to(PACKAGE).as_posix()
        self.modules.add(module)
        self._stack.append(f"{module}: {code.co_name}")
        if len(self._stack) > len(self.deepest):
            self.deepest = list(self._stack)


def traced() -> dict[str, Trace]:
    """`remember` and `recall`, each followed once."""
    traces = {"remember": Trace(), "recall": Trace()}
    with tempfile.TemporaryDirectory() as folder:
        memory = truekeep.Memory("house", at=f"sqlite:///{folder}/house.db")  # as everybody opens it
        memory.remember("Ada drinks green tea in the morning")
        memory.recall("what does Ada drink?")
        memory.remember("The build runs on a machine with 64 cores")
        memory.flush()  # the upkeep has nothing to write: whoever leads a group of writers runs the others' work, too
        traces["remember"].follow(lambda: memory.remember("Our backups are copied to Lisbon every night"))
        memory.flush()
        memory.recall("how many cores are there?")
        traces["recall"].follow(lambda: memory.recall("where do the copies of our data go?"))
        memory.close()
    return traces
