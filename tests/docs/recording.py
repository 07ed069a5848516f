"""Writes docs/images/terminal.svg: commands that were really run, and what they really printed, as a short animation.

python tests/docs/recording.py

The typing is drawn. The pause before an answer is the time that the command took, but at most `PATIENCE`, and the whole
is stretched to `SECONDS`. Text is placed by its column, so that any fixed-width font does.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

PICTURE = Path(__file__).parent.parent.parent / "docs" / "images" / "terminal.svg"
SCRIPT = (
    "# each command is a process of its own; between them there is only a file",
    'truekeep remember "The release train leaves on Thursdays at 14:00 UTC"',
    'truekeep recall "when does the release leave?"',
    'truekeep remember "The release train now leaves on Fridays at 14:00 UTC"',
    'truekeep recall "when does the release leave?"',
    "truekeep forget {id} --yes",
    'truekeep recall "when does the release leave?"',
)
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

SECONDS = 20.0  # one round
A_KEY, PATIENCE, TO_READ, AT_THE_END = 0.03, 0.6, 0.9, 3.0  # seconds, before they are stretched
COLUMNS, COLUMN, LINE, EDGE, BAR = 98, 8.4, 21, 20, 34  # characters and pixels
STYLE = f"""\
text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }}
.window {{ fill: #14171a; stroke: #3b434c; }} .cover {{ fill: #14171a; }} .bar, .cursor {{ fill: #3b434c; }}
.typed {{ fill: #e8eaed; }} .printed {{ fill: #aeb7c1; }} .remark {{ fill: #7fd699; }} .prompt {{ fill: #8ab8ff; }}
.shown, .moved {{ animation: {SECONDS:g}s infinite; }}
.moved {{ visibility: hidden; }}
@media (prefers-reduced-motion: reduce) {{ .shown, .moved {{ animation: none; }} }}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    command: str
    printed: tuple[str, ...]
    took: float  # seconds


def record(script: Iterable[str] = SCRIPT) -> list[Scene]:
    """Run the commands one after another, on a store that is made for them; `{id}` is the first id printed last."""
    scenes: list[Scene] = []
    with tempfile.TemporaryDirectory() as home:
        for line in script:
            ids = [ID.findall("".join(scene.printed)) for scene in scenes]
            last = next((found[0] for found in reversed(ids) if found), "")
            scenes.append(_run(line.replace("{id}", last), home))
    return scenes


def _run(command: str, home: str) -> Scene:
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("TRUEKEEP_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{surroundings['PATH']}"
    began = time.monotonic()
    done = subprocess.run(
        command, shell=True, env={**surroundings, "TRUEKEEP_HOME": home, "PATH": path, "TZ": "UTC"},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True,
    )  # fmt: skip
    return Scene(command=command, printed=tuple(done.stdout.splitlines()), took=time.monotonic() - began)


def picture(scenes: Iterable[Scene]) -> str:
    """The scenes as an animated SVG."""
    scenes = list(scenes)
    stretch = SECONDS / (sum(map(_length, scenes)) + AT_THE_END)
    rows, frames, top, now = [], [], BAR + EDGE, 0.0
    for number, scene in enumerate(scenes):
        done = now + len(scene.command) * A_KEY
        answered = done + min(scene.took, PATIENCE) if scene.printed else done
        frames += [
            _appears(f"p{number}", now * stretch),
            _appears(f"a{number}", answered * stretch),
            _moves(f"t{number}", scene.command, now * stretch, done * stretch, answered * stretch),
        ]
        rows += [
            f'<g class="shown" style="animation-name: p{number}">{_prompt(top)}{_typed(scene.command, top, number)}</g>'
        ]
        top += LINE
        rows += [f'<g class="shown" style="animation-name: a{number}">']
        for line in _folded(scene.printed):
            rows.append(_text(line, 0, top, "printed"))
            top += LINE
        rows += ["</g>"]
        top += LINE // 2 if scene.printed else 0
        now += _length(scene)
    frames.append(_appears("end", now * stretch))
    rows.append(f'<g class="shown" style="animation-name: end">{_prompt(top)}{_cursor(top)}</g>')
    return _window(rows, frames, height=top + EDGE)


def _length(scene: Scene) -> float:
    return len(scene.command) * A_KEY + (min(scene.took, PATIENCE) + TO_READ if scene.printed else TO_READ / 2)


def _folded(lines: Iterable[str]) -> Iterator[str]:
    """As a terminal folds them."""
    for line in lines:
        yield from (line[start : start + COLUMNS] for start in range(0, max(1, len(line)), COLUMNS))


def _window(rows: list[str], frames: list[str], *, height: int) -> str:
    width = COLUMNS * COLUMN + 2 * EDGE
    inside = f'width="{width - 2:g}" height="{height - 2}" rx="8"'
    dots = "".join(f'<circle class="bar" cx="{EDGE + 18 * place}" cy="{BAR // 2 + 2}" r="5"/>' for place in range(3))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" role="img" aria-labelledby="title">',
        '<title id="title">A terminal: truekeep remembers, recalls, is told better, recalls that, and forgets</title>',
        f"<style>\n{STYLE}{''.join(frames)}</style>",
        f'<clipPath id="inside"><rect x="2" y="2" width="{width - 4:g}" height="{height - 4}"/></clipPath>',
        f'<rect class="window" x="1" y="1" {inside}/>',
        dots,
        '<g clip-path="url(#inside)">',
        *rows,
        "</g>",
        "</svg>\n",
    ])  # fmt: skip


def _prompt(top: int) -> str:
    return _text("$", 0, top, "prompt")


def _typed(command: str, top: int, number: int) -> str:
    """The command under a cover that moves away from it, with the cursor at its edge."""
    left, kind = EDGE + 2 * COLUMN, "remark" if command.startswith("#") else "typed"
    return (
        f"{_text(command, 2, top, kind)}"
        f'<g class="moved" style="animation-name: t{number}">'
        f'<rect class="cover" x="{left:g}" y="{top - 15}" width="{(COLUMNS - 2) * COLUMN + EDGE:g}" height="{LINE}"/>'
        f"{_cursor(top)}</g>"
    )


def _cursor(top: int) -> str:
    return f'<rect class="cursor" x="{EDGE + 2 * COLUMN:g}" y="{top - 13}" width="{COLUMN:g}" height="17"/>'


def _text(line: str, column: int, top: int, kind: str) -> str:
    if not line.strip():
        return ""
    indent = len(line) - len(line.lstrip())
    shown = line.strip()
    left, length = EDGE + (column + indent) * COLUMN, len(shown) * COLUMN
    return (
        f'<text class="{kind}" x="{left:g}" y="{top}" textLength="{length:g}" lengthAdjust="spacingAndGlyphs">'
        f"{escape(shown, quote=False)}</text>"
    )


def _appears(name: str, at: float) -> str:
    return (
        f"@keyframes {name} {{ from {{ opacity: 0; animation-timing-function: step-end; }}"
        f" {at / SECONDS:.2%}, to {{ opacity: 1; }} }}\n"
    )


def _moves(name: str, command: str, begins: float, ends: float, answered: float) -> str:
    """By one character at a time, then it is gone."""
    way = len(command) * COLUMN
    return (
        f"@keyframes {name} {{ from {{ visibility: visible; transform: none; }}"
        f" {begins / SECONDS:.2%} {{ visibility: visible; transform: none;"
        f" animation-timing-function: steps({len(command)}); }}"
        f" {ends / SECONDS:.2%} {{ visibility: visible; transform: translateX({way:g}px); }}"
        f" {answered / SECONDS + 0.0001:.2%}, to {{ visibility: hidden; transform: translateX({way:g}px); }} }}\n"
    )


def said(svg: str) -> str:
    """All text of a picture, without what differs each time: ids, times, and how sure it is."""
    shown = "".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg))
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d|0\.\d\d", "…", ID.sub("…", shown))


if __name__ == "__main__":
    PICTURE.write_text(picture(record()), encoding="utf-8")
