"""What is worth keeping in a conversation, found by plain rules and no model.

`extractor` walks through the messages, `reading` turns a sentence into classes of words by a `lexicon` of its language
(`english`, `languages`), `vetoes` says what is never kept, `kinds` what always is (`lessons` by the signs of
`experience`), and `score` judges the rest.
"""

from .extractor import RulesExtractor

__all__ = ["RulesExtractor"]
