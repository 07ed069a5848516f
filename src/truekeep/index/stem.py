"""A compact suffix stripper for English: words that mean the same end up as the same stem.

The stems are keys of an index and never shown, so they need not be words; they only have to agree. It follows the idea
of Porter (1980), that a suffix may go when enough syllables stay, with a table of irregular forms in front.
"""

from __future__ import annotations

import re

# Forms that no suffix rule can bring together. Only words that people really use about themselves and their work.
_IRREGULAR = {
    form: base
    for base, forms in {
        "begin": "began begun",
        "break": "broke broken",
        "bring": "brought",
        "build": "built",
        "buy": "bought",
        "catch": "caught",
        "child": "children",
        "choose": "chose chosen",
        "come": "came",
        "decide": "decision decisions",
        "do": "did done does",
        "draw": "drew drawn",
        "drink": "drank drunk",
        "drive": "drove driven",
        "eat": "ate eaten",
        "fall": "fell fallen",
        "feel": "felt",
        "fight": "fought",
        "find": "found",
        "fly": "flew flown",
        "foot": "feet",
        "forget": "forgot forgotten",
        "get": "got gotten",
        "give": "gave given",
        "go": "went gone goes",
        "grow": "grew grown",
        "have": "had has",
        "hear": "heard",
        "hide": "hid hidden",
        "hold": "held",
        "keep": "kept",
        "know": "knew known",
        "lead": "led",
        "leave": "left",
        "lose": "lost",
        "make": "made",
        "man": "men",
        "meet": "met",
        "mouse": "mice",
        "pay": "paid payment payments",
        "person": "people persons",
        "ride": "rode ridden",
        "run": "ran",
        "say": "said",
        "see": "saw seen",
        "sell": "sold",
        "send": "sent",
        "sing": "sang sung",
        "sleep": "slept",
        "speak": "spoke spoken",
        "spend": "spent",
        "steal": "stole stolen",
        "swim": "swam swum",
        "take": "took taken",
        "teach": "taught",
        "tell": "told",
        "think": "thought",
        "tooth": "teeth",
        "understand": "understood",
        "wear": "wore worn",
        "wife": "wives",
        "win": "won",
        "woman": "women",
        "write": "wrote written",
    }.items()
    for form in forms.split()
}

# Their last letter is no plural.
_WHOLE = frozenset(
    ("always", "canvas", "chaos", "gas", "kubernetes", "lens", "news", "pandas", "perhaps", "series", "species")
)

# Suffix to what takes its place, when the stem before it holds a syllable.
_FIRST = {
    "ational": "ate",
    "ization": "ize",
    "fulness": "ful",
    "ousness": "ous",
    "iveness": "ive",
    "tional": "tion",
    "biliti": "ble",
    "ation": "ate",
    "alism": "al",
    "aliti": "al",
    "iviti": "ive",
    "ousli": "ous",
    "entli": "ent",
    "izer": "ize",
    "ator": "ate",
    "alli": "al",
    "abli": "able",
    "enci": "ence",
    "anci": "ance",
    "logi": "log",
    "li": "",
}
_SECOND = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ness": "", "ful": ""}
# These go when so many syllables stay: action, act; but not comic, com.
_LAST = {
    **dict.fromkeys(("ance", "ence", "able", "ible", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize"), 2),
    **dict.fromkeys(("al", "er", "ic", "ou"), 2),
    **dict.fromkeys(("sion", "tion", "ment"), 1),
}
_SYLLABLE = re.compile(r"[aeiouy]+[^aeiouy]+")
_VOWEL = re.compile(r"[aeiouy]")
_SHORT = re.compile(r"(?:^|.*[^aeiouy])[aeiouy][^aeiouwxy]")
# A search meets the longest suffix of a word first.
_FIRST_SUFFIX, _SECOND_SUFFIX, _LAST_SUFFIX = (
    re.compile(rf"(?:{'|'.join(table)})\Z") for table in (_FIRST, _SECOND, _LAST)
)
LONGEST = 32  # longer runs of letters are no English words


def stem(word: str) -> str:
    """The stem of a word in lower case; what is none of English letters is its own."""
    word = _IRREGULAR.get(word, word)
    if not 3 <= len(word) <= LONGEST or not (word.isascii() and word.isalpha()) or word in _WHOLE:
        return word
    word = _without_inflection(_singular(word))
    if len(word) > 2 and word[-1] == "y" and word[-2] not in "aeiou":
        word = word[:-1] + "i"
    for suffix, table in ((_FIRST_SUFFIX, _FIRST), (_SECOND_SUFFIX, _SECOND)):
        found = suffix.search(word)
        if found and _SYLLABLE.search(word, 0, found.start()):
            word = word[: found.start()] + table[found[0]]
    return _without_final_e(_without_suffix(word))


def _singular(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word[-1] == "s" and word[-2] not in "sui" and len(word) > 3:
        return word[:-1]
    return word


def _without_inflection(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _SYLLABLE.search(word[:-3]) else word
    for suffix in ("ied", "ed", "ing"):
        base = word.removesuffix(suffix)
        if base == word or not _VOWEL.search(base):
            continue
        if suffix == "ied":
            return base + "i"
        if base.endswith(("at", "bl", "iz")):
            return base + "e"
        if base[-1] == base[-2:-1] and base[-1] not in "aeioulsz":
            return base[:-1]
        return base + "e" if len(_SYLLABLE.findall(base)) == 1 and _SHORT.fullmatch(base) else base
    return word


def _without_suffix(word: str) -> str:
    found = _LAST_SUFFIX.search(word)
    if found is None:
        return word
    suffix, base = found[0], word[: found.start()]
    if suffix in ("sion", "tion"):
        base += suffix[0]
    if suffix == "ment" and len(base) < 4:
        return word  # comment is not about com
    return base if len(_SYLLABLE.findall(base)) >= _LAST[suffix] else word


def _without_final_e(word: str) -> str:
    if word[-1] == "e":
        base = word[:-1]
        count = len(_SYLLABLE.findall(base))
        if count > 1 or (count == 1 and not _SHORT.fullmatch(base)):
            word = base
    if word.endswith("ll") and len(_SYLLABLE.findall(word[:-1])) > 1:
        word = word[:-1]
    return word
