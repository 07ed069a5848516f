"""Pages stay small, whatever a space holds, and are made from the index rather than from all of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from urllib.parse import quote

import pytest

from tests.server.served import Served, at
from truekeep.server.console.rendering import FOLDER

from .browser import IMAGES
from .visitor import Visitor

MOST = 100_000
SPACE = "n" * 200
HEAVY = "<'&\"" * 15_000  # each of these characters is five when it is escaped


@pytest.fixture(scope="module")
def heavy(served: Served) -> Iterator[Visitor]:
    made = served.new_key(name="<" * 200)
    with served.caller(made["key"]) as caller:
        drafts = [
            {
                "content": f"{number} {HEAVY}" if number % 4 == 0 else f"{number} " + "'" * 2_000,
                "tags": [f"{'<' * 60}{tag}" for tag in range(20)],
                "speaker": "&" * 200,
                "session": "'" * 200,
                "key": f"key {number % 50} {'<' * 200}",
                "metadata": {str(n): "<" * 200 for n in range(50)},
            }
            for number in range(60)
        ]
        for number in range(30):
            caller.post(at(SPACE, "checkpoints"), json={"name": f"{'<' * 200}{number or ''}"})
        for draft in drafts:
            kept = caller.post(at(SPACE, "memories"), json=draft)
            assert kept.status_code == 201, kept.text
        for number in range(60):
            caller.put(at(SPACE, "values", f"{'<' * 200}{number}"), json={"value": "<" * 5_000})
        for number in range(60):
            caller.post("/v1/keys", json={"name": f"{'<' * 200}{number}"})
            caller.post(at(f"{'<' * 200}{number}", "memories"), json={"content": "x"})
    with closing(Visitor(served, made["key"])) as visitor:
        yield visitor


@pytest.mark.parametrize(
    "path",
    [
        "",
        f"/spaces/{SPACE}/items",
        f"/spaces/{SPACE}/items?query={quote(HEAVY[:500])}&limit=20",
        f"/spaces/{SPACE}/items/ID",
        f"/spaces/{SPACE}/items/ID/edit",
        f"/spaces/{SPACE}/review",
        f"/spaces/{SPACE}/history?since={quote('<' * 200)}",
        f"/spaces/{SPACE}/history/restore?since={quote('<' * 200)}",
        f"/spaces/{SPACE}/map",
        f"/spaces/{SPACE}/map/points",
        f"/spaces/{SPACE}/values",
        "/jobs",
        "/usage",
        "/keys",
        "/audit",
    ],
)
def test_a_page_is_under_100_kb(heavy: Visitor, path: str) -> None:
    listed = heavy.get(f"/console/spaces/{SPACE}/items").text
    id = listed.split('data-id="')[1].split('"')[0]

    answer = heavy.get(f"/console{path.replace('ID', id)}")

    assert answer.status_code == 200
    assert len(answer.content) < MOST


def test_all_files_together_are_under_30_kb() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 30_000


def test_the_pictures_of_the_documentation_are_small() -> None:
    pictures = sorted(IMAGES.glob("console*.png"))

    assert len(pictures) >= 12
    assert [picture.name for picture in pictures if picture.stat().st_size > 150_000] == []


def test_older_items_are_on_further_pages(heavy: Visitor) -> None:
    seen: list[str] = []
    path = f"/console/spaces/{SPACE}/items"
    while path:
        page = heavy.get(path).text
        seen += [part.split('"')[0] for part in page.split('data-id="')[1:]]
        found = page.split('<p><a href="items?')
        path = f"/console/spaces/{SPACE}/items?{found[1].split(chr(34))[0]}" if len(found) > 1 else ""

    assert len(seen) == len(set(seen)) == 50  # one for each claim key
