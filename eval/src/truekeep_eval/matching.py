"""How the sets that judge belief and extraction compare texts: by substrings, without regard to case or line breaks."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from truekeep.index.stem import stem

_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s+")

_EMPTY = re.compile(  # words that the same claim may do without
    "a|also|an|and|are|as|at|be|been|but|by|d|did|do|does|for|from|had|has|have|he|her|hers|him|his|i|in|is|it|its|just|ll"
    "|m|me|mine|my|now|of|ok|okay|on|or|our|ours|re|really|s|she|so|still|t|that|the|their|them|then|there|they|this|to"
    "|too|us|user|ve|was|we|were|will|with|yes|you|your"
)


def normal(text: str) -> str:
    """Lower case, and one space for each run of white space; nothing else is touched."""
    return _SPACE.sub(" ", text.lower())


def holds(text: str, part: str) -> bool:
    """Whether the part stands somewhere in the text."""
    return normal(part) in normal(text)


def overlaps(text: str, other: str) -> bool:
    """Whether a piece of text that both have in common is at least half of the shorter one."""
    one, two = normal(text).strip(), normal(other).strip()
    common = SequenceMatcher(None, one, two, autojunk=False).find_longest_match()
    return 0 < min(len(one), len(two)) <= 2 * common.size


def tells(text: str, other: str) -> bool:
    """Whether it has every word of the other one that carries meaning, and every number, in whatever form and order."""
    return _contents(other) <= _contents(text)


def _contents(text: str) -> set[str]:
    return {stem(word) for word in _WORD.findall(text.lower()) if not _EMPTY.fullmatch(word)}
