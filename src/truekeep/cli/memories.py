"""`remember`, `extract`, `correct`; `review`, `resolve`, `release`; `forget`: what goes in, is doubted, and goes."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from truekeep import ExtractionReport, InvalidInput, Memory, MemoryItem, Receipt, Remembered, Review
from truekeep.engine import requests
from truekeep.model.shown import counted

from . import options, output, words

_COUNTED = 1_000  # items that are counted before somebody is asked
_WIPED_WITHIN = 10.0  # seconds that the bytes of what was forgotten are waited for


def remember(
    call: options.Call,
    content: Annotated[str, typer.Argument(help="The statement, or - to read it from stdin.")],
    kind: options.Kind = None,
    tag: options.Tags = None,
    metadata: options.Metadata = None,
    session: options.Session = None,
    speaker: options.Speaker = None,
    source: options.Source = None,
    claim: Annotated[
        str | None,
        typer.Option(help="The claim key, such as ana/language: another statement under it supersedes this one."),
    ] = None,
    ttl: options.Ttl = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="Always part of `context`, and never fading.")] = False,
    when: Annotated[
        datetime | None,
        typer.Option(parser=words.moment, metavar="TIME", help="Since when it is true, if not since now."),
    ] = None,
    idempotency_key: Annotated[str | None, typer.Option(help="A retry with the same key makes no second one.")] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Each line of stdin is a statement; all or none.")] = False,
) -> None:
    """Keep a statement. When this returns, it survives a power cut and the next recall can find it."""
    if lines and (content != "-" or idempotency_key is not None):
        raise InvalidInput("--lines", "goes with - (stdin), and without --idempotency-key")
    text = words.stdin_text("content") if content == "-" else content
    arguments: dict[str, Any] = {
        "kind": kind,
        "tags": tag or (),
        "metadata": metadata,
        "session": session,
        "speaker": speaker,
        "source": source,
        "key": claim,
        "ttl": ttl,
        "pinned": pinned,
        "when": when,
        "idempotency_key": idempotency_key,
        "judged": "now",
    }
    with call.memory() as memory:
        if lines:
            statements = [line for line in text.splitlines() if line.strip()]
            kept = memory.remember_many({"content": one, **arguments} for one in statements)
        else:  # `echo` ends what it says with a newline that nobody meant
            kept = [memory.remember(text.removesuffix("\n"), **arguments)]
    _print_all(kept, "there was no line to keep", as_json=call.as_json)


def extract(
    call: options.Call,
    file: Annotated[Path, typer.Argument(help="A transcript, or messages as JSON; - is stdin.", metavar="FILE")],
    session: options.Session = None,
    background: Annotated[
        bool, typer.Option("--background", help="Leave it to a durable job, and print its id.")
    ] = False,
) -> None:
    """Keep what is durable in a conversation: preferences, decisions, facts, failed attempts.

    The file is a transcript of "Name: text" lines, or a JSON list of messages such as {"role": ..., "content": ...}.
    """
    conversation = _conversation(words.file_text(file, "FILE"))
    with call.memory() as memory:
        done = memory.extract(conversation, session=session, wait=not background)
    if done.job is not None:
        call.answer(done.job, f"job {done.job.id}")
    else:
        _print_all(done.remembered, "nothing in it was found durable, so nothing was kept", as_json=call.as_json)
        _print_cost(done.report)


def correct(
    call: options.Call,
    id: Annotated[str, typer.Argument(help="The item.", metavar="ID")],
    content: Annotated[str | None, typer.Argument(help="The new statement; what is not given stays.")] = None,
    kind: options.Kind = None,
    tag: options.Tags = None,
    metadata: options.Metadata = None,
    pinned: Annotated[bool | None, typer.Option(help="Always part of `context`, and never fading.")] = None,
    ttl: options.Ttl = None,
) -> None:
    """Edit one item; the former version stays in its history."""
    with call.memory() as memory:
        item = memory.correct(id, content, kind=kind, tags=tag, metadata=metadata, pinned=pinned, ttl=ttl)
    call.answer(item, f"corrected {item.id}, now version {item.version}")


def _conversation(text: str) -> Any:
    """Messages, where the text is a JSON list; otherwise a transcript."""
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass  # "[10:15] Ana: good morning" is a transcript too
    return text


def _print_all(kept: list[Remembered] | tuple[Remembered, ...], otherwise: str, *, as_json: bool) -> None:
    if as_json:
        output.print_json(*kept)
        return
    if not kept:
        output.note(otherwise)
    for one in kept:
        done = "added" if one.outcome == "superseded" else one.outcome  # a person reads who took whose place
        before = f" in place of {', '.join(item.id for item in one.superseded)}" if one.superseded else ""
        replaced = f", redacted: {', '.join(one.redacted)}" if one.redacted else ""
        output.say(f"{done} {one.id}{before}{replaced}")


def _print_cost(report: ExtractionReport | None) -> None:
    """Beside the answer: what the model cost, and whether it did what it should."""
    if report is None:
        return
    tokens = report.prompt_tokens + report.completion_tokens
    output.note(f"{report.extractor}: {report.calls} calls, {tokens:,} tokens, {report.dropped} suggestions left out")
    if report.fallback:
        output.note(f"the rules had to do it: {report.fallback}")


def review(call: options.Call, limit: Annotated[int, typer.Option(help="At most this many of each.")] = 100) -> None:
    """List doubts (a newer memory may have replaced an older one), memories in quarantine, and those that mention
    somebody who was erased, the latest first."""
    with call.memory() as memory:
        found = memory.review(limit=limit)
    call.tell(found, _print_review)


def _print_review(found: Review) -> None:
    for suspicion in found.suspicions:
        output.say(f"doubt {suspicion.id}")
        output.say(f"  older, {_shown(suspicion.older)}")
        output.say(f"  newer, {_shown(suspicion.newer)}")
    for what, items in (("quarantined", found.quarantined), ("mentions somebody erased", found.mentions)):
        for item in items:
            output.say(f"{what} {item.id}")
            output.say(f"  {_shown(item)}")
    if not (found.suspicions or found.quarantined or found.mentions):
        output.note("nothing waits for review")


def _shown(item: MemoryItem) -> str:
    who = item.speaker or item.source.name or item.source.role
    return f"{item.when:%Y-%m-%d}{f', {who}' if who else ''}: {item.content}"


def resolve(
    call: options.Call,
    suspicion: Annotated[str, typer.Argument(help="The id of the doubt, as `review` lists it.")],
    keep: Annotated[str, typer.Option(help="Which is true: newer, older or both.")],
) -> None:
    """Settle a doubt: the newer memory supersedes the older one, or was wrong, or both are true."""
    with call.memory() as memory:
        settled = memory.resolve(suspicion, keep=requests.keep(keep))
    kept = "both are kept" if keep == "both" else f"the {keep} one is kept"
    call.answer(settled, kept)


def release(call: options.Call, id: Annotated[str, typer.Argument(help="The item.")]) -> None:
    """Let a memory out of quarantine, or keep one that mentions somebody who was erased: somebody looked at it."""
    with call.memory() as memory:
        item = memory.release(id)
    call.answer(item, f"released {item.id}")


def forget(
    call: options.Call,
    id: Annotated[str | None, typer.Argument(help="This item.", metavar="ID")] = None,
    kind: options.Kinds = None,
    tag: options.AllTags = None,
    session: options.InSession = None,
    speaker: options.BySpeaker = None,
    source: Annotated[str | None, typer.Option(help="From the source of this name: rolls it back as a whole.")] = None,
    before: Annotated[
        datetime | None,
        typer.Option(parser=words.moment, metavar="TIME", help="Learned before this time: 2026-01-31, or 30d."),
    ] = None,
    everything: Annotated[bool, typer.Option("--everything", help="The whole space, values included.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be erased, and what believed again.")
    ] = False,
    yes: options.Yes = False,
) -> None:
    """Erase one item, or all that the filters match, for good: from every answer and from the store's files.

    The same statement does not come back by extraction or import; an explicit `remember` may bring it back.
    """
    filters = options.given(kinds=kind, tags=tag, session=session, speaker=speaker, source=source, before=before)
    ways = (id is not None) + bool(filters) + everything
    if ways != 1:
        raise InvalidInput("ID", "say what to forget: either an ID, or filters, or --everything")
    with call.memory() as memory:
        if dry_run:
            call.tell(memory.forget(id, **filters, everything=everything, dry_run=True), _preview)
            return
        if not yes:
            output.confirm(f"Forget {_meant(memory, id, filters)} for good?")
        receipt = memory.forget(id, **filters, everything=everything)
        if receipt.pending and memory.flush(limit=_WIPED_WITHIN):
            receipt = replace(receipt, pending=False)
    if call.as_json:
        output.print_json(receipt)
    else:
        output.say(f"forgot {counted(len(receipt.erased), 'item')}; {receipt.remaining} can still be found")
        if receipt.pending:
            output.note("bytes of it may lie in the files until another process lets go of them, or for a minute")
    if id is not None and not receipt.erased:
        output.note("no item here has this id; `truekeep items` lists those that there are")
        raise typer.Exit(output.NOT_FOUND)
    if receipt.remaining:
        raise typer.Exit(output.FAILED)


def _preview(shown: Receipt) -> None:
    for item in shown.going:
        output.say(f"- {output.one_line(item.content)} ({item.id})", style="red")
    for item in shown.revived:
        output.say(f"+ {output.one_line(item.content)} ({item.id}), believed again", style="green")
    output.note(f"this would forget {counted(len(shown.going), 'item')} for good; nothing was changed")


def _meant(memory: Memory, id: str | None, filters: dict[str, Any]) -> str:
    if id is not None:
        return f"the item {id}"
    if not filters:
        return f"everything in the space {memory.space!r}"
    found = len(memory.items(limit=_COUNTED, include_superseded=True, **filters))
    return f"{counted(found, 'item')}{' or more' if found == _COUNTED else ''} in the space {memory.space!r}"
