"""The HTTP client behind `Memory(at="https://...")`."""

from .patience import Patience
from .remote import Remote

__all__ = ["Patience", "Remote"]
