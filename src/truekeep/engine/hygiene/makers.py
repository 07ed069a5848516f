"""Keys, tokens and passwords that can be told by their own shape, or by where they stand: a header, a URL, a frame.

Most makers begin theirs with a prefix. Prefixes are public, so that scanners can find what leaked. Lengths are taken
generously: makers change them, and people shorten what they paste.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from .shape import is_random, is_reference
from .spans import Span

_SHORTEST = 16  # every shape below has that many characters without a blank among them
_FREE = r"(?<![A-Za-z0-9])"  # not in the middle of a longer word


class _Shape(NamedTuple):
    trigger: str  # stands in every text that the pattern matches: looking for it is cheap
    pattern: str
    kind: str
    is_certain: bool = True  # else what follows the prefix must look random, too
    least: int = 4  # characters of the part of it that does


def _prefixed(prefixes: str, body: str, kind: str) -> list[_Shape]:
    return [_Shape(prefix, re.escape(prefix) + f"({body})", kind) for prefix in prefixes.split()]


_WORD = r"[A-Za-z0-9]{16,}"
_DASHED = r"[A-Za-z0-9_-]{16,}"
_SHAPES = (
    # Amazon: an id, and the secret that is often pasted beside it
    *(_Shape(p, rf"{p}[A-Z2-7]{{12,}}(?:[^\n]{{0,40}}?(?:\n[^\n]{{0,40}}?)?(?<![\w/+])(?![0-9a-f]{{40}})"
             r"[A-Za-z0-9/+]{40}(?![\w/+]))?", "api-key")
      for p in ("AKIA", "ASIA")),
    *_prefixed("ghp_ gho_ ghu_ ghs_ ghr_", _WORD, "token"),
    *_prefixed("github_pat_", r"[A-Za-z0-9_]{16,}", "token"),
    *_prefixed("glpat- gldt- glrt- glptt- glcbt- glsoat- glft- glimt- glagent-", r"[A-Za-z0-9_.-]{16,}", "token"),
    *_prefixed("xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxc- xoxd- xapp-", r"[A-Za-z0-9%.-]{11,}", "token"),
    _Shape("hooks.slack.com/", r"(?<=hooks\.slack\.com/)(?:services|workflows)/[A-Za-z0-9/_-]{16,}", "token"),
    _Shape("/api/webhooks/", r"(?<=/api/webhooks/)\d{10,}/[\w-]{20,}", "token"),
    _Shape("AIza", r"AIza[A-Za-z0-9_-]{24,}", "api-key"),
    *_prefixed("ya29. GOCSPX-", _DASHED, "token"),
    _Shape("1//0", r"1//0[A-Za-z0-9_-]{24,}", "token"),
    *_prefixed("npm_ hf_ api_org_", _WORD, "token"),
    *_prefixed("pypi- dckr_pat_ rubygems_ lin_api_ figd_ sntrys_ sntryu_ glsa_ pscale_tkn_", _DASHED, "token"),
    *_prefixed("dop_v1_ doo_v1_ dor_v1_ shpat_ shpss_ shpca_ shppa_ sbp_ nfp_ ntn_ ATATT3 dapi", _DASHED, "token"),
    *_prefixed("hvs. hvb. dp.pt. dp.st. lsv2_pt_ lsv2_sk_ AGPA AKCp", _DASHED, "token"),
    *_prefixed("sq0atp- sq0csp- EAAAE NRAK- PMAK- HRKU- pcsk_ r8_ gsk_ pplx- xai- whsec_", _DASHED, "api-key"),
    _Shape("SG.", r"SG\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}", "api-key"),
    _Shape("SK", r"SK[0-9a-f]{32}(?![0-9A-Za-z])", "api-key"),  # Twilio
    _Shape("key-", r"key-[0-9a-f]{32}(?![0-9A-Za-z])", "api-key"),  # Mailgun
    _Shape("-us", r"[0-9a-f]{32}-us\d{1,2}(?!\w)", "api-key"),  # Mailchimp
    _Shape(":AA", r"\d{6,12}:AA[A-Za-z0-9_-]{24,}", "token"),  # a Telegram bot
    _Shape("8Q~", r"[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{24,}", "api-key"),  # an Azure application
    _Shape("sig=", r"(?<=[?&;]sig=)[A-Za-z0-9%+/=_-]{20,}", "token"),  # a shared access signature
    _Shape("Signature=", r"(?<=Signature=)[A-Za-z0-9%+/=_-]{20,}", "token"),
    _Shape(".", r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,64}", "token"),  # a Discord bot
    # Hashes of passwords, as in /etc/shadow and .htpasswd
    _Shape("$", r"\$(?:apr1|[1256y]|2[abxy]|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,16})\$[^\s:;\"'<>]{20,256}",
           "password"),
    _Shape("AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{20,}", "private-key"),
    _Shape("eyJ", r"(?<![_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{4,})*", "token"),  # a JWT
    # Prefixes that ordinary names may begin with, too
    _Shape("tk_", r"tk_([A-Za-z0-9_-]{16,})", "api-key", False),
    _Shape("sk-", r"sk-([A-Za-z0-9_-]{14,})", "api-key", False),
    _Shape("sk_", r"sk_([A-Za-z0-9_-]{14,})", "api-key", False),
    *(_Shape(f"{sep}{env}{sep}", rf"[A-Za-z][A-Za-z0-9]{{1,15}}{sep}{env}{sep}([A-Za-z0-9_-]{{12,}})", "api-key", False,
             least=12)  # a bucket is called acme-prod-logs-4k2j9x
      for env in ("live", "test", "prod", "sandbox") for sep in "_-"),
)  # fmt: skip

_HEADERS = re.compile(
    r"(?:\bauthori[sz]ation[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:basic|bearer|token|apikey|digest)\s{1,3}([a-z0-9._~+/=-]{6,})"
    r"|\bbearer\s{1,3}([a-z0-9._~+/=-]{16,}))"
)
# A user and his password, as browsers send them and Docker keeps them.
_BASIC = re.compile(r"(?:\bbasic\s{1,3}|\bauth[\"']?\s{0,3}[:=]\s{0,3}[\"']?)([a-z0-9+/=]{8,512})")

_IN_URL = r"(?<=://)[^\s/?#@:\"'<>\\[]{0,128}"
_STRICT = re.compile(rf"{_IN_URL}:(?P<password>[^\s/?#\"'<>]{{1,256}})@(?=[\w\[.-])")
_SLOPPY = re.compile(
    rf"{_IN_URL}:(?P<password>(?!\d{{1,5}}[/?#])[^\s\"'<>@]{{1,256}})@(?=[\w.-]{{1,255}}(?::\d{{1,5}})?(?:[/?\s]|$))"
)
_ALONE_IN_URL = re.compile(r"(?<=://)(?P<token>[^\s/?#@:\"'<>]{16,512})@(?=[\w.-])")


def find(text: str, lowered: str) -> Iterator[Span]:
    """Keys and tokens in the text; `lowered` is the same text in lower case, of the same length."""
    if "bearer" in lowered or "authori" in lowered:
        yield from _in_headers(text, lowered)
    if "basic" in lowered or "auth" in lowered:
        for match in _BASIC.finditer(lowered):
            if _is_a_pair(text[slice(*match.span(1))]):
                yield Span(*match.span(1), "token")
    if max(map(len, text.split()), default=0) < _SHORTEST:
        return
    for shape in _SHAPES:
        if shape.trigger not in text:
            continue
        for match in _compiled(shape.pattern).finditer(text):
            if shape.is_certain or is_random(match[1], least=shape.least):
                yield Span(*match.span(), shape.kind)


def in_urls(text: str) -> Iterator[Span]:
    """Passwords in the URLs of the text, and tokens in the place of a user; the rest of the address stays."""
    if "://" not in text or "@" not in text:
        return
    taken = set()
    for pattern in (_STRICT, _SLOPPY):  # an unescaped slash in a password is wrong, and found in the wild
        for match in pattern.finditer(text):
            if match.start() not in taken and not is_reference(match["password"]):
                taken.add(match.start())
                yield Span(*match.span("password"), "url-password")
    for match in _ALONE_IN_URL.finditer(text):
        if is_random(match["token"]):
            yield Span(*match.span("token"), "token")


def _in_headers(text: str, lowered: str) -> Iterator[Span]:
    for match in _HEADERS.finditer(lowered):
        place = match.lastindex or 1
        value = text[slice(*match.span(place))]
        if is_random(value) if place == 2 else not is_reference(value):
            yield Span(*match.span(place), "token")


def _is_a_pair(value: str) -> bool:
    """Whether it is "user:password" in base64."""
    try:
        said = base64.b64decode(value, validate=True).decode()
    except ValueError:
        return False
    return ":" in said[1:-1] and said.isprintable()


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Made when it is first needed: all of them at once would slow every start."""
    return re.compile(pattern if pattern.startswith("(?<=") else _FREE + pattern)


_BREAK = r"(?:[\s>|\"'+,]|\\[rnt])"  # a line break, also as code and mails write it
_FRAME = re.compile(
    r"-----(?P<edge>BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?P<putty>Private-Lines: \d{1,4})"
)
_HEADER = re.compile(
    rf"{_BREAK}{{0,16}}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Private-MAC): ?[^\n\\]{{0,200}}"
)
_LINE = re.compile(rf"{_BREAK}{{0,16}}(?P<line>[A-Za-z0-9+/=]{{1,4096}})")
_SHORT_LINE = 16  # a shorter line is one of the key only after a longer one
_LAST_LINE = re.compile(rf"[A-Za-z0-9+/=]{{{_SHORT_LINE},}}\s{{1,2}}")
_LONGEST_KEY = 32 * 1024  # of a block; an RSA key of 16,384 bits has 13 KB


def in_frames(text: str) -> Iterator[Span]:
    """Private keys in their frames: whole blocks, also those that were cut off at either end."""
    if "PRIVATE KEY" not in text and "Private-Lines" not in text:
        return
    begun: re.Match[str] | None = None
    for frame in _FRAME.finditer(text):
        if frame["edge"] != "END":
            if begun is not None:
                yield from _cut_off(text, begun)
            begun = frame
        elif begun is not None and frame.start() - begun.end() <= _LONGEST_KEY:
            yield Span(begun.start(), frame.end(), "private-key")
            begun = None
        elif (start := _start_of_lines(text, frame.start())) < frame.start():
            yield Span(start, frame.end(), "private-key")
    if begun is not None:
        yield from _cut_off(text, begun)


def _cut_off(text: str, begun: re.Match[str]) -> Iterator[Span]:
    """A key without its end; a frame with nothing in it is no secret."""
    end = _end_of_lines(text, begun.end())
    if end > begun.end():
        yield Span(begun.start(), end, "private-key")


def _end_of_lines(text: str, place: int) -> int:
    """Where the lines of a key end that has no end of its own."""
    longest = 0
    while (header := _HEADER.match(text, place)) and not longest:
        place = header.end()
    while line := _LINE.match(text, place):
        size = len(line["line"])
        if size < _SHORT_LINE:
            return line.end() if longest >= 2 * _SHORT_LINE and _is_last(text, line) else place
        longest = max(longest, size)
        place = line.end()
    return place


def _is_last(text: str, line: re.Match[str]) -> bool:
    """Whether a short line is the last of a key, rather than a word that follows it."""
    broken = text[line.start() : line.start("line")]
    return broken in ("\n", "\r\n", "\\n", "\\r\\n") and bool(re.search(r"[0-9+/=]|[a-z][A-Z]", line["line"]))


def _start_of_lines(text: str, end: int) -> int:
    """Where the lines of a key begin that has no beginning of its own."""
    start = end
    while start > 0:
        before = text.rfind("\n", max(0, start - _LONGEST_KEY), start - 1) + 1
        if not _LAST_LINE.fullmatch(text, before, start):
            break
        start = before
    return start
