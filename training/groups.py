"""Groups written by hand: a memory, what says the same, what changes it, what is near it, and questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from heapq import nlargest
from pathlib import Path
from random import Random

from .examples import CHANGE, PART, SAME, STAY

_WORD = re.compile(r"\w{4,}")
_NEAREST = 6
_BESIDE = 0.4
_LETTERS = {"P": SAME, "U": CHANGE, "T": PART, "N": STAY}  # what a statement of each does to the memory
_WEIGHTS = (22, 34, 8, 36)

Group = dict[str, list[str]]  # by the letters that groups.txt tells


class Groups:
    """Draws statements and questions out of groups, by chance."""

    def __init__(self, file: Path, random: Random) -> None:
        self._random = random
        self._groups: list[Group] = []
        for line in file.read_text(encoding="utf-8").splitlines():
            letter, _, rest = line.partition(": ")
            if letter == "M":
                self._groups.append({each: [] for each in "MPUTNQ"})
            if letter in "MPUTNQ":
                self._groups[-1][letter] = [text.strip() for text in rest.split(" | ") if text.strip()]
        self._words = [_words(group) for group in self._groups]
        self._near = cache(self._nearest)

    def relation(self) -> list[tuple[str, int]]:
        """A newer statement, then older ones with what it does to them."""
        place = self._random.randrange(len(self._groups))
        group = self._groups[place]
        memories = [*group["M"], *group["P"]]
        older = self._random.choice(memories)
        same = [text for text in memories if text != older]
        letter = self._random.choices(list(_LETTERS), _WEIGHTS)[0]
        newer = same if letter == "P" else group[letter]
        if not newer:
            return self.relation()
        said = self._random.choice(newer)
        others = [(text, STAY) for text in self._others(place, self._random.randint(0, 2))]
        if self._random.random() < _BESIDE:  # as in a space: what is near the memory stands beside it
            near = [text for text in group["N"] if text != said and not text.endswith("?")]
            others += [(text, STAY) for text in self._random.sample(near, min(len(near), self._random.randint(1, 2)))]
        return [(said, 0), (older, _LETTERS[letter]), *others]

    def question(self) -> list[tuple[str, int]]:
        """A question, then memories: 1 for those that answer it; one in four is not answered."""
        place = self._random.randrange(len(self._groups))
        group = self._groups[place]
        texts = [(text, 0) for text in self._others(place, self._random.randint(3, 6))]
        if self._random.random() < 0.75:
            texts.append((self._random.choice([*group["M"], *group["P"]]), 1))
        question = self._random.choice(group["Q"])
        return [(question if self._random.random() < 0.6 else question.rstrip("?").lower(), 0), *texts]

    def _others(self, place: int, count: int) -> list[str]:
        """Memories of other groups, of near ones above all."""
        near = self._random.sample(self._near(place), min(count, _NEAREST) * 2 // 3)
        far = self._random.sample(range(len(self._groups)), count)
        chosen = [*near, *(other for other in far if other != place and other not in near)][:count]
        return [self._random.choice([*self._groups[other]["M"], *self._groups[other]["P"]]) for other in chosen]

    def _nearest(self, place: int) -> Sequence[int]:
        """The groups that share most words with one."""
        words = self._words[place]
        others = (other for other in range(len(self._words)) if other != place)
        return nlargest(_NEAREST, others, key=lambda other: len(words & self._words[other]))


def _words(group: Group) -> set[str]:
    return set(_WORD.findall(" ".join([*group["M"], *group["Q"]]).lower()))
