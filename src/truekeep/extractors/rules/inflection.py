"""The forms of regular English verbs, so that a lexicon lists each verb once."""

from __future__ import annotations

_VOWELS = "aeiou"


def inflected(verbs: str) -> str:
    """The verbs, parted by commas, in all their forms: "jam" as jam, jams, jammed, jamming.

    What follows a verb stays: "peel off" as peels off. A "+" marks a last consonant that is doubled.
    """
    return ", ".join(f"{form}{_rest(verb)}" for verb in verbs.split(",") for form in _forms(verb.split()[0]))


def _rest(verb: str) -> str:
    return "".join(f" {word}" for word in verb.split()[1:])


def _forms(verb: str) -> tuple[str, ...]:
    if verb.endswith("+"):
        stem = verb[:-1]
        return stem, f"{stem}s", f"{stem}{stem[-1]}ed", f"{stem}{stem[-1]}ing"
    if verb.endswith("e"):
        return verb, f"{verb}s", f"{verb}d", f"{verb[:-1]}ing"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb, f"{verb[:-1]}ies", f"{verb[:-1]}ied", f"{verb}ing"
    third = f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh")) else f"{verb}s"
    return verb, third, f"{verb}ed", f"{verb}ing"
