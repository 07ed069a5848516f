"""The learned judge inside the package: a MiniLM cross-encoder with three heads, int8 ONNX; its card is beside it."""

from .judge import MiniLMJudge
from .weights import verify

__all__ = ["MiniLMJudge", "verify"]
