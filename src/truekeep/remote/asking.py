"""Asking a server: a request as it wants it, sent on the line to it, and its answer read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from truekeep.errors import StoreError

from . import bodies
from .address import addresses_of
from .line import CLOSED, Call, Line, Patience, join, leave

_T = TypeVar("_T")


class Asking:
    """Whoever has a line to a server."""

    def __init__(self, *, at: str, key: str | None, patience: Patience | None = None) -> None:
        addresses = addresses_of(at, key)
        self.place = ",".join(address.url for address in addresses)
        self._held: Line | None = join(addresses, patience or Patience(), self)

    @property
    def _line(self) -> Line:
        if self._held is None:
            raise StoreError(CLOSED)
        return self._held

    def _get(self, path: str, decode: Callable[[Any], _T], *parameters: tuple[str, str], **options: Any) -> _T:
        return self._call(Call(method="GET", path=path, parameters=parameters, **options), decode)

    def _delete(self, path: str, decode: Callable[[Any], _T], **options: Any) -> _T:
        return self._call(Call(method="DELETE", path=path, **options), decode)

    def _send(self, method: str, path: str, body: object, decode: Callable[[Any], _T], **options: Any) -> _T:
        headers = {"Content-Type": "application/json", **options.pop("headers", {})}
        call = Call(method=method, path=path, body=bodies.json_bytes(body), headers=headers, **options)
        return self._call(call, decode)

    def _call(self, call: Call, decode: Callable[[Any], _T]) -> _T:
        line = self._line
        answer = line.ask(call)
        try:
            return decode(answer)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            problem = f"the answer of {line.address.url} is not understood; is the server of another version?"
            raise StoreError(problem) from error

    def close(self) -> None:
        line, self._held = self._held, None
        if line is not None:
            leave(line, self)


def each(name: str, decode: Callable[[Any], _T]) -> Callable[[Any], list[_T]]:
    return lambda answer: [decode(one) for one in answer[name]]
