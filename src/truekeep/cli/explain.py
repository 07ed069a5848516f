"""`explain`: why something was found, or not."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from truekeep import Explanation, wire

from . import options, output


@options.filtered
def explain(
    query: Annotated[str, typer.Argument(help="A question or a topic, as for `recall`.")],
    id: Annotated[str | None, typer.Argument(help="Only this item: why it was found, or what it lost to.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="At most this many matches.")] = 5,
    *,
    filters: dict[str, Any],
    space: options.Space = "default",
    at: options.At = None,
    key: options.Key = None,
    as_json: options.AsJson = False,
) -> None:
    """Tell why each match of a query was found, or why one item was not; with --json one a line.

    Counts as no access: looking changes nothing.
    """
    with options.open_memory(space, at, key) as memory:
        found = memory.explain(query, id, limit=limit, **filters)
        if as_json:
            output.print_json(*map(wire.record, found))
            return
        for one in found:
            output.say(memory.item(one.id).content)
            output.say(f"  {_told(one)}", style="dim")
        if not found:
            output.say_why_nothing(memory)


def _told(one: Explanation) -> str:
    place = "not found" if not one.found else f"rank {one.rank}"
    arms = [f"{arm.name}: {'no' if arm.rank is None else f'rank {arm.rank}, {arm.score:.2f}'}" for arm in one.arms]
    return " · ".join([place, f"score {one.score:.2f}", one.note.removeprefix("found: "), *arms, one.id])
