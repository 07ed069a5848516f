"""Text that poses as an instruction to whoever reads it.

Lists of phrases stop the clumsy only: whoever knows them writes around them. The defence is that trust comes from the
source, that what comes from nobody we trust can be left out (`min_trust`), and that a source can be rolled back.
"""

from __future__ import annotations

import re

from truekeep.normal_forms import normal_form

from .phrases import patterns
from .spans import INVISIBLE

_TAG = re.compile(r"</?[a-z][^<>]{0,200}>")
_BETWEEN = re.compile(r"(?:[^\w.!?:;'<>|\[\]]|_)+")  # words of one sentence
_BLANKS = re.compile(r"[^\S\n]+")
_LONGEST = 160  # of the phrase that is told


def poses_as_instruction(text: str) -> str | None:
    """The phrase that gives the text away, in lower case; None when there is none."""
    plain = _plain(text)
    for form in dict.fromkeys((plain, _unmarked(plain))):
        for pattern in patterns(beyond_ascii=not form.isascii()):
            if found := pattern.search(form):
                return found[0].strip()[:_LONGEST]
    return None


def _plain(text: str) -> str:
    """One form for what is written in several, without what nobody sees."""
    if not text.isascii():
        text = INVISIBLE.sub("", normal_form("NFKC", text)).replace("\u2019", "'")
    return _BLANKS.sub(" ", text.casefold())


def _unmarked(plain: str) -> str:
    """The words of each sentence with a blank between them, whatever stands there: a line break, a hyphen, markup."""
    return _BETWEEN.sub(" ", _TAG.sub(" ", plain))
