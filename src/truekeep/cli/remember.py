"""`remember`, `extract`, `correct`: what goes in."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from truekeep import ExtractionReport, InvalidInput, Remembered

from . import options, output, words


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
