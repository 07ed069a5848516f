"""Whether a value looks like a secret: a pure judgement of its shape, and of how it was introduced.

"The password is required" names no password, "password: hunter2" does. Digits, symbols and capitals inside a word
speak for a secret; plain words speak for one only where a sign (":", "=") or quotes present them as a value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from .words import STOP

Link = Literal["sign", "word", "none"]

_PARTS = re.compile(r"[-_.,'\u2019/:+]+")
_REFERENCE = re.compile(
    r"""\$\{.*|\$\(.*|\$[A-Z_][A-Z0-9_]*|%\w+%?|\{.*|<.*|\[.*|\(.*  # $VAR, ${VAR}, {{ var }}, <password>
      |(?i:x{3,}|\W+|your[-_].*|my[-_](?:password|secret|token|api[-_]?key).*|example.*|placeholder.*|changeme|todo|tbd)
      |[A-Za-z_][\w.]*[(\[].*|[A-Za-z_$]+(?:\.[A-Za-z_]+)+          # get_token(), os.environ["X"], settings.password
      |[a-z]+(?:Password|Passwd|Secret|Token|Key)|(?:[a-z]+_)+(?:password|secret|token|key)|password(?:_[a-z]+)+
      |[A-Z]+(?:_[A-Z]+)+                                           # DB_PASSWORD, the name of a variable
      |(?:~|\.{0,2})(?:/[\w.-]+){2,}                                # a path
      |[\w.-]+\.(?:txt|env|json|ya?ml|toml|ini|cfg|pem|key|crt|md|py|js|ts|go|rs|java|rb|sh|csv|pdf|docx?|xlsx?)
      |.*://.*|.*\[redacted:.*""",
    re.VERBOSE | re.DOTALL,
)
_NAMED_AFTER_ITSELF = re.compile(
    r"(?:my|the|new|old|user|db|access|refresh)?_?(?:password|passwd|pwd|passphrase|secret|token|api_?key|key|pin)s?\d?"
)
_SCORE = re.compile(r"\d+[/:%]\d*")  # "pass: 12/12"
_COUNTED = re.compile(r"\d{1,4}-?[a-z]{3,}|\d+(?:[nr]d|st|th|am|pm|fa|k|m|b|px|gb|mb|kb|ms|bit|x|h|d|s|min)?|v\d+")
_TECHNICAL = re.compile(
    r"(?:sha|md|base|oauth|utf|aes|rsa|hs|rs|es|ps|ed|argon|bcrypt|ipv|http|web|totp|fido|saml|des|p|s|k|r|x|ec|gpt|llama)"
    r"\d{1,5}|1password|[a-z]+"
)
_AFTER_A_VALUE = re.compile(
    r"\s*(?:$|[\n\r,;.:)\]}\u3002\uff0c|/(\u2013\u2014-]|(?:for|on|at|in|and|und|et|y|e|f\u00fcr|pour|para)\s)"
)
_CLAUSE_ENDS = re.compile(r"\s*(?:$|[.,;!)\n])")
# The endings of participles and of other words for how something is.
_HOW = """
    ed ing able ible ful less ous ive al ent ant ic ary ory en er y t ig lich bar los isch e ado ada ido ida ato
    ata uto uta ito ita é ée ente ante oso osa ico ica ivo iva ode own one where here
"""
_TELL_HOW = tuple(_HOW.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Introduced:
    """How a value was introduced."""

    kind: str  # what the text calls it
    link: Link  # by a sign, by a word such as "is", or by nothing but a blank
    is_quoted: bool = False
    is_tight: bool = False  # "password=hunter2", as settings are written
    after: str = ""  # what follows it


def is_secret(value: str, how: Introduced) -> bool:
    """Whether the value is a secret, given how the text introduces it."""
    if is_reference(value) or value.lower() in STOP:
        return False
    if how.kind == "pin":
        return _is_pin(value, how)
    return _is_password(value, how) if how.kind == "password" else _is_token(value, how)


def is_reference(value: str) -> bool:
    """Whether it tells where a secret is, or stands for one, rather than being it."""
    return bool(_REFERENCE.fullmatch(value) or _NAMED_AFTER_ITSELF.fullmatch(value.lower()))


def is_phrase(value: str, *, shortest: int = 3, is_quoted: bool = False) -> bool:
    """Whether words in quotes, at least so many, are a pass phrase rather than a sentence."""
    words = value.lower().split()
    if is_quoted and len(words) == shortest == 2:
        return words[1] not in STOP  # "correct horse", but not "case sensitive"
    return len(words) >= shortest and sum(word in STOP for word in words) <= len(words) // 4


def is_random(value: str, *, least: int = 4) -> bool:
    """Whether it is no name made of words and numbers: one part of it, at least so long, is neither."""
    parts = (part for part in _PARTS.split(value) if len(part) >= least)
    return any(map(_is_mixed, parts)) and not is_reference(value)


def _is_mixed(part: str) -> bool:
    """Whether letters and digits, or capitals and small letters, alternate as no word or number does."""
    if len(part) < 4 or part.isdigit():
        return False
    if any(map(str.isdigit, part)) and any(map(str.isalpha, part)):
        return not re.fullmatch(r"[A-Za-z]?[a-z]+\d{1,4}|\d{1,4}[a-z]+|[A-Z]{1,6}\d{1,6}", part)
    changes = sum(one.islower() and two.isupper() for one, two in pairwise(part))
    return changes >= 3 and len(part) >= 12


def _is_pin(value: str, how: Introduced) -> bool:
    return value.isdigit() and 3 <= len(value) <= 12 and not is_measure(how.after)


def _is_password(value: str, how: Introduced) -> bool:
    if value.isdigit():
        return len(value) >= 4 and how.link != "none" and not is_measure(how.after)
    if _is_worded(value):
        return _is_worded_password(value, how)
    if how.link == "sign":
        return len(value) >= 3 and not _SCORE.fullmatch(value)
    lowered = value.lower()
    if len(value) < (4 if how.link == "word" else 6) or _COUNTED.fullmatch(lowered) or _TECHNICAL.fullmatch(lowered):
        return False
    if how.link == "none" and "=" in value:  # the next attribute of a tag, the next argument of a call
        return False
    return how.link == "word" or any(map(str.isdigit, value)) or bool(re.search(r"\w[!@#$%^&*+=~]", value))


def _is_worded(value: str) -> bool:
    return all(not part or part.isalpha() for part in _PARTS.split(value.rstrip("!?")))


def _is_worded_password(value: str, how: Introduced) -> bool:
    parts = [part for part in _PARTS.split(value) if part]
    if len(parts) >= 4 and all(len(part) >= 3 for part in parts):  # correct-horse-battery-staple
        return how.link != "none"
    if how.link == "sign" and len(value) >= 3:
        return how.is_quoted or how.is_tight or bool(_AFTER_A_VALUE.match(how.after))
    if how.link != "word" or len(value) < 4:
        return False
    has_inner_capital = any(one.islower() and two.isupper() for one, two in pairwise(value))
    return how.is_quoted or has_inner_capital or _is_a_thing(value, how)


def _is_a_thing(value: str, how: Introduced) -> bool:
    """As in "the password is swordfish": the last word of its clause, and none that tells how something is."""
    is_last = _CLAUSE_ENDS.match(how.after) is not None
    return is_last and len(parts := value.lower()) > 4 and parts.isalpha() and not parts.endswith(_TELL_HOW)


def _is_token(value: str, how: Introduced) -> bool:
    shortest = {"sign": 6, "word": 8, "none": 12}[how.link]
    if how.link == "sign" and how.is_quoted and how.kind == "secret":
        return len(value) >= 6
    if len(value) < shortest or value.isdigit():
        return value.isdigit() and how.link == "sign" and len(value) >= 8
    if _is_worded(value):
        return how.link == "sign" and (
            (len(value) >= 20 and "-" not in value) or (how.is_tight and how.kind == "secret")
        )
    parts = [part for part in _PARTS.split(value.lower()) if part]
    if all(_COUNTED.fullmatch(part) or _TECHNICAL.fullmatch(part) for part in parts):
        return False
    return how.link == "sign" or is_random(value) or bool(re.search(r"\w[!@#$%^&*~=]\w", value))


def is_measure(after: str) -> bool:
    """Whether the number counts something: "the password is 1024 characters long"."""
    return bool(
        re.match(
            r"[-\s]{1,2}(?:char|letter|digit|byte|bit|word|sign|symbol|day|hour|min|sec|week|month|year|time|user|%)",
            after,
        )
    )
