"""What is worth keeping in a conversation, found by plain rules and no model that has to be loaded.

`conversation` walks through the messages, `truekeep.language.reading` turns a sentence into the classes of words of its
language, `vetoes` says what is never kept and `clear` what always is; all else is weighed in `judgement` by its `signs`
with `weights` that were fitted on our own conversations.
"""

from .extractor import RulesExtractor

__all__ = ["RulesExtractor"]
