"""What an adapter says when its framework is not installed."""

from __future__ import annotations

from truekeep.errors import ConfigurationError
from truekeep.extras import to_install


class MissingFramework(ConfigurationError, ImportError):
    """The framework of this adapter is not installed here."""

    def __init__(self, extra: str, error: ImportError) -> None:
        super().__init__(f"{error.name} is not installed here; {to_install(extra)}")
