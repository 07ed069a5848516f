"""all-MiniLM-L6-v2 as int8 ONNX, inside the package: meaning without a download, a key or a network."""

from .embedder import MiniLM
from .loading import verify

__all__ = ["MiniLM", "verify"]
