"""The site of `make docs`, before and after Zensical has made HTML of it; all of it is in build/docs.

python tests/docs/site_pages.py lay-out
zensical build --strict --config-file build/docs/mkdocs.yml
python tests/docs/site_pages.py seal

The order of the pages is that of docs/README.md. What a page links to outside of docs/ comes along, as if the
repository began there. A sealed site fetches nothing from elsewhere, and its search works in a folder, too.
"""

from __future__ import annotations

import json
import posixpath
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SITE = ROOT / "build" / "docs"
ICON = ROOT / "src" / "truekeep" / "server" / "console" / "static" / "icon.svg"
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
PAGE = re.compile(r"\[([^\]]+)\]\(([^)#:]+\.md)\)")
SHIM = '<script src="https://unpkg.com/iframe-worker/shim" type="text/javascript"></script>'
WORKER = Path(__file__).with_name("frame_worker.js")
FETCHED = re.compile(
    r"""<(?:(?:script|img|iframe|source)\b[^>]*\bsrc|link\b[^>]*\bhref)=["']?(?:https?:)?//[^"' >]*""",
)
UPWARDS = re.compile(r"(?<=\]\()(?:\.\./)+[^)#:]+")


def nav(index: str) -> list[dict[str, object]]:
    """The sections of an index, and the pages that each of them names, in that order and under those names."""
    _, *parts = HEADING.split(index)
    sections: list[dict[str, object]] = [
        {name: [{title: path} for title, path in PAGE.findall(text)]}
        for name, text in zip(parts[::2], parts[1::2], strict=True)
    ]
    return [{"Home": "README.md"}, *sections]


def outside(page: str, text: str) -> Iterator[tuple[str, str]]:
    """Links of a page that lead out of docs/: as they stand there, and as seen from the top of the repository."""
    for link in UPWARDS.findall(text):
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), link))
        if not path.startswith("docs/"):
            yield link, path


def within(page: str, text: str) -> str:
    """The text of a page, with links that stay inside."""
    for link, path in outside(page, text):
        text = text.replace(f"]({link}", f"]({posixpath.relpath(path, posixpath.dirname(page) or '.')}")
    return text


def lay_out(site: Path = SITE) -> None:
    shutil.rmtree(site, ignore_errors=True)
    pages = site / "pages"
    shutil.copytree(ROOT / "docs", pages)
    shutil.copy(ICON, pages / "images" / ICON.name)
    for path in sorted(pages.rglob("*.md")):
        name, text = path.relative_to(pages).as_posix(), path.read_text(encoding="utf-8")
        for _, linked in outside(name, text):
            (pages / linked).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / linked, pages / linked)
        path.write_text(within(name, text), encoding="utf-8")
    order = json.dumps(nav((pages / "README.md").read_text(encoding="utf-8")))
    (site / "mkdocs.yml").write_text(f"{(ROOT / 'mkdocs.yml').read_text()}\nnav: {order}\n", encoding="utf-8")


def seal(html: Path = SITE / "html") -> None:
    """Put our own script in the place of the one that the search would fetch, and refuse anything else that is fetched.

    Raises:
        SystemExit: a page would ask another machine for something.
    """
    shutil.copy(WORKER, html / "assets" / WORKER.name)
    for path in sorted(html.rglob("*.html")):
        upwards = "../" * (len(path.relative_to(html).parts) - 1)
        text = path.read_text(encoding="utf-8")
        text = text.replace(SHIM, f'<script src="{upwards}assets/{WORKER.name}"></script>')
        if fetched := FETCHED.search(text):
            raise SystemExit(f"{path.relative_to(html)} would fetch something: {fetched[0]}")
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    {"lay-out": lay_out, "seal": seal}[sys.argv[1]]()
