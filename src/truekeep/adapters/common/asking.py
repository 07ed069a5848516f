"""Whether a message only asks. The best match for a question is the same question, and that answers nothing."""

from __future__ import annotations

_MARKS = ("?", "\uff1f", "\u061f")


def only_asks(text: str) -> bool:
    """Whether all of its sentences are questions, also without their marks, as people type."""
    # Here and not above: an agent that recalls no messages needs no words of seven languages.
    from truekeep.extractors.prose import sentences
    from truekeep.extractors.rules.reading import read
    from truekeep.extractors.rules.vetoes import is_question
    from truekeep.language import language_of

    said = [*sentences(text)]
    language = language_of(said)
    return bool(said) and all(one.endswith(_MARKS) or is_question(read(one, language)) for one in said)
