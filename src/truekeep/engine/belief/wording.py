"""The words of a verdict: which claim it is about, and what it was and is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from .comparing import Comparison
from .folding import fold
from .reading import Clause
from .tokens import term

LONGEST = 200  # characters of a value that are shown
_SYMBOLS = "'\u2019@.#+-"  # belong to a word that begins with them or goes on after them
_RUN = re.compile(rf"[\w{_SYMBOLS}]+")
_KEY_WORDS = 4


def claim(c: Comparison) -> str:
    """ "user/home", "harbour crane": what both clauses are about, in the words of the old one."""
    about = _as_written(c.old, c.shared - (c.old.names - c.old.subject if c.concept else frozenset()))
    if c.concept:
        return f"{about or c.old.who or c.old.speaker}/{c.concept}"
    return about or topic(c.old.text, c.old.terms)


def topic(text: str, terms: frozenset[str]) -> str:
    """The first few of these terms, as the text writes them."""
    found = (word for word in _words(text) if term(fold(word)) in terms or f"#{word}" in terms)
    return " ".join(dict.fromkeys(islice(found, _KEY_WORDS))).casefold() or text[:LONGEST]


def values(c: Comparison) -> tuple[str, str]:
    """What stood there and what stands there now: the names that differ, or the whole clauses."""
    if c.difference == "name":
        old, new = _as_written(c.old, c.old.names - c.shared), _as_written(c.new, c.new.names - c.shared)
        if old and new:
            return old, new
    return c.old.text[:LONGEST], c.new.text[:LONGEST]


def _as_written(clause: Clause, terms: frozenset[str]) -> str:
    return " ".join(dict.fromkeys(word for word in _words(clause.text) if term(fold(word)) in terms))[:LONGEST]


def _words(text: str) -> Iterator[str]:
    """The words one by one; a run of symbols alone is none, however long."""
    return (word for run in _RUN.finditer(text) if (word := run[0].rstrip(_SYMBOLS)))
