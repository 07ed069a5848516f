"""Public sets, read out of git clones of their repositories. Their licences are in README.md.

A clone may be bare. What is missing in it (a shallow mirror leaves large files out) is left out and counted.
"""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from .examples import CHANGE, PART, STAY, UNKNOWN, Example

SQUAD = "chrischute+squad"
FAIRYTALES = "uci-soe+FairytaleQAData"
SNLI = "OanaMariaCamburu+e-SNLI"
DIALOGUES = "google-research-datasets+dstc8-schema-guided-dialogue"

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(\[0-9])")
_INFERENCES = {"entailment": 0, "contradiction": 1, "neutral": 2}
_MOST_TEXTS = 7
_LONGEST = 400  # characters of a sentence
_NEGLIGIBLE = re.compile(
    r"(?:the|an?|of|to|in|on|and|or|is|was|were|be|been|it|he|she|they|his|her|him|them|that|this|with|for|at|by|from|as"
    r"|had|has|have|did|do|does|who|what|where|when|why|how|which|not|no|so|but)"
)


def load(mirrors: Path, seed: int = 7) -> Iterator[Example]:
    """All examples of all public sets."""
    random = Random(seed)
    yield from _squad(Clone(mirrors / SQUAD), random)
    yield from _fairytales(Clone(mirrors / FAIRYTALES), random)
    yield from _snli(Clone(mirrors / SNLI))
    yield from _dialogues(Clone(mirrors / DIALOGUES), random)


class Clone:
    """The newest commit of a repository."""

    def __init__(self, folder: Path) -> None:
        inner = folder / "repo"
        self._folder = inner if inner.exists() else folder

    def files(self, under: str) -> list[str]:
        """The paths below a folder."""
        return self._git("ls-tree", "-r", "--name-only", "HEAD", under).splitlines()

    def text(self, path: str) -> str:
        """What a file says; nothing where the clone does not hold it."""
        return self._git("show", f"HEAD:{path}")

    def _git(self, *arguments: str) -> str:
        done = subprocess.run(["git", "-C", str(self._folder), *arguments], capture_output=True, check=False)
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def _squad(clone: Clone, random: Random) -> Iterator[Example]:
    for path in ("data/dev-v2.0.json", "data/test-v2.0.json"):
        for article in json.loads(clone.text(path) or '{"data": []}')["data"]:
            for paragraph in article["paragraphs"]:
                yield from _squad_questions(paragraph, article["title"], random)


def _squad_questions(paragraph: Mapping[str, Any], title: str, random: Random) -> Iterator[Example]:
    texts, ends, end = _SENTENCE_END.split(paragraph["context"]), [], 0
    for text in texts:
        end = paragraph["context"].index(text, end) + len(text)
        ends.append(end)
    for asked in paragraph["qas"]:
        starts = {answer["answer_start"] for answer in asked.get("answers") or []}
        held = {next(place for place, end in enumerate(ends) if start < end) for start in starts}
        if held or asked.get("is_impossible"):
            yield _shuffled("squad", title, asked["question"].strip(), texts, held, random)


def _shuffled(source: str, world: str, question: str, texts: Sequence[str], held: set[int], random: Random) -> Example:
    """A question and some texts in any order: the place of a text in it must tell nothing."""
    others = [place for place in range(len(texts)) if place not in held]
    chosen = [*held, *random.sample(others, min(len(others), _MOST_TEXTS - len(held)))]
    random.shuffle(chosen)
    return Example(
        task="relevance",
        source=source,
        world=world,
        head=question,
        texts=tuple(texts[place].strip() for place in chosen),
        labels=tuple(int(place in held) for place in chosen),
    )


def _fairytales(clone: Clone, random: Random) -> Iterator[Example]:
    for path in clone.files("data-by-origin/questions"):
        story = path.replace("/questions/", "/section-stories/").replace("-questions.csv", "-story.csv")
        sections = {row["section"]: row["text"] for row in _table(clone.text(story)) if row.get("text")}
        for row in _table(clone.text(path)):
            texts = [
                text
                for section in re.findall(r"\d+", row.get("cor_section") or "")
                for text in _SENTENCE_END.split(sections.get(section, ""))
                if 0 < len(text) < _LONGEST
            ]
            held = _holder(row.get("question") or "", row.get("answer1") or "", texts)
            if held is not None:
                yield _shuffled("fairytales", path, row["question"].strip(), texts, {held}, random)


def _holder(question: str, answer: str, texts: Sequence[str]) -> int | None:
    """The one sentence that holds the answer: most of its words, and clearly more of them than any other."""
    wanted, asked = _words(answer), _words(question)
    if not wanted or not asked or len(texts) < 2:
        return None
    shares = [len(wanted & _words(t)) / len(wanted) + 0.3 * len(asked & _words(t)) / len(asked) for t in texts]
    first, second = sorted(shares, reverse=True)[:2]
    return shares.index(first) if first >= 0.6 and first - second > 0.35 else None


def _words(text: str) -> set[str]:
    found = re.findall(r"[a-z]+", text.lower())
    telling = [word for word in found if not _NEGLIGIBLE.fullmatch(word)]
    return {re.sub(r"(ing|ed|es|s)$", "", word) if len(word) > 4 else word for word in telling}


def _table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def _snli(clone: Clone) -> Iterator[Example]:
    for part in ("dev", "test"):
        premises, hypotheses, labels = (
            clone.text(f"dataset/eSNLI/{column}.{part}").splitlines() for column in ("s1", "s2", "labels")
        )
        for premise, hypothesis, label in zip(premises, hypotheses, labels, strict=True):
            if (known := _INFERENCES.get(label.strip())) is not None:
                texts = (premise.strip(),)
                yield Example(
                    task="inference", source="snli", world="", head=hypothesis.strip(), texts=texts, labels=(known,)
                )


def _dialogues(clone: Clone, random: Random) -> Iterator[Example]:
    for path in clone.files("train"):
        if "dialogues_" in path and (text := clone.text(path)):
            for dialogue in json.loads(text):
                yield from _value_changes(dialogue, random)
                yield from _answers(dialogue, random)


def _value_changes(dialogue: Mapping[str, Any], random: Random) -> Iterator[Example]:
    """What a user says against what he said before: a slot that got another value was changed."""
    told: list[tuple[str, dict[tuple[str, str], str]]] = []
    for turn in dialogue["turns"]:
        informs = _informed(turn) if turn["speaker"] == "USER" else {}
        if informs and told:
            labels = [_changed(before, informs) for _, before in told]
            # Three in four turns change nothing; as many as change something are enough.
            if CHANGE in labels or PART in labels or random.random() < 0.15:
                recent = list(zip((text for text, _ in told), labels, strict=True))[-_MOST_TEXTS:]
                random.shuffle(recent)
                yield Example(
                    task="relation",
                    source="dialogues",
                    world=dialogue["dialogue_id"],
                    head=turn["utterance"],
                    texts=tuple(text for text, _ in recent),
                    labels=tuple(label for _, label in recent),
                )
        if informs:
            told.append((turn["utterance"], informs))


def _informed(turn: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    return {
        (frame["service"], action["slot"]): (action.get("canonical_values") or action["values"])[0].lower()
        for frame in turn["frames"]
        for action in frame["actions"]
        if action["act"] == "INFORM" and action["values"]
    }


def _changed(before: Mapping[tuple[str, str], str], now: Mapping[tuple[str, str], str]) -> int:
    shared = before.keys() & now.keys()
    other = [slot for slot in shared if before[slot] != now[slot]]
    if other:
        return CHANGE if len(other) == len(before) else PART
    return UNKNOWN if shared else STAY


def _answers(dialogue: Mapping[str, Any], random: Random) -> Iterator[Example]:
    """What a user asks, and which of the system's turns tells it."""
    turns = dialogue["turns"]
    told = [(place, turn) for place, turn in enumerate(turns) if turn["speaker"] == "SYSTEM"]
    for place, turn in enumerate(turns[:-1]):
        slots = {action["slot"] for frame in turn["frames"] for action in frame["actions"]}
        acts = [action["act"] for frame in turn["frames"] for action in frame["actions"]]
        if turn["speaker"] != "USER" or acts != ["REQUEST"] or not slots & _told(turns[place + 1]):
            continue
        others = [other["utterance"] for at, other in told if at != place + 1 and not slots & _told(other)]
        texts = [turns[place + 1]["utterance"], *others]
        if others:
            yield _shuffled("dialogues", dialogue["dialogue_id"], turn["utterance"], texts, {0}, random)


def _told(turn: Mapping[str, Any]) -> set[str]:
    return {action["slot"] for frame in turn["frames"] for action in frame["actions"] if action["act"] == "INFORM"}
