"""Reading request bodies: bounded, and strict JSON."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from fastapi import Request
from pydantic_core import from_json

from .desk import desk_of
from .problems import Refused, TooLarge, WrongMediaType

SMALL = 1024 * 1024  # bytes: the longest text and its metadata, each character escaped
_NO_NUMBER = re.compile(rb"NaN|Infinity")  # perhaps inside of a text


async def raw_json(request: Request, *, large: bool = False) -> bytes:
    """A body that may be JSON. Most hold one text at most; a `large` one is a batch, a value or a transcript."""
    await desk_of(request).recognise(request)
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise WrongMediaType(f"the body must be application/json, not {kind[:100]!r}")
    most: int = request.app.state.settings.body_bytes
    text = await raw(request, most if large else min(most, SMALL))
    if _NO_NUMBER.search(text):
        json_value(text)  # the models would take them where they ignore or keep anything
    return text


async def raw(request: Request, most: int) -> bytes:
    return b"".join([piece async for piece in pieces(request, most)])


async def pieces(request: Request, most: int) -> AsyncIterator[bytes]:
    """The body as it comes in, refused as soon as it is too large."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:20]) > most:
        raise TooLarge(f"the body has {announced[:20]} bytes; at most {most:,} are accepted")
    size, more = 0, True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise Refused("the body ended early: the caller hung up")
        piece, more = message.get("body", b""), message.get("more_body", False)
        size += len(piece)
        if size > most:
            raise TooLarge(f"the body is larger than {most:,} bytes")
        yield piece


def json_value(text: bytes) -> object:
    """Any JSON value. Strict: NaN and lone surrogates are no JSON."""
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise Refused(f"the body is not JSON: {error}") from error
