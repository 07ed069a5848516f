"""Meaning in sixteen languages, in the space of MiniLM: the extra `multilingual`."""

from .embedder import Multilingual, is_installed, verify

__all__ = ["Multilingual", "is_installed", "verify"]
