"""The HTTP client behind `Memory(at="https://...")`."""

from .line import Patience
from .remote import Remote

__all__ = ["Patience", "Remote"]
