"""Named features with weights, and the scale that adds them up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .reading import Reading
from .scene import Scene

Test = Callable[[Reading, Scene], bool]
Feature = tuple[str, int, Test | frozenset[str]]  # what it says, what it weighs, when it holds


def has(*classes: str) -> frozenset[str]:
    """Holds where a word of any of the classes occurs."""
    return frozenset(classes)


def opens(*classes: str) -> Test:
    """Holds where the sentence begins with a word of one of the classes."""
    return lambda reading, scene: reading.opens(*classes)


HOPELESS = -10


class Scale:
    """Weighs a sentence."""

    def __init__(self, features: Sequence[Feature]) -> None:
        self.features = features
        # Most features only ask for classes; asking for those in one loop halves the time.
        self._classes = [(weight, test) for _, weight, test in features if isinstance(test, frozenset)]
        self._tests = [(weight, test) for _, weight, test in features if not isinstance(test, frozenset)]

    def weigh(self, reading: Reading, scene: Scene, start: int = 0) -> int:
        """The sum of the features that hold, from `start` on; what is far too light is not weighed to the end."""
        names = reading.places.keys()
        weight = start + sum([weight for weight, classes in self._classes if not names.isdisjoint(classes)])
        if weight < HOPELESS:
            return weight
        return weight + sum([weight for weight, test in self._tests if test(reading, scene)])
