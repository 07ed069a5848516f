"""What is never kept: questions, guesses, rumours, sarcasm, credentials, text that is to be worked on."""

from __future__ import annotations

import re

from truekeep.language import ENGLISH, Language, languages
from truekeep.language.reading import Reading, read

_QUOTES = ('"', "'", "\u201c", "\u2018", "\u00ab", "\u201e", "`", "<", "|")
_MIXED = re.compile(r"(?=\D{0,60}\d)(?=[^a-zA-Z]{0,60}[a-zA-Z])\S{8,200}|\w{4,60}[&*#!$%^~]\w{2,60}")
_KEY = re.compile(
    r"(?=[^a-z]{0,60}[a-z])(?=[^A-Z]{0,60}[A-Z])(?=\D{0,60}\d)[\w-]{20,200}|\w{3,12}://[^\s/@:]{1,60}:[^\s/@]{1,60}@\S{1,200}"
)
_DIGITS = re.compile(r"\d{4}")
_LONG = re.compile(r"\S{16,400}")
_EYES = re.compile("[\U0001f644\U0001f643\U0001f612\U0001f921]")  # rolling, upside down, unamused; a clown
_AFTERTHOUGHT = (", not", " NOT", "yeah right", "yeah, right", "oh, right", "sure, right")
_AROUND = ".,;:!?()\"'"
_REQUEST = 60  # characters before the colon behind which a text is handed over
_SURE = ("resolve", "decided", "liking", "ruling", "calling")


def not_handed_over(said: list[str], language: Language) -> list[str]:
    """The sentences of a message up to a text that is to be worked on: "translate this: Ich wohne in Rom."."""
    spoken = (language, languages()[ENGLISH])  # the text is in another one than the request
    for place, sentence in enumerate(said):
        request, colon, _ = sentence[:_REQUEST].partition(":")
        if colon and any(_is_about_a_text(read(request, one)) for one in spoken):
            return said[:place]
    return said


def _is_about_a_text(request: Reading) -> bool:
    return request.opens("rework") or (request.has("rework") and request.opens("please", "request"))


def is_barred(reading: Reading) -> bool:
    """Whether nobody may keep anything of it: it is empty, somebody else's, or hands over a secret."""
    return (
        reading.start >= len(reading.words)
        or reading.text.startswith(_QUOTES)
        or is_credential(reading)
        or (reading.quoted and not reading.has("resolve", "attempt", "liking"))
    )


def is_doubtful(reading: Reading) -> bool:
    """Whether its words tell that it is asked, guessed, heard or not meant."""
    return reading.is_question or is_not_meant(reading)


def is_not_meant(reading: Reading) -> bool:
    """Hypotheses, guesses, rumours and sarcasm."""
    if reading.has("sarcasm") or _is_bitter(reading) or is_winked(reading.text):
        return True
    if reading.has("rumour") and not (reading.has("we") and reading.before("standing", "rumour")):
        return True
    if reading.opens("supposing") or (reading.has("if") and _is_fancied(reading)):
        return True
    if reading.follows("hearsayer", "reported", 3) or reading.language.unmeant.search(reading.text):
        return True
    return reading.has("unsure") and not any(reading.before(sure, "unsure") for sure in _SURE if reading.has(sure))


def _is_fancied(reading: Reading) -> bool:
    """As in "if I win I'm buying a boat", "si nos tocara": what an "if" leads to is only imagined."""
    if reading.has("unreal"):
        return True
    after = range(reading.earliest("if") + 1, len(reading.words))
    if reading.opens("if") and any(reading.at(place, "i") and reading.at(place + 1, "future") for place in after):
        return True
    return any(map(reading.language.fancied.fullmatch, reading.words[after.start :]))


def is_winked(text: str) -> bool:
    """Whether a sign says that it is not meant: "/s", rolling eyes."""
    bare = text.rstrip(".! ")
    if bare.endswith((" /s", *_AFTERTHOUGHT)) or bare.lower() in _AFTERTHOUGHT:
        return True
    return not text.isascii() and _EYES.search(text) is not None


def _is_bitter(reading: Reading) -> bool:
    """As in "great, the lift is broken again", "sure, the bus is always on time", "a culinary triumph, lol"."""
    if reading.has("hype") and (reading.has("joke") or reading.at(0, "cheer")):
        return True
    if reading.has("attempt", "regret", "avoid", "because"):
        return False
    if "best" in reading.words and "ever" in reading.words[reading.words.index("best") :]:
        return True
    if reading.at(0, "cheer"):
        return reading.has("failure", "mishap", "again") or "another" in reading.words[1:4]
    return reading.at(0, "assent") and reading.has("ever") and not reading.has("i", "we", "own", "you")


def is_credential(reading: Reading) -> bool:
    """A sentence that hands over a password or a card holds nothing else that is worth keeping."""
    if reading.has("secret"):
        tokens = [token.strip(_AROUND) for token in reading.text.split()]
        return any(map(_MIXED.fullmatch, tokens)) or sum(map(bool, map(_DIGITS.fullmatch, tokens))) > 2
    return any(_KEY.fullmatch(token.strip(_AROUND)) for token in _LONG.findall(reading.text))
