"""`LLMExtractor`: a language model suggests what to keep; nothing is kept that it cannot quote."""

from .endpoint import Budget
from .extractor import LLMExtractor

__all__ = ["Budget", "LLMExtractor"]
