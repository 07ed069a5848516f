"""What is known of each language: its words, one file each, how to tell languages apart, to cut sentences and words.

A new language is a new file, named by its code; `en.toml` explains what stands in it. No other module names a language
beside English, which is taken where words do not tell.
"""

from .gloss import glossed
from .guess import is_english, language_of
from .sentences import sentences
from .words import ENGLISH, OTHER, Language, language, languages, phrases_of

__all__ = [
    "ENGLISH",
    "OTHER",
    "Language",
    "glossed",
    "is_english",
    "language",
    "language_of",
    "languages",
    "phrases_of",
    "sentences",
]
