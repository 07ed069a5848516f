"""Secrets that a text names: "password: hunter2", "my PIN is 4711", "Das Passwort lautet ...".

Or that a table names, in the heading of their column: "| user | password |".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from .shape import Introduced, Link, is_phrase, is_random, is_reference, is_secret
from .spans import Span, made_later
from .words import AS, CJK_IS, CJK_PASSWORD, CJK_TOKEN, IS, MINE, NAMES, NOW, OF, Name, blanks

_QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u201e": "\u201c", "\u00ab": "\u00bb", "\u2018": "\u2019"}
_BARE = re.compile(r"[^\s\"'`<>\u201c\u201d\u00ab\u00bb\u3001\u3002\uff0c]{1,512}")
_NEXT_SETTING = re.compile(r"[&;,](?=\s?[\w.%-]{1,40}(?: [\w.%-]{1,40})?=)")
_WALLET = re.compile(r"(?:[a-z]{3,10}[ ,]{1,2}){11,23}[a-z]{3,10}")  # the words of a recovery phrase
_PHRASE = re.compile(r"[^\W\d_][\w'-]{0,30}(?: [^\W_][\w'-]{0,30}){1,9}(?=[.!?,;)\n]|$)")  # and no more in its clause
_ENDS = ".,;:)]}*|"  # belong to the sentence rather than to the value
_QUOTED_ENDS = _ENDS + "\"'`("
_NEAR = 24  # characters before a name, within which it is said what it belongs to
_LONGEST_BEFORE = 16  # of what stands before a stem
_CELL = re.compile(r"[^|\n]*")
_LONGEST_CELL, _LONGEST_HEADING = 256, 64  # characters
_BY_STEM = tuple(
    (stem, tuple(name for name in NAMES if name.stem == stem)) for stem in sorted({name.stem for name in NAMES})
)
_IN_ASCII = tuple((stem, names) for stem, names in _BY_STEM if stem.isascii())


class _Named(NamedTuple):
    """Where a text names a secret."""

    kind: str
    start: int
    end: int


def find(text: str, lowered: str) -> Iterator[Span]:
    """Secrets that are named in the text; `lowered` is the same text in lower case, of the same length."""
    for named in _names(lowered):
        span = _after(text, lowered, named) or _before(text, lowered, named)
        if span is not None:
            yield span
            yield from _next_one(text, lowered, span)
    if "cred" in lowered or "login" in lowered or "/" in lowered:
        yield from _in_pairs(text, lowered)
    if "sshpass" in text:
        for match in _sshpass().finditer(text):
            if is_secret(match["value"], Introduced(kind="password", link="none")):
                yield Span(*match.span("value"), "password")
    if ":" in text:
        for match in _pgpass().finditer(text):
            yield Span(*match.span("value"), "password")
    if " -u" in text or "--user" in text or "--proxy-user" in text:
        for match in _option().finditer(text):
            yield Span(*match.span("value"), "password")
    if not text.isascii():
        yield from _in_cjk(text, lowered)


def under(name: str, value: str) -> str | None:
    """The kind of secret that stands under a name, as in JSON; None when it is no secret."""
    kind = kind_of(name)
    if kind is None or not value:
        return None
    how = Introduced(kind=kind, link="sign", is_quoted=" " not in value, is_tight=True)
    return kind if is_secret(value, how) else None


def kind_of(name: str) -> str | None:
    """The kind of secret that a name ends with; None when it names none."""
    return next((named.kind for named in _names(name.lower()) if named.end == len(name)), None)


def _names(lowered: str) -> Iterator[_Named]:
    """Where secrets are named. Most texts have none of the stems, and looking for those costs next to nothing."""
    for stem, names in _IN_ASCII if lowered.isascii() else _BY_STEM:
        if stem in lowered:
            for name in names:
                yield from _places(lowered, name)


def _places(lowered: str, name: Name) -> Iterator[_Named]:
    place = lowered.find(name.stem)
    while place >= 0:
        before = _before_stem(name).search(lowered, max(0, place - _LONGEST_BEFORE), place)
        whole = _from_stem(name).match(lowered, place) if before else None
        if before and whole:
            yield _Named(name.kind, before.start(), whole.end())
        place = lowered.find(name.stem, place + 1)


def _after(text: str, lowered: str, named: _Named) -> Span | None:
    """The value that follows a name."""
    match = _link().match(lowered, named.end)
    if match is None:
        return None
    link: Link = "sign" if match["sign"] or match["colon"] else "word" if match["word"] else "none"
    name = text[named.start : named.end]
    start, end, is_quoted = _extent(text, match.end(), link)
    if link == "none" and not _is_bare_name(name, named.kind, text[start:end]):
        return None
    if named.kind == "private-key" and (words := _WALLET.match(text, start)):
        return Span(*words.span(), named.kind)
    if link != "none" and not is_quoted and _is_said_in_words(lowered, named, match.end()):
        end = _end_of_phrase(text, start, end)
    value, between = text[start:end], text[named.end : start]
    how = Introduced(
        kind=named.kind,
        link=link,
        is_quoted=is_quoted,
        is_tight="=" in between and not re.search(r"\s", between),
        after=text[end : end + 24],
    )
    if " " in value:
        is_told = is_quoted and (link == "sign" or named.kind == "password")
        shortest = 2 if is_told or _is_said_in_words(lowered, named, match.end()) else 3
        is_one = named.kind in ("password", "secret") and is_phrase(value, shortest=shortest, is_quoted=is_quoted)
    else:
        is_set = how.is_tight and name.isupper() and len(value) >= 6 and not is_reference(value)  # as in a shell
        is_one = bool(value) and (is_set or is_secret(value, how))
    return Span(start, end, named.kind) if is_one else None


def _next_one(text: str, lowered: str, span: Span) -> Iterator[Span]:
    """What took its place: "the password was hunter2 and now it is tiger99"."""
    if (found := _replaced().match(lowered, span.end)) and span.kind != "pin":
        value = _trimmed(text, *found.span("value"))
        if is_secret(text[slice(*value)], Introduced(kind=span.kind, link="none")):
            yield Span(*value, span.kind)


def _is_bare_name(name: str, kind: str, value: str) -> bool:
    """Whether nothing is needed between name and value; not in "pass x to it", "Pin 2026 to the board"."""
    if kind == "pin":
        return name.isupper() or name.lower().startswith(("cv", "otp", "pincode", "geheimzahl"))
    return name.lower() != "pass" or is_random(value) or bool(re.search(r"\w[!#$%&*@]", value))


def _extent(text: str, start: int, link: Link) -> tuple[int, int, bool]:
    """Where the value begins and ends, and whether it is in quotes."""
    closing = _QUOTES.get(text[start : start + 1])
    if closing is not None:
        end = text.find(closing, start + 1, start + 258)
        if end > 0 and "\n" not in text[start:end]:
            return start + 1, end, True
        start += 1
    found = _BARE.match(text, start)
    value = found[0] if found else ""
    if link == "sign" and (cut := _NEXT_SETTING.search(value)):
        value = value[: cut.start()]
    return start, start + len(value.rstrip(_ENDS)), False


def _is_said_in_words(lowered: str, named: _Named, value: int) -> bool:
    """Whether it is a pass phrase, or the password of a wireless network, which people like to make of words."""
    if named.kind != "password":
        return False
    around = lowered[max(0, named.start - _NEAR) : value]
    return (
        "phrase" in around
        or "ordine" in around
        or any(network in around for network in ("wifi", "wi-fi", "wlan", "network", "router"))
    )


def _end_of_phrase(text: str, start: int, end: int) -> int:
    """Where a pass phrase ends that is said without quotes: "the pass phrase is purple otter river seven"."""
    words = _PHRASE.match(text, start)
    return words.end() if words and is_phrase(words[0], shortest=2) else end


def _before(text: str, lowered: str, named: _Named) -> Span | None:
    """The value that stands before its name: "hunter2 is my password"."""
    start = max(0, named.start - 160)
    match = _reversed().search(lowered[start : named.start])
    if match is None:
        return None
    span = _trimmed(text, start + match.start("value"), start + match.end("value"))
    is_one = is_secret(text[slice(*span)], Introduced(kind=named.kind, link="none"))
    return Span(*span, named.kind) if is_one and named.kind != "pin" else None


def _in_pairs(text: str, lowered: str) -> Iterator[Span]:
    for match in _pair().finditer(lowered):
        span = _trimmed(text, *match.span("value"))
        if is_secret(text[slice(*span)], Introduced(kind="password", link="word")):
            yield Span(*span, "password")


def _in_cjk(text: str, lowered: str) -> Iterator[Span]:
    """There, no blank parts a name from what is said of it; a value is what is in ASCII."""
    for match in _cjk().finditer(lowered):
        kind = "token" if match["token"] else "password"
        span = _trimmed(text, *match.span("value"))
        if is_secret(text[slice(*span)], Introduced(kind=kind, link="sign" if match["sign"] else "word")):
            yield Span(*span, kind)


def in_tables(text: str) -> Iterator[Span]:
    """Secrets in the tables of the text, row by row below a heading."""
    if "|" not in text:
        return
    start = 0
    headings: Mapping[int, str] | None = None  # of the table that we are in, by column
    for line in text.split("\n"):
        if line.lstrip().startswith("|"):
            cells = list(_cells(line))
            if headings is None:
                headings = {number: cell for number, (cell, _) in enumerate(cells) if _names_a_secret(cell)}
            else:
                yield from _in_row(cells, headings, start)
        else:
            headings = None
        start += len(line) + 1


def _cells(line: str) -> Iterator[tuple[str, int]]:
    """The text of each cell, and where in the line it begins."""
    for found in _CELL.finditer(line):
        cell = found[0]
        yield cell.strip(" `*\t"), found.start() + len(cell) - len(cell.lstrip(" `*\t"))


def _names_a_secret(cell: str) -> bool:
    return len(cell) <= _LONGEST_HEADING and kind_of(cell) is not None


def _in_row(cells: list[tuple[str, int]], headings: Mapping[int, str], start: int) -> Iterator[Span]:
    for number, heading in headings.items():
        if number < len(cells):
            value, place = cells[number]
            kind = under(heading, value) if len(value) <= _LONGEST_CELL else None
            if kind is not None and any(map(str.isdigit, value)):  # a word may as well tell whether there is one
                yield Span(start + place, start + place + len(value), kind)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    value = text[start:end]
    start += len(value) - len(value.lstrip(_QUOTED_ENDS))
    return start, max(start, end - len(value) + len(value.rstrip(_QUOTED_ENDS)))


@cache
def _before_stem(name: Name) -> re.Pattern[str]:
    return re.compile(rf"(?:{blanks(name.before)})\Z")


@cache
def _from_stem(name: Name) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(name.stem)}(?:{blanks(name.rest)})_?\d?(?![^\W\d_])")


# To make all of them at once would slow every start.

# From a name to its value, perhaps by way of what it belongs to: "for the staging server".
_link = made_later(
    rf"[\"'`*\]]{{0,3}}(?P<about>\s(?:{OF})\s(?:[^\s:=]{{1,40}}\s){{0,5}}?[^\s:=]{{1,40}}|\s(?:wi-?fi|wlan))?"
    r"(?:(?P<sign>\s{0,3}(?:[:=\uff1a\uff1d]{1,2}>?|->|\u2192)[*_]{0,3}(?:[ ][|>][+-]?\s{0,3}?\n[ ]{0,16})?|>)"
    rf"|(?P<word>(?:\s{{1,3}}(?:{blanks(IS, ' ')})|['\u2019]s)(?:\s(?:{NOW}))?(?P<colon>\s?[:=])?)(?=\s)"
    r"|(?(about)(?!)|(?=\s)))\s{0,3}"
)
_reversed = made_later(rf"(?<!\S)(?P<value>\S{{4,64}})\s(?:{AS})\s(?:(?:{MINE})\s)?(?:[\w-]{{1,20}}\s){{0,2}}\Z")
# "credentials: admin / hunter2"
_pair = made_later(
    r"(?<![a-z])(?:credentials?|creds?|log-?in|user(?:name)?\s?/\s?pass(?:word)?|zugangsdaten|identifiants)"
    r"(?:\s(?:for|to|of|on)\s(?:\S{1,40}\s){0,3}?\S{1,40})?(?:\s?[:=]|\s(?:is|are|sind|sont))\s{1,3}"
    r"\S{1,64}?\s?[:/]\s?(?P<value>\S{4,64})"
)
# "curl -u ana:hunter2"
_option = made_later(
    r"(?<!\S)(?:(?:-u|--user|--proxy-user)[ =][\"']?[^\s:\"']{1,64}:|-u ?[\w.-]{1,64} -p)"
    r"(?P<value>(?!\[redacted:|[$<{*])[^\s\"']{3,128})"
)
_replaced = made_later(
    r"[\"'`]?[,;.]?\s(?:(?:and|but)\s)?(?:now\s(?:it\sis|it['\u2019]s)|it\sis\snow|it['\u2019]s\snow)\s(?P<value>\S{4,64})"
)
_sshpass = made_later(r"(?<!\S)sshpass -p ?[\"']?(?P<value>[^\s\"'$<{-][^\s\"']{2,127})")
# A line of .pgpass: host, port, database, user, password.
_pgpass = made_later(
    r"(?:^|(?<=\s))[a-zA-Z0-9.*-]{1,253}:(?:\d{4,5}|\*):[\w.*-]{1,63}:[\w.*-]{1,63}:"
    r"(?P<value>[^\s:]{4,128})(?!\S)"
)
_cjk = made_later(
    rf"(?:(?P<token>{CJK_TOKEN})|{CJK_PASSWORD})\s?(?:(?P<sign>[:=\uff1a\uff1d])|{CJK_IS})?\s{{0,3}}"
    r"[\"'`\u300c\u300e\u201c]?(?P<value>[!#-&(-;=?-~]{4,256})"
)
