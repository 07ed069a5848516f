"""`recall`, `context`, `items`, `history`, `explain`: what comes out, and why."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from truekeep import Explanation, Match, Recall
from truekeep.engine.requests import floor
from truekeep.memory import tell_at_once

from . import options, output


def recall(
    call: options.Call,
    query: Annotated[str, typer.Argument(help="A question or a topic, in any words.")],
    limit: Annotated[int, typer.Option("--limit", "-n", help="At most this many matches.")] = 5,
    *,
    filters: dict[str, Any],
    min_similarity: Annotated[float, typer.Option(help="Leave out what is less similar in meaning, 0 to 1.")] = 0.0,
    min_answerable: Annotated[float, typer.Option(help="Find nothing where an answer is less likely, 0 to 1.")] = 0.0,
    order: Annotated[str, typer.Option(help="best, confidence or newest.")] = "best",
    exit_code: Annotated[bool, typer.Option("--exit-code", help="End with 3 when nothing is found.")] = False,
) -> None:
    """Find what answers a query, best first."""
    with call.looked_at() as memory:
        tell_at_once(memory)
        filters |= {"min_similarity": min_similarity, "min_answerable": min_answerable, "order": order}
        found = memory.recall(query, limit=limit, **filters)
        call.tell(found, partial(_print_found, query=query))
        if not found and not found.lessons and not call.as_json:
            output.say_why_nothing(memory)
    if exit_code and not found:
        raise typer.Exit(output.NOT_FOUND)


def context(
    call: options.Call,
    query: Annotated[str, typer.Argument(help="What the agent is about to do; '' gives the newest items.")] = "",
    max_tokens: Annotated[int, typer.Option(help="The budget; it holds on the rendered text.")] = 1000,
    limit: Annotated[int, typer.Option("--limit", "-n", help="At most this many items.")] = 20,
    template: Annotated[str, typer.Option(help="default (fenced and labelled), plain, or prompt.")] = "default",
    *,
    filters: dict[str, Any],
    min_answerable: Annotated[
        float | None,
        typer.Option(help="Stay silent where an answer is less likely, 0 to 1; 0.09, for a word or a short task 0."),
    ] = None,
) -> None:
    """Print a block that is ready for a prompt; nothing when there is nothing to say."""
    with call.looked_at() as memory:
        text = memory.context(
            query, max_tokens=max_tokens, limit=limit, template=template, min_answerable=min_answerable, **filters
        )
        if not text and not call.as_json:
            output.say_why_nothing(memory)
    call.tell({"text": text}, lambda _: output.print_text(text))


def items(
    call: options.Call,
    limit: Annotated[int, typer.Option("--limit", "-n", help="At most this many.")] = 100,
    offset: Annotated[int, typer.Option(help="Leave out this many of the newest.")] = 0,
    *,
    filters: dict[str, Any],
) -> None:
    """List items as they are, newest first; with --json one a line."""
    with call.looked_at() as memory:
        found = memory.items(limit=limit, offset=offset, **filters)
        if not found and not call.as_json:
            output.say_why_nothing(memory)
    if call.as_json:
        output.print_json(*found)
    elif found:
        output.print_items(found)


def history(call: options.Call, id: Annotated[str, typer.Argument(help="The item.", metavar="ID")]) -> None:
    """Show every version of an item and of those it replaced or was replaced by, oldest first."""
    with call.looked_at() as memory:
        versions = memory.history(id)
    head = ("id", "version", "updated", "reason", "content")
    call.table(versions, head, lambda one: (one.id, one.version, one.updated, one.reason, one.content))


def explain(
    call: options.Call,
    query: Annotated[str, typer.Argument(help="A question or a topic, as for `recall`.")],
    id: Annotated[str | None, typer.Argument(help="Only this item: why it was found, or what it lost to.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="At most this many matches.")] = 5,
    *,
    filters: dict[str, Any],
) -> None:
    """Tell why each match of a query was found, or why one item was not; with --json one a line.

    Counts as no access: looking changes nothing.
    """
    with call.looked_at() as memory:
        found = memory.explain(query, id, limit=limit, **filters)
        if call.as_json:
            output.print_json(*found)
            return
        for one in found:
            output.say(memory.item(one.id).content)
            output.say(f"  {told(one)}", style="dim")
        if not found:
            output.say_why_nothing(memory)


def told(one: Explanation) -> str:
    """Where an item stands, and what brought it there."""
    place = "not found" if not one.found else f"rank {one.rank}"
    arms = [f"{arm.name}: {'no' if arm.rank is None else f'rank {arm.rank}, {arm.score:.2f}'}" for arm in one.arms]
    return " · ".join([place, f"score {one.score:.2f}", one.note.removeprefix("found: "), *arms, one.id])


def _print_found(found: Recall, query: str) -> None:
    for match in found:
        _print_match(match)
    if found and found.answerable < floor(query):
        output.note(f"probably nothing of this answers it (answerable {found.answerable:.2f})")
    if found.lessons:
        output.say("Avoid:", style="bold")
        for match in found.lessons:
            _print_match(match)
    if found.degraded:
        output.note("meaning was not available; words answered alone")
    if found.pending:
        output.note(f"{found.pending} items are not found by their meaning yet")


def _print_match(match: Match) -> None:
    about = [match.kind, f"confidence {match.confidence:.2f}", output.day(match.when), match.speaker, match.id]
    if match.outdated_by is not None:
        about.append(f"superseded by {match.outdated_by}")
    about += [f"perhaps outdated by {id}" for id in match.suspected_by]
    output.say(match.content)
    output.say(f"  {' · '.join(filter(None, about))}", style="dim")
