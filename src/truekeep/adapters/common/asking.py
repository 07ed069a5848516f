"""Whether a message only asks, or says nothing at all.

The best match for a question is the same question, and that answers nothing; and for "ok" there is none.
"""

from __future__ import annotations

import re

_COMMAND = re.compile(r"/[\w:-]+")
_SHORT = 60  # characters
_MARKS = ("?", "\uff1f", "\u061f")


def only_asks(text: str) -> bool:
    """Whether all of its sentences are questions, also without their marks, as people type."""
    # Here and not above: an agent that recalls no messages needs no words of seven languages.
    from truekeep.extractors.rules.reading import read
    from truekeep.extractors.rules.vetoes import is_question
    from truekeep.language import language_of, sentences

    said = [*sentences(text)]
    language = language_of(said)
    return bool(said) and all(one.endswith(_MARKS) or is_question(read(one, language)) for one in said)


def says_nothing(text: str) -> bool:
    """Whether there is nothing to recall for: it is empty, "ok", "great, thanks!", or a command such as "/compact"."""
    from truekeep.extractors.rules.reading import read
    from truekeep.language import languages

    said = text.strip()
    if not said or _COMMAND.fullmatch(said):
        return True
    return len(said) <= _SHORT and any(read(said, language).length == 0 for language in languages().values())
