"""The learned judge inside the package: a cross-encoder with three heads, int8 ONNX; its card is beside it."""

from .judge import LearnedJudge, verify

__all__ = ["LearnedJudge", "verify"]
