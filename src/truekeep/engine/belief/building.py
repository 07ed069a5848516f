"""One clause, token by token: which words are its subject, its verb, its slots, its values, its list."""

from __future__ import annotations

import re

from . import lexicon as lex
from .grammar import Grammar
from .tokens import Token

_CUES = (
    lex.TASTE
    | lex.AGAIN
    | lex.CHANGE_WORDS
    | lex.ADDED_WORDS
    | lex.SAME_WORDS
    | lex.DENIALS
    | lex.END_WORDS
    | lex.NOISE
)
_VERBAL = re.compile(r"(?:[^s]s|ed|te?t|tten|iert|ieren)$")  # how many a verb ends
_YEAR = re.compile(r"(?:19|20)\d\d")
_TOPIC = re.compile("[\u306f\u304c\u3092]|\u662f|\u5728|\u6709")
_SIDES = frozenset(("left", "right"))
_FEW_WORDS = 4  # in a member of a list
_BESIDE = 3  # terms beside a word of ending that it is about


def guessed_verb(tokens: list[Token], grammar: Grammar) -> int:
    """Where an unknown verb seems to stand in a clause without a known one; 0 when nowhere."""
    if any(token.kind == "colon" or token.word in grammar.verbs for token in tokens[1:]):
        return 0
    for n in range(1, len(tokens) - 1):
        token, before = tokens[n], tokens[n - 1]
        if token.kind != "word" or before.kind not in ("word", "name", "number", "code", "label"):
            continue
        inner = before.word in grammar.determiners or before.word in grammar.prepositions
        if not inner and token.word not in grammar.function and _VERBAL.search(token.word):
            return n
    return 0


class Builder:
    """Takes the tokens of a clause one by one and files them."""

    def __init__(self, grammar: Grammar, guessed: int) -> None:
        self.grammar = grammar
        self.guessed = guessed  # where the verb seems to stand, when none is known
        self.slot = ""
        self.slots: dict[str, set[str]] = {}
        self.subject: set[str] = set()
        self.names: set[str] = set()
        self.doubtful: set[str] = set()  # perhaps only the first word of a sentence
        self.values: dict[str, set[str]] = {}
        self.words: set[str] = set()
        self.plain: set[str] = set()  # without the names
        self.core_words: set[str] = set()  # before a comma behind the verb
        self.verb = ""
        self.verb_at = 0
        self.commas = 0
        self.members: list[set[str]] = [set()]  # what stands between commas and "and", behind the verb
        self.joined = False  # by "and"
        self.labels: dict[str, str] = {}  # chapter to 3, model to A
        self.ended: set[str] = set()  # what stands behind a word of ending: they closed the mill
        self.ending_of: set[str] = set()  # and before it: the mill closed
        self.last: list[str] = []
        self.ending = 0  # for how many words more
        self.introduced: set[str] = set()  # terms behind "a" or "an"
        self.introducing = False
        self.subject_order: list[str] = []
        self.before_comma = 0  # terms of the subject before its last comma
        self.colon = False  # a colon stands for the verb, so far
        self.since: set[str] = set()  # terms behind that colon

    def take(self, n: int, token: Token, tokens: list[Token]) -> None:
        before = tokens[n - 1] if n else None
        after = tokens[n + 1] if n + 1 < len(tokens) else None
        if token.kind in ("word", "name"):
            self._word(n, token, before)
        elif token.kind == "number":
            self._number(token, before, after)
        elif token.kind in ("time", "date", "weekday", "mail", "link", "phone"):
            self._value(token.kind, token.term)
            if token.kind == "weekday" and not self.verb_at:
                self.subject.add(token.term)
                self.subject_order.append(token.term)  # "Tuesday is curry", "on Mondays we meet": it tells which one
        elif token.kind in ("code", "label"):
            self._name(token.term)
        elif token.kind == "cjk":
            self._without_spaces(n, token.word)
        elif token.kind == "colon":
            self.verb_at, self.slot, self.colon = self.verb_at or max(n, 1), "is", not self.verb_at
        else:
            self._next_member()
            self.introducing, self.ending = False, 0
            self.slot = "rest" if self.verb_at else self.slot
            self.before_comma = len(self.subject_order)

    def _without_spaces(self, n: int, run: str) -> None:
        """Pairs of characters, cut where Chinese and Japanese put their topic markers and copulas."""
        for part in _TOPIC.split(run):
            for pair in map(str.__add__, part, part[1:]) if len(part) > 1 else part:
                self._term(pair)
            self.verb_at = self.verb_at or max(n, 1)

    def _next_member(self) -> None:
        self.commas += 1
        self.members.append(set())

    def _word(self, n: int, token: Token, before: Token | None) -> None:
        grammar, word = self.grammar, token.word.removesuffix("'s")
        if word in _SIDES and before is not None and before.word in grammar.determiners:
            self._term(token.term)  # the left valve has left nobody
            return
        self.words.add(word)
        self.words.add(token.word)
        if token.kind == "word":
            self.plain.add(word)
        if self.slot != "rest":
            self.core_words.add(word)
        if word in grammar.joining:
            self.members.append(set())
            self.joined = True
        if word in lex.END_WORDS:
            self.ending_of.update(self.last[-_BESIDE:])
            self.ending = _BESIDE
        if word in grammar.indefinite:
            self.introducing = True
        if word in grammar.prepositions:
            self.slot, self.introducing, self.ending = grammar.prepositions[word], False, 0
            return
        if self._acts(n, word, before):
            self._found_verb(n, token)
        if token.term.startswith("'") and before is not None:
            self._letter(token, before)
        elif token.kind == "name" or self._tells(word):
            self._term(token.term)
            if token.kind == "name":
                self.names.add(token.term)
                if n == 0 and not token.word.endswith("'s"):
                    self.doubtful.add(token.term)

    def _letter(self, token: Token, before: Token) -> None:
        """Model A, dock B: part of the subject, or the value."""
        self.labels[before.term] = token.term
        if self.verb_at:
            self._value(f"letter {before.term}", token.term)
        else:
            self._term(token.term)

    def _found_verb(self, n: int, token: Token) -> None:
        if self.colon and self.since:  # "Turned round: the barge lies at ...": what stood before was only a heading
            self.subject, self.colon = set(self.since), False
        elif self.verb_at:
            return
        if 0 < self.before_comma < len(self.subject_order) and not self.joined:
            self.subject = set(self.subject_order[self.before_comma :])  # "Measured today, the beam is ..."
        self.verb_at, self.slot = max(n, 1), "is"
        if token.word not in self.grammar.binding and token.word not in _CUES:
            self.verb = token.term

    def _acts(self, n: int, word: str, before: Token | None) -> bool:
        """Whether the word is the verb: "they work", but not "my work" nor "work starts"."""
        grammar = self.grammar
        if (n and n == self.guessed) or word in lex.MOVED:
            return True
        if before is not None and before.word in grammar.pronouns and self._tells(word):
            return True
        if word not in grammar.verbs or word not in grammar.also_nouns:
            return word in grammar.verbs
        return before is not None and before.word not in grammar.determiners and before.word not in grammar.prepositions

    def _number(self, token: Token, before: Token | None, after: Token | None) -> None:
        counted = before is not None and before.kind in ("word", "name") and not self._uncounted(before.word)
        unit = "" if token.word.isalpha() else token.word.lstrip("0123456789.,'e-$\u20ac\u00a3 ")
        if not unit and after is not None and after.kind in ("word", "name") and not self._uncounted(after.word):
            unit = after.term
        label = before.term if before is not None and counted else ""
        if not self.verb_at and (label or not unit or _YEAR.fullmatch(token.term)):
            self._term(f"#{token.term}")  # chapter 3, bed 7, the 2024 season: it tells which one
        else:
            self._value(f"number {unit or f'#{label}' if unit or label else ''}", token.term.rstrip("%"))
        if label and (not self.verb_at or not unit):
            self.labels[label] = token.term

    def _tells(self, word: str) -> bool:
        return word not in self.grammar.function and word not in self.grammar.binding and word not in _CUES

    def _uncounted(self, word: str) -> bool:
        grammar = self.grammar
        if word in lex.TIME_UNITS:
            return False
        acts = word in grammar.verbs and word not in lex.COUNTABLE
        return acts or word in grammar.function or word in grammar.prepositions or word in _CUES

    def _term(self, found: str) -> None:
        self.slots.setdefault(self.slot, set()).add(found)
        if self.colon:
            self.since.add(found)
        if self.verb_at:
            self.members[-1].add(found)
        if self.introducing:
            self.introduced.add(found)
        if self.ending:
            self.ended.add(found)
            self.ending -= 1
        self.last.append(found)
        if not self.verb_at and self.slot != "from":  # "from this term on" is no part of the subject
            self.subject.add(found)
            self.subject_order.append(found)

    def _name(self, found: str) -> None:
        self._term(found)
        self.names.add(found)

    def _value(self, kind: str, value: str) -> None:
        self.values.setdefault(kind, set()).add(value)
        if self.verb_at:
            self.members[-1].add(value)

    def listed(self) -> tuple[frozenset[str], ...]:
        """The members of a list: joined by "and", or behind a colon; each of a few words."""
        members = tuple(frozenset(found) for member in self.members if (found := member - {self.verb}))
        enough = len(members) > 1 and (self.joined or (self.colon and len(members) > 2))
        return members if enough and all(len(found) <= _FEW_WORDS for found in members) else ()
