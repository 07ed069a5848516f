"""What stands in more than one module: lines that belong to the same run of tokens there and elsewhere.

Layout, comments, docstrings and imports do not count, and what a name is does not, either: a twin that only calls
things differently is a twin. Numbers and strings count, so that two tables of words are not taken for each other.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator

from .source import Module

WINDOW = 60  # tokens, about six lines: shorter runs are the language's own, not ours
_LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER}

Token = tuple[str, int]  # how it reads, and its line


def duplicated(modules: Iterable[Module]) -> dict[str, set[int]]:
    """The lines of each module that stand in another one, too."""
    read = {module.name: list(_tokens(module.text)) for module in modules}
    places = defaultdict(list)
    for name, tokens in read.items():
        for at in range(len(tokens) - WINDOW + 1):
            places[hash(tuple(text for text, _ in tokens[at : at + WINDOW]))].append((name, at))
    found: dict[str, set[int]] = defaultdict(set)
    for equal in places.values():
        if len({name for name, _ in equal}) > 1:
            for name, at in equal:
                found[name].update(line for _, line in read[name][at : at + WINDOW])
    return dict(found)


def _tokens(text: str) -> Iterator[Token]:
    for statement in _statements(text):
        first = statement[0]
        if first.string not in ("import", "from") and not (len(statement) == 1 and first.type == tokenize.STRING):
            yield from ((_reading(token), token.start[0]) for token in statement)


def _statements(text: str) -> Iterator[list[tokenize.TokenInfo]]:
    statement: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _LAYOUT:
            statement.append(token)
        elif token.type == tokenize.NEWLINE and statement:
            yield statement
            statement = []


def _reading(token: tokenize.TokenInfo) -> str:
    return "name" if token.type == tokenize.NAME and not keyword.iskeyword(token.string) else token.string
