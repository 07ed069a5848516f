"""Passwords and tokens in URLs; the rest of the address stays."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .shape import is_random, is_reference
from .spans import Span

_USER = r"(?<=://)[^\s/?#@:\"'<>\\[]{0,128}"
_STRICT = re.compile(rf"{_USER}:(?P<password>[^\s/?#\"'<>]{{1,256}})@(?=[\w\[.-])")
_SLOPPY = re.compile(
    rf"{_USER}:(?P<password>(?!\d{{1,5}}[/?#])[^\s\"'<>@]{{1,256}})@(?=[\w.-]{{1,255}}(?::\d{{1,5}})?(?:[/?\s]|$))"
)
_ALONE = re.compile(r"(?<=://)(?P<token>[^\s/?#@:\"'<>]{16,512})@(?=[\w.-])")


def find(text: str) -> Iterator[Span]:
    """Passwords in the URLs of the text, and tokens that stand in the place of a user."""
    if "://" not in text or "@" not in text:
        return
    taken = set()
    for pattern in (_STRICT, _SLOPPY):  # an unescaped slash in a password is wrong, and found in the wild
        for match in pattern.finditer(text):
            if match.start() not in taken and not is_reference(match["password"]):
                taken.add(match.start())
                yield Span(*match.span("password"), "url-password")
    for match in _ALONE.finditer(text):
        if is_random(match["token"]):
            yield Span(*match.span("token"), "token")
