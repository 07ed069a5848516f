"""Templates, and the few words that they need. Everything that enters a page is escaped, without exception."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from truekeep.model import KINDS, MemoryItem

from . import charts

FOLDER = Path(__file__).parent / "static"  # a style sheet, scripts, an icon: they change with the package only

_ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b")  # as we make them
_TIME = re.compile(r"\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*\+00:00")
_WEIGHTS = {"&": 5, "<": 4, ">": 4, '"': 5, "'": 5}  # characters of what each is escaped to


@cache
def version() -> str:
    """Part of their address: what a browser keeps is never older than the page."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(FOLDER.iterdir()))).hexdigest()[:16]


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("truekeep.server.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {
        "clip": clip,
        "segment": lambda name: quote(name, safe=""),
        "moment": moment,
        "ago": ago,
        "size": size,
        "times": lambda number: {0: "never", 1: "once"}.get(number, f"{number:,} times"),
        "count": lambda number: f"{number:,}",
        "percent": lambda share: f"{100 * share:.0f} %",
        "json": lambda value: json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True),
        "milliseconds": lambda seconds: f"{seconds * 1000:.1f} ms",
        "kind_class": kind_class,
        "linked": linked,
        "state": state,
    }
    made.globals |= {"static": f"/console/static/{version()}", "charts": charts}
    return made


def warm() -> None:
    """Compile every template, so that the first visitor does not wait for it."""
    for name in _environment().list_templates():
        _environment().get_template(name)


def render(template: str, **shown: Any) -> str:
    return _environment().get_template(template).render(**shown)


def clip(text: str, most: int = 200) -> str:
    """The beginning of a text, in characters and in what they weigh when escaped: a page must stay a page."""
    head = text[:most]
    weights = itertools.accumulate(_WEIGHTS.get(sign, 1) if sign < "\x80" else 4 for sign in head)
    room = sum(1 for weight in weights if weight <= 2 * most)
    return text if room == len(text) else f"{head[: max(0, room - 1)]}…"


def linked(text: str, up: str) -> Markup:
    """What a rule says, with its ids as links to their items and its times as everywhere else."""
    plain = str(escape(_TIME.sub(r"\1 \2 UTC", text)))
    return Markup(_ID.sub(lambda id: f'<a href="{up}items/{id[0]}">{id[0][:8]}…</a>', plain))  # escaped above


def moment(time: datetime | None) -> str:
    return "" if time is None else f"{time:%Y-%m-%d %H:%M} UTC"


def ago(time: datetime, now: datetime) -> str:
    gone = now - time
    if gone < timedelta(0):
        return moment(time)
    for unit, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if (count := int(gone.total_seconds()) // unit) >= 1:
            return f"{count:,} {name}{'s' if count > 1 else ''} ago"
    return "just now"


def size(octets: int) -> str:
    scaled = float(octets)
    for unit in ("B", "KB", "MB", "GB"):
        if scaled < 1000:
            return f"{scaled:.0f} {unit}" if unit == "B" else f"{scaled:.1f} {unit}"
        scaled /= 1000
    return f"{scaled:.1f} TB"


def kind_class(kind: str) -> str:
    """The colour of a kind; kinds of one's own share the last one."""
    return f"kind-{KINDS.index(kind) if kind in KINDS else len(KINDS)}"


def state(item: MemoryItem, now: datetime) -> str:
    """What has become of an item, in a word."""
    if item.quarantined:
        return "quarantined"
    if item.superseded_by is not None:
        return "superseded"
    if item.retired is not None or (item.until is not None and item.until <= now):
        return "ended"
    if item.expires is not None and item.expires <= now:
        return "expired"
    return "in doubt" if item.suspected_by else "current"
