"""What is known of each language: its words, one file each, and how to tell languages apart.

A new language is a new file, named by its code; `en.toml` explains what stands in it. No other module names a language
beside English, which is taken where words do not tell.
"""

from .guess import language_of
from .words import ENGLISH, OTHER, Entry, Language, language, languages, phrases_of

__all__ = ["ENGLISH", "OTHER", "Entry", "Language", "language", "language_of", "languages", "phrases_of"]
