"""Which parts of a message are its speaker's own words, and the sentences in them. Everything here is linear."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.fence import CODE_FENCES, without_recalled

_RECALLED_PROMPT = "relevant memory:"  # the heading of the template "prompt"; bullets follow
_GAP = re.compile(r"\s+")
_BULLET = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_CLOSING = "\"'\u201d\u2019)]*_"
_ABBREVIATIONS = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "dr.", "mr.", "mrs.", "ms.", "prof.", "st.")


def own_words(text: str) -> str:
    """The text without recalled memory, code blocks and quoted lines; an empty line stands where they were."""
    kept: list[str] = []
    fence: str | None = None
    recalled = False
    for line in without_recalled(text).split("\n"):
        bare = line.strip()
        if fence is None and bare.startswith(CODE_FENCES):
            fence = bare[:3]
        elif fence is not None:
            fence = None if bare.startswith(fence) else fence
        elif bare.lower() == _RECALLED_PROMPT:
            recalled = True
        elif recalled and (not bare or line.startswith(("- ", "  "))):
            continue
        elif not bare.startswith(">"):
            recalled = False
            kept.append(line)
            continue
        kept.append("")
    return "\n".join(kept)


def sentences(text: str) -> Iterator[str]:
    """The sentences, white space within them made single; bullets and numbers of lists are dropped."""
    start = word = 0
    for gap in _GAP.finditer(text):
        if _ends(text[word : gap.start()], gap.group(), text[gap.end() : gap.end() + 1]):
            yield from _clean(text[start : gap.start()])
            start = gap.end()
        word = gap.end()
    yield from _clean(text[start:])


def _ends(word: str, gap: str, following: str) -> bool:
    """Whether a sentence ends between a word and what follows it."""
    bare = word.rstrip(_CLOSING)
    closed = bare.endswith((".", "!", "?", "…", ":", ";"))
    if "\n" in gap:
        return closed or gap.count("\n") > 1 or not following.islower()  # a lower letter goes on with a wrapped line
    if not bare.endswith((".", "!", "?", "…")):
        return False
    return bare.lower() not in _ABBREVIATIONS and not (len(bare) == 2 and bare[0].isupper() and bare[1] == ".")


def _clean(sentence: str) -> Iterator[str]:
    words = sentence.split()
    cleaned = " ".join(words)
    bullet = _BULLET.match(cleaned)
    cleaned = cleaned[bullet.end() :] if bullet else cleaned
    if cleaned:
        yield cleaned
