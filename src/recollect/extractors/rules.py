"""`RulesExtractor`: what is worth keeping, found by plain rules and no model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.model import ROLE_TRUST, Draft, Message, Source

from .prose import own_words, sentences

LONGEST = 1_000  # characters: nobody says a longer sentence, and every pattern below stays cheap
SILENT = frozenset({"system", "developer", "tool", "function"})  # instructions and noise, nobody's own words
ASSISTANTS = frozenset(role for role, trust in ROLE_TRUST.items() if trust == "agent") - SILENT


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of statement, how it begins, and how the next sentence begins if it belongs to it."""

    kind: str
    pattern: re.Pattern[str]
    sequel: re.Pattern[str] | None = None
    by_assistant: bool = False  # an assistant's tastes and remarks are small talk; what was decided or failed is not


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_FILLER = (
    r"(?:(?:well|so|also|and|but|actually|oh|ok|okay|yes|yeah|no|btw|by the way|honestly|personally|hi|hello|hey)"
    r"[,!:]?\s+)*"
)
_OPENING = _FILLER + r"(?:(?:for|in|at|on|with|during|after|as|when|since)\s[^.?!]{1,80}?[,\s]\s*)?"
_WE = r"(?:i|we|my team|our team|the team)"
_OFTEN = r"(?:\s+(?:really|much|strongly|usually|always|generally|still|also|do|don't|do not|no longer|never|all))*"
_HAVE = (
    r"(?:'ve|'ll|'re|(?:\s+(?:have|has|had|will|are|is|finally|just|all|also|already|now|then|eventually|once|first)))*"
)
_VAGUE = r"(?=\s+\w)(?!\s+(?:it|this|that|these|those|you|your|how|what|to (?:know|see|ask|hear|understand|thank))\b)"
_FAILURE = (
    r"\b(?:fail(?:ed|s|ure)?|(?:did|does|do|would)(?:n't| not) (?:work|help|scale|fit)|broke|crash(?:ed|es)|timed out"
    r"|too slow|no luck|without success|to no avail|made (?:it|things) worse|corrupted|lost)\b"
)
_AVOID = (
    rf"{_FILLER}(?:please\s+)?(?:don't|do not|never|avoid|stop)\s+(?:ever\s+)?"
    rf"(?:us|try|runn?|deploy|install|call|enabl|upgrad|commit|push|rely|touch|restart|writ|add)(?:e|ing)?\b{_VAGUE}"
)
_BECAUSE = _pattern(r"(?:because|since|the reason|reason:|(?:that|this|it)(?:'s| is| was) because)\b")
_KIN = r"wife|husband|partner|son|daughter|kids?|child|children|brother|sister|mother|father|dog|cat"
_MINE = (
    r"name|birthday|job|role|title|e-?mail|phone|address|time ?zone|boss|manager|employer|company|hometown|city|" + _KIN
)

# The first that fits gives the kind.
RULES = (
    Rule("lesson", _pattern(rf"{_FILLER}lessons?(?: learn(?:ed|t))?\s*:"), by_assistant=True),
    Rule("lesson", _pattern(rf"{_OPENING}(?:{_WE}{_HAVE}\s+)?tried\b.{{1,400}}?{_FAILURE}"), _BECAUSE, True),
    Rule("lesson", _pattern(rf"{_AVOID}.*?(?:[,;:\u2013\u2014]|\b(?:because|since|as)\b)\s*\S"), _BECAUSE, True),
    Rule("preference", _pattern(_AVOID), _BECAUSE),
    Rule(
        "decision",
        _pattern(
            rf"{_OPENING}{_WE}{_HAVE}\s+(?:decided|agreed|chose|chosen|settled on|opted|picked|going with|go with"
            r"|went with|standardi[sz]ed on|switched to|migrated to)\b"
        ),
        _BECAUSE,
        True,
    ),
    Rule(
        "decision",
        _pattern(rf"{_FILLER}(?:(?:the |our )?decision(?: is| was|:)|it (?:was|has been) (?:decided|agreed))\s"),
        _BECAUSE,
        True,
    ),
    Rule(
        "preference",
        _pattern(rf"{_OPENING}{_WE}{_OFTEN}\s+(?:prefer|favou?r|like|love|enjoy|hate|dislike|detest)s?\b{_VAGUE}"),
    ),
    Rule("preference", _pattern(rf"{_OPENING}(?:i|we)(?:'d| would)(?: much)? (?:prefer|rather)\b{_VAGUE}")),
    Rule("preference", _pattern(rf"{_OPENING}(?:i|we)\s+(?:can't|cannot|can not) stand\b{_VAGUE}")),
    Rule("preference", _pattern(rf"{_OPENING}(?:my favou?rite\b|i(?:'m| am) (?:not )?a (?:big |huge )?fan of\b)")),
    Rule(
        "preference",
        _pattern(
            rf"{_OPENING}(?:i|we) (?:always|usually|generally|typically|never)"
            r" (?:use|work|write|drink|eat|read|deploy|test|start|run|wear|commit|review|keep|avoid)\b"
        ),
    ),
    Rule("fact", _pattern(rf"{_OPENING}(?:my|our) team\b")),
    Rule("fact", _pattern(rf"{_OPENING}my (?:{_MINE})\b.{{0,80}}?\b(?:is|are|was|has|have|works?|lives?)\b")),
    Rule("fact", _pattern(rf"{_FILLER}(?:my name's|you can call me|call me|i(?:'m| am) called)\s+\w")),
    Rule("fact", _pattern(rf"{_OPENING}i (?:work (?:at|as|for|in|on|with)|live in|come from|was born|grew up)\b")),
    Rule("fact", _pattern(rf"{_OPENING}i(?:'m| am) (?:an? (?!bit|little|lot|few|tad)|from |based in |allergic to )\w")),
    Rule("fact", _pattern(rf"{_OPENING}i(?:'m| am) (?:a )?(?:vegetarian|vegan|left-handed|colou?r-?blind|diabetic)\b")),
    Rule("fact", _pattern(rf"{_OPENING}(?:i|we) have (?:an?|one|two|three|four|\d{{1,2}}) (?:\w+ )?(?:{_KIN})s?\b")),
)

# Without one of these no rule fits; most sentences of a long conversation end here.
_TRIGGER = _pattern(
    r"\b(?:i|we|my|our|team|tried|lessons?|decision|decided|agreed|don't|do not|never|avoid|stop|call me|remember|note"
    r"|mind|forget|fyi)\b"
)
_ASKED = _pattern(
    rf"{_FILLER}(?:please\s+)?(?:(?:remember|note|keep in mind|bear in mind|don't forget|do not forget)"
    r"(?:\s+that\b\s*:?|\s*[:,]|\s+(?=i\b|my\b|we\b|our\b))|fyi[:,])\s*(?P<rest>\S.*)"
)
_NOT_MEANT = _pattern(
    rf"{_FILLER}(?:if|unless|suppose|supposing|imagine|assuming|assume|what if|let's say|say|maybe|perhaps|please"
    r"|can|could|would|should|shall|may|thanks|thank|let's|i (?:wish|wonder|guess)"
    r"|i(?:'d| would)(?! (?:much )?(?:prefer|rather)\b))\b"
    r"|.*\b(?:maybe|perhaps|might|hypothetically|not sure|were to)\b"
)
_FAILED_AFTER = _pattern(rf"(?:but\s+|and\s+)?(?:it|that|this|which|both|they)\b.{{0,200}}?{_FAILURE}")
_TRIED = _pattern(rf"{_OPENING}(?:{_WE}{_HAVE}\s+)?tried\b")
_UNFIT = re.compile(r"[\x00-\x08\x0e-\x1f\ud800-\udfff]")
_QUOTES = ('"', "'", "“", "\u2018", "«", "„", "`", "<", "|")


class RulesExtractor:
    """Keeps preferences, decisions with their reason, lessons, identity, and what it is asked to remember.

    It leaves questions, requests, thanks, hypotheticals, code, quotations, recalled memory, and what tools and systems
    say. A sentence is kept as it was said.
    """

    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        return [draft for place, message in enumerate(messages) for draft in _drafts(message, place)]


def _drafts(message: Message, place: int) -> Iterator[Draft]:
    role = message.role.lower() if message.role else None
    if role in SILENT or not _TRIGGER.search(message.content):
        return
    message_id = message.id if message.id is not None else str(place)
    trust = ROLE_TRUST.get(role or "", "unknown")
    source = Source(speaker=message.speaker, role=message.role, message=message_id, trust=trust)
    for kind, content in _statements(own_words(message.content), by_assistant=role in ASSISTANTS):
        yield Draft(content=content, kind=kind, source=source, when=message.when, derived=True)


def _statements(text: str, *, by_assistant: bool) -> Iterator[tuple[str, str]]:
    """Kind and content of every sentence that is worth keeping, with the sentence that goes on with it."""
    said = [sentence if _is_fit(sentence) else "" for sentence in sentences(text)]
    taken = -1
    for place, sentence in enumerate(said):
        if place == taken or not _TRIGGER.search(sentence):
            continue
        following = said[place + 1] if place + 1 < len(said) else ""
        found = _judge(sentence, following, by_assistant=by_assistant)
        if found:
            kind, content, goes_on = found
            taken = place + 1 if goes_on else taken
            yield kind, f"{content} {following}" if goes_on else content


def _is_fit(sentence: str) -> bool:
    return len(sentence) <= LONGEST and not _UNFIT.search(sentence)


def _judge(sentence: str, following: str, *, by_assistant: bool) -> tuple[str, str, bool] | None:
    """What the sentence is, what to keep of it, and whether the following one belongs to it."""
    plain = sentence.replace("\u2019", "'")
    if plain.endswith("?") or plain.startswith(_QUOTES):
        return None
    asked = None if by_assistant else _ASKED.match(plain)
    if asked:
        sentence, plain = sentence[asked.start("rest") :], asked["rest"]
    elif _NOT_MEANT.match(plain):
        return None
    next_plain = following.replace("\u2019", "'")
    if _TRIED.match(plain) and _FAILED_AFTER.match(next_plain):
        return "lesson", sentence, True
    for rule in RULES:
        if (rule.by_assistant or not by_assistant) and rule.pattern.match(plain):
            return rule.kind, sentence, bool(rule.sequel and rule.sequel.match(next_plain))
    return ("fact", sentence, False) if asked else None
