"""Fit the weights by which the rules judge a sentence, and say how they do on conversations that were left out.

    python -m benchmarks.fitting            cross-validation: five times, a fifth of the conversations is left out
    python -m benchmarks.fitting --write    then fit on all of them, and write `extractors/rules/weights.json`

Only our own texts are fitted on (those of `tests/corpus` that are named below, and the sentences of
`tests/extractors`).
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from truekeep.engine.hygiene import cleaned_messages
from truekeep.engine.messages import messages_of
from truekeep.extractors.rules import conversation
from truekeep.extractors.rules.judgement import on_trial
from truekeep.extractors.rules.weights import KINDS, TABLE, Weights
from truekeep.model import Draft, Message
from truekeep_eval.chats import Chat, read
from truekeep_eval.matching import holds

_TESTS = Path(__file__).parents[1] / "tests"
_SETS = {"own": 0.5, "more": 1.0, "train": 1.0}  # rules before these weights were written with `own` at hand
_SENTENCES = 1.0
# Added to the weights of each kind. A lesson that is missed costs more than one too many; noise costs more than a fact.
_LEANING = (-0.7, -0.7, -0.7, 0.0, -0.2)
_DECAY = 1.0  # of the squares of the weights: lets none grow on a few examples
_RARE = 6  # a sign seen less often is left out
_SMALL = 20  # hundredths: weights that change nothing
_FOLDS = 5
_STEPS = 400
_BIAS = "always"
# Of a sentence without a conversation nobody knows who said it among whom: it must not teach anything about that.
_SCENE = {"by a person", "by a service", "first in its message", "alone in its message"}
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """The signs of a sentence, and what it is."""

    signs: Set[str]
    kind: str | None  # None: nothing worth keeping
    weight: float
    fold: int = -1  # in which it is left out; -1: in none


def examples() -> list[Example]:
    """All that is fitted on."""
    found = [one for name, weight in _SETS.items() for chat in chats(name) for one in _in_chat(chat, weight)]
    for line in (_TESTS / "extractors" / "sentences.jsonl").read_text(encoding="utf-8").splitlines():
        given = json.loads(line)
        message = Message(content=given["text"], role=given.get("role", "user"))
        found += (
            Example({sign for sign in one if not _SCENE & set(sign.split(" + "))}, given["kind"], _SENTENCES)
            for _, _, one in _tried([message])
        )
    return found


def chats(name: str) -> list[Chat]:
    path = _TESTS / "corpus" / f"extract_{name}.jsonl"
    return read(path) if path.exists() else []


def _in_chat(chat: Chat, weight: float) -> Iterator[Example]:
    for place, text, found in _tried(_messages(chat)):
        sought = [
            entry
            for entry in chat.durable
            if entry.message == place and any(holds(text, p) for p in entry.must_contain)
        ]
        is_nothing = place in chat.transient or any(holds(text, part) for part in chat.forbidden)
        if sought or is_nothing:
            kind = sought[0].kind if sought and not is_nothing else None
            yield Example(found, kind, weight, fold_of(chat))


def _tried(messages: Sequence[Message]) -> Iterator[tuple[int, str, Set[str]]]:
    for place, (_, said, language, scene) in conversation.walk(messages):
        for one in on_trial(said, language, scene):
            if one.reading.length > 1:
                yield place, one.part.content, {_BIAS, *one.signs()}


def _messages(chat: Chat) -> list[Message]:
    said = [{"role": line.role, "name": line.name, "content": line.content} for line in chat.messages]
    return cleaned_messages(messages_of(said), "on")


def fold_of(chat: Chat) -> int:
    return zlib.crc32(chat.id.encode()) % _FOLDS


def fitted(given: Sequence[Example]) -> dict[str, tuple[int, ...]]:
    """The weights: multinomial logistic regression with a penalty on their squares, by accelerated gradient steps."""
    counts = Counter(sign for one in given for sign in one.signs)
    names = sorted(sign for sign, count in counts.items() if count >= _RARE)
    column = {name: place for place, name in enumerate(names)}
    seen = np.zeros((len(given), len(names)))
    for row, one in enumerate(given):
        seen[row, [column[sign] for sign in one.signs if sign in column]] = 1
    kinds = [0 if one.kind is None else 1 + KINDS.index(one.kind) for one in given]
    found = _minimised(seen, np.eye(1 + len(KINDS))[kinds], np.array([[one.weight] for one in given]), column[_BIAS])
    found = 100 * (found[:, 1:] - found[:, :1])  # beside nothing, which is then worth 0
    found[column[_BIAS]] += 100 * np.array(_LEANING)
    rounded = {name: tuple(int(value) for value in found[place].round()) for name, place in column.items()}
    return {name: row for name, row in rounded.items() if max(map(abs, row)) >= _SMALL or name == _BIAS}


def _minimised(seen: Floats, kinds: Floats, weight: Floats, bias: int) -> Floats:
    decay = np.full((seen.shape[1], 1), _DECAY)
    decay[bias] = 0.01
    step = 1 / (0.5 * float(np.linalg.norm(seen * np.sqrt(weight), 2)) ** 2 + _DECAY)
    now = ahead = np.zeros((seen.shape[1], kinds.shape[1]))
    pace = 1.0
    for _ in range(_STEPS):
        scores = seen @ ahead
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        following = ahead - step * (seen.T @ (weight * (chances - kinds)) + decay * ahead)
        faster = (1 + (1 + 4 * pace * pace) ** 0.5) / 2
        ahead = following + (pace - 1) / faster * (following - now)
        now, pace = following, faster
    return now


def judged(some: Iterable[Chat], weights: Weights) -> Counter[str]:
    """Counts by the rules of the sets' README: what was found, and of how many."""
    counts: Counter[str] = Counter()
    for chat in some:
        drafts = conversation.kept(_messages(chat), weights)
        by_message: dict[int, list[Draft]] = {}
        for draft in drafts:
            by_message.setdefault(int(draft.source.message or 0), []).append(draft)
        for entry in chat.durable:
            kept = [
                one
                for one in by_message.get(entry.message, ())
                if all(holds(one.content, p) for p in entry.must_contain)
            ]
            has_kind = any(one.kind == entry.kind for one in kept)
            counts.update({"recall": bool(kept), "of recall": 1, "kind": has_kind, "of kind": bool(kept)})
            if entry.kind == "lesson":
                counts.update({"lessons": has_kind, "of lessons": 1})
        for place in chat.transient:
            counts.update({"leak": place in by_message, "of leak": 1})
        for part in chat.forbidden:
            counts.update({"forbidden": any(holds(one.content, part) for one in drafts), "of forbidden": 1})
    return counts


def _cross_validated(given: Sequence[Example]) -> None:
    counts: dict[str, Counter[str]] = {name: Counter() for name in _SETS}
    for fold in range(_FOLDS):
        weights = fitted([one for one in given if one.fold != fold])
        for name, count in counts.items():
            count.update(judged((chat for chat in chats(name) if fold_of(chat) == fold), weights))
    for name, count in counts.items():
        print(f"{name:6}", *_shares(count), sep="  ")


def _shares(count: Counter[str]) -> Iterator[str]:
    for name in ("recall", "lessons", "kind", "leak", "forbidden"):
        of = count[f"of {name}"]
        yield f"{name} {100 * count[name] / max(of, 1):.1f} ({count[name]}/{of})"


def _written(weights: Weights) -> str:
    rows = (f"  {json.dumps(name)}: {json.dumps(list(weights[name]))}" for name in sorted(weights))
    return "{\n" + ",\n".join(rows) + "\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fitting", description=__doc__)
    parser.add_argument("--write", action="store_true", help="fit on all conversations and write the weights")
    given = examples()
    if parser.parse_args().write:
        TABLE.write_text(_written(fitted(given)), encoding="utf-8")
        print(f"{len(given)} sentences; written to {TABLE.name}")
    else:
        _cross_validated(given)


if __name__ == "__main__":
    main()
