"""Made-up memories whose words are as unevenly spread as those of a language, and questions about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from truekeep.testing.fakes import FakeEmbedder

SEED = 20_260_101
BLOCK = 10_000  # items are made by the block: any block can be made again without those before it
_VOCABULARY = 30_000
_COMMON_TEXT = (
    "the to and of a in is it you that he was for on are with as his they be at one have this from or had by not but "
    "what all were we when your can said there use an each which she do how their if will up other about out many then"
)
_COMMON = _COMMON_TEXT.split()
_CONSONANTS = "bcdfghjklmnprstvwyz"
_VOWELS = "aeiou"
_SLICE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Texts of 8 to 20 words, with the numbers of the words from which their vectors are made."""

    texts: list[str]
    words: NDArray[np.int64]
    starts: NDArray[np.int64]
    tagged: NDArray[np.bool_]  # one in a hundred
    kinds: list[str]


class Corpus:
    """The same texts, vectors and questions in every run."""

    def __init__(self) -> None:
        self._vocabulary = np.array(_words(), dtype=object)
        weights = 1.0 / (np.arange(_VOCABULARY) + 2.7) ** 1.07  # Zipf and Mandelbrot
        self._cumulated = np.cumsum(weights / weights.sum())

    def block(self, number: int) -> Block:
        random = np.random.default_rng([SEED, number])
        lengths = random.integers(8, 21, size=BLOCK)
        words = np.minimum(np.searchsorted(self._cumulated, random.random(int(lengths.sum()))), _VOCABULARY - 1)
        ends = np.cumsum(lengths)
        spelled = self._vocabulary[words].tolist()
        starts = ends - lengths
        return Block(
            texts=[" ".join(spelled[start:end]) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)],
            words=words,
            starts=starts,
            tagged=random.random(BLOCK) < 0.01,
            kinds=_kinds(random),
        )

    def blocks(self, size: int) -> Iterator[tuple[Block, int]]:
        """Blocks that hold `size` items together, each with how many of its items belong to them."""
        for number in range(-(-size // BLOCK)):
            yield self.block(number), min(BLOCK, size - number * BLOCK)

    def vectors(self, block: Block) -> NDArray[np.float16]:
        """What the fake embedder makes of the texts, by far fewer calls."""
        vectors = np.empty((BLOCK, self._meanings.shape[1]), dtype=np.float16)
        bounds = [*block.starts.tolist(), len(block.words)]
        for first in range(0, BLOCK, _SLICE):
            begin, end = bounds[first], bounds[first + _SLICE]
            sums = np.add.reduceat(self._meanings[block.words[begin:end]], block.starts[first : first + _SLICE] - begin)
            vectors[first : first + _SLICE] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors

    def questions(self, size: int, count: int) -> list[str]:
        """3 to 8 words: some of one item's words, and some that are in every other item."""
        random = np.random.default_rng([SEED, size, count])
        block = self.block(int(random.integers(-(-size // BLOCK))))
        questions = []
        for row in random.integers(min(size, BLOCK), size=count):
            words = block.texts[row].split()
            asked = random.choice(words, size=min(len(words), int(random.integers(2, 6))), replace=False).tolist()
            common = random.choice(_COMMON, size=int(random.integers(1, 4)), replace=False).tolist()
            questions.append(" ".join(common + asked))
        return questions

    @cached_property
    def _meanings(self) -> NDArray[np.float32]:
        return FakeEmbedder().embed(self._vocabulary.tolist())


def _words() -> list[str]:
    """The commonest English words first, then invented ones of three syllables."""
    syllables = [consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS]
    base = len(syllables)
    words = list(_COMMON)
    for number in range(_VOCABULARY - len(words)):
        code = number * 7919 % base**3  # a step without a common divisor visits every code once
        words.append(syllables[code % base] + syllables[code // base % base] + syllables[code // base**2])
    return words


def _kinds(random: np.random.Generator) -> list[str]:
    kinds = ["fact", "preference", "decision", "interaction", "lesson"]
    chosen: list[str] = random.choice(kinds, size=BLOCK, p=[0.8, 0.08, 0.05, 0.06, 0.01]).tolist()
    return chosen
