"""English: its classes of words. Contractions are read in full ("don't" as "do not")."""

from __future__ import annotations

from truekeep.extractors.rules.lexicon import lexicon

from .english_lessons import LESSONS
from .english_manner import MANNER
from .english_matter import MATTER

_COMMON = """
    the a an and or but of to in on at for with from is are was were be been it this that these those i we you he
    she they them my our your not do does did have has had will would can could should what when how why if so
    then there here just about all no yes me us him her its as by
"""

_SPLITS = {
    "can't": "can not", "cannot": "can not", "cant": "can not", "won't": "will not", "wont": "will not",
    "dont": "do not", "doesnt": "does not", "didnt": "did not", "isnt": "is not", "arent": "are not",
    "wasnt": "was not", "werent": "were not", "havent": "have not", "hasnt": "has not", "hadnt": "had not",
    "shouldnt": "should not", "wouldnt": "would not", "couldnt": "could not", "mustnt": "must not",
    "im": "i am", "ive": "i have", "youre": "you are", "theyre": "they are", "thats": "that is", "its'": "it is",
    "whats": "what is", "heres": "here is", "lets": "let us", "gonna": "going to", "wanna": "want to", "gotta": "must",
    "w/o": "without", "w/": "with", "b/c": "because", "bc": "because", "cuz": "because", "coz": "because",
    "pls": "please", "plz": "please", "u": "you", "ur": "your", "thx": "thanks", "ty": "thanks", "tho": "though",
    "becuase": "because", "untill": "until", "alot": "a lot", "atm": "right now", "rn": "right now",
}  # fmt: skip

ENGLISH = lexicon("en", _COMMON, {**MANNER, **MATTER, **LESSONS}, _SPLITS)
