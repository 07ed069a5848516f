"""The recording in the README shows what the commands print today."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence

import pytest

from .recording import COLUMNS, PICTURE, SECONDS, Scene, picture, record, said

pytestmark = pytest.mark.long

SCENES = (
    Scene(
        command="truekeep recall '<tea> & more'", printed=("x" * (COLUMNS + 1), "  0.53 · 2026-11-16 03:42"), took=9.0
    ),
    Scene(command="# done", printed=(), took=0.0),
)


@pytest.fixture(scope="module")
def run_now() -> Sequence[Scene]:
    return record()


@pytest.mark.long
def test_the_picture_shows_what_the_commands_print(run_now: Sequence[Scene]) -> None:
    assert said(PICTURE.read_text(encoding="utf-8")) == said(picture(run_now)), "record it anew: make recording"


@pytest.mark.long
def test_the_story_is_told_by_the_memory_itself(run_now: Sequence[Scene]) -> None:
    _, _, before, _, after, _, gone = ("".join(scene.printed) for scene in run_now)

    assert "Thursdays" in before
    assert "Fridays" in after
    assert "Thursdays" not in after
    assert "Fridays" not in gone


def test_a_picture_is_well_formed_and_needs_nothing_from_elsewhere() -> None:
    drawn = ElementTree.fromstring(picture(SCENES))

    texts = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [
        "$",
        "truekeep recall '<tea> & more'",
        "x" * COLUMNS,
        "x",
        "0.53 · 2026-11-16 03:42",
        "$",
        "# done",
        "$",
    ]
    assert {element.tag.rpartition("}")[2] for element in drawn.iter()}.isdisjoint({"script", "image", "use", "a"})
    assert picture(SCENES).replace("http://www.w3.org/2000/svg", "").count("://") == 0


def test_another_answer_is_another_picture_and_another_time_is_not() -> None:
    first, *rest = SCENES
    later = Scene(command=first.command, printed=(first.printed[0], "  0.54 · 2027-01-01 00:00"), took=0.1)
    other = Scene(command=first.command, printed=("tea",), took=9.0)

    assert said(picture([later, *rest])) == said(picture(SCENES))
    assert said(picture([other, *rest])) != said(picture(SCENES))


def test_a_round_takes_as_long_as_it_should_and_begins_again() -> None:
    drawn = picture(SCENES)

    assert f"animation: {SECONDS:g}s infinite" in drawn
    assert max(float(share) for share in re.findall(r"([\d.]+)%", drawn)) < 100
