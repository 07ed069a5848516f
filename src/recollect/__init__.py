"""Recollect: persistent memory for AI agents."""

from ._version import __version__

__all__ = ["__version__"]
