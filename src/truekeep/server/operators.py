"""The operator's keys that the settings name: one of a variable, and those of a file, which may change meanwhile."""

from __future__ import annotations

import hmac
import logging
from pathlib import Path

from truekeep.engine import access
from truekeep.errors import ConfigurationError

from .settings import SHORTEST_KEY, ServerSettings

log = logging.getLogger(__name__)


class OperatorsKeys:
    """Tells them from all others. Needs no store, so that an operator is let in when that is out of order."""

    def __init__(self, settings: ServerSettings) -> None:
        own = settings.admin_key
        self._own = [] if own is None else [access.digest(own.get_secret_value())]
        self._file = settings.admin_key_file
        self._seen: tuple[int, ...] = ()
        self._in_file = [] if self._file is None else self._read(self._file)
        self.there_are = settings.has_operators_key

    def know(self, digest: bytes) -> bool:
        self._look_again()
        return any(hmac.compare_digest(digest, one) for one in (*self._own, *self._in_file))

    def _look_again(self) -> None:
        """A file that cannot be used changes nothing: nobody is locked out by a slip, and the log tells it once."""
        if self._file is None or self._version(self._file) == self._seen:
            return
        try:
            self._in_file = self._read(self._file)
            log.info("the operator's keys were read again: %d", len(self._in_file))
        except ConfigurationError as error:
            log.error("%s; those from before still hold", error)

    def _read(self, file: Path) -> list[bytes]:
        self._seen = self._version(file)
        try:
            keys = file.read_text(encoding="utf-8").split()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"admin_key_file cannot be read: {type(error).__name__}") from error
        if not keys or min(map(len, keys)) < SHORTEST_KEY:
            raise ConfigurationError(f"admin_key_file must hold keys of {SHORTEST_KEY} characters or more, one a line")
        return [access.digest(key) for key in keys]

    @staticmethod
    def _version(file: Path) -> tuple[int, ...]:
        try:
            found = file.stat()
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino
