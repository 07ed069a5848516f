"""Numbers of payment cards and of bank accounts.

A card has an issuer's prefix, a length that it uses, and a valid check digit; an account (IBAN) has two of them.

Where the text speaks of a card, the check digit may be wrong: people mistype, and most of the number is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .spans import Span

_GAP = r"[ \u00a0\u2009\u202f.-]"
_DIGITS = re.compile(rf"[0-9](?:{_GAP}?[0-9]){{11,}}")
# Before it: a word, a version, a phone number, or an id in groups of hexadecimal digits.
_CONTINUED = re.compile(r"(?:[\w+]|[0-9][.,]|[0-9a-fA-F]{4}-)\Z")
_GOES_ON = re.compile(r"\w")
_GROUP = re.compile(r"[0-9]+")
_DIGIT = re.compile(r"\d")
# Four groups of four with more between them than one blank, and no fifth: as it comes out of a table or a mail.
_APART = r"(?:[ \t]{1,3}|,[ ]?|[ ]?\r?\n[ ]?)"
_SPREAD = re.compile(
    rf"(?<![\w+.,-])(?<![0-9][ \t\n])[0-9]{{4}}(?:{_APART}[0-9]{{4}}){{3}}(?![\w-])(?!{_APART}[0-9]|\.[0-9])"
)
_LAYOUTS = ((4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3))
_SPOKEN_OF = re.compile(
    r"(?:(?<![a-z])(?:visa|mastercard|amex|maestro|diners|discover|cards?|carte|carta|cart\u00e3o|tarjeta|kort|kaart|karta)"
    r"|(?:credit|debit|bank|kredit|giro|betaal)(?:card|karte|kort|kaart)|karte|kart\u0131|\u043a\u0430\u0440\u0442\w{0,3}"
    r"|\u5361|\u30ab\u30fc\u30c9|\uce74\ub4dc)(?![a-z])[^.!?\n]{0,30}(?:no\.|nr\.)?\W{0,3}\Z"
)
_SPOKEN_OF_AFTER = re.compile(r"\W{0,3}(?:exp|valid|cv[vc]|g\u00fcltig|is my card|as (?:my |the )?card)")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")

_MAESTRO = (12, 13, 14, 15, 17, 18, 19)
# (first prefix, last prefix, lengths, lengths that count only where the text speaks of a card)
_ISSUERS: Sequence[tuple[str, str, Sequence[int], Sequence[int]]] = (
    ("4", "4", (16,), (13, 19)),  # Visa; the short ones are extinct, and phone numbers have that length
    ("51", "55", (16,), ()),  # Mastercard
    ("2221", "2720", (16,), ()),
    ("34", "34", (15,), ()),  # American Express
    ("37", "37", (15,), ()),
    ("6011", "6011", (16,), (17, 18, 19)),  # Discover
    ("644", "659", (16,), (17, 18, 19)),
    ("3528", "3589", (16,), (17, 18, 19)),  # JCB
    ("300", "305", (14, 16), (19,)),  # Diners Club
    ("3095", "3095", (14, 16), (19,)),
    ("36", "36", (14,), (16, 19)),
    ("38", "39", (14, 16), (19,)),
    ("62", "62", (16,), (17, 18, 19)),  # UnionPay
    ("81", "81", (), (16, 17, 18, 19)),
    *((prefix, prefix, (16,), _MAESTRO) for prefix in ("5018", "5020", "5038", "5893", "6304", "6759")),
    ("6761", "6763", (16,), _MAESTRO),
)


def find(text: str) -> Iterator[Span]:
    """Card numbers, and numbers of bank accounts, in the text."""
    if not _DIGIT.search(text):
        return
    accounts = list(_accounts(text))
    yield from accounts
    for run in _DIGITS.finditer(text):
        if _CONTINUED.search(text, max(0, run.start() - 5), run.start()) or _is_glued(text, *run.span()):
            continue
        for start, end in _candidates(text, *run.span()):
            if not any(one.start <= start < one.end for one in accounts):
                yield Span(start, end, "card")

    for found in _SPREAD.finditer(text):
        if _is_card(text, *found.span()):
            yield Span(*found.span(), "card")


def _is_glued(text: str, start: int, end: int) -> bool:
    """Whether a word goes on where the digits end, unless it says that this is a card: "visa:4111...exp"."""
    return bool(_GOES_ON.match(text, end)) and not (
        _SPOKEN_OF_AFTER.match(text[end : end + 24].lower()) and _is_spoken_of(text, start, end)
    )


def _candidates(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The run of digits as a whole, or groups in it that are set as cards are."""
    if _is_card(text, start, end):
        yield start, end
        return
    groups = [found.span() for found in _GROUP.finditer(text, start, end)]
    place = 0
    while place < len(groups):
        size = next(
            (size for size in _sizes(groups, place) if _is_card(text, groups[place][0], groups[place + size - 1][1])), 0
        )
        if size:
            yield groups[place][0], groups[place + size - 1][1]
        place += size or 1


def _sizes(groups: Sequence[tuple[int, int]], place: int) -> Iterator[int]:
    for layout in _LAYOUTS:
        taken = groups[place : place + len(layout)]
        if tuple(end - start for start, end in taken) == layout:
            yield len(layout)
    yield 1


def _is_card(text: str, start: int, end: int) -> bool:
    if end - start > 40:  # 19 digits, each with a gap
        return False
    digits = "".join(c for c in text[start:end] if c in "0123456789")
    if not 12 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    for first, last, lengths, spoken_of in _ISSUERS:
        if first <= digits[: len(first)] <= last:
            if len(digits) in lengths:
                return _has_check_digit(digits) or _is_spoken_of(text, start, end)
            return len(digits) in spoken_of and _has_check_digit(digits) and _is_spoken_of(text, start, end)
    return False


def _is_spoken_of(text: str, start: int, end: int) -> bool:
    """Whether the words around it say that it is a card."""
    before, after = text[max(0, start - 64) : start].lower(), text[end : end + 24].lower()
    return bool(_SPOKEN_OF.search(before) or _SPOKEN_OF_AFTER.match(after))


def _has_check_digit(digits: str) -> bool:
    """By Luhn's formula."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _accounts(text: str) -> Iterator[Span]:
    """Numbers of bank accounts as the world writes them (IBAN), told by their own check digits."""
    for found in _IBAN.finditer(text):
        plain = found[0].replace(" ", "")
        if int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1:
            yield Span(*found.span(), "iban")
