"""`eval judgement`: what a memory makes of changes, repetitions, questions and conversations, by author."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from truekeep.cli import options, output
from truekeep.cli.transfer import written_whole

from .judged import Failures, Output, target

if TYPE_CHECKING:
    from truekeep_eval.judgement_report import Figures
    from truekeep_eval.metrics import Interval


def judgement(
    data: Annotated[
        list[Path],
        typer.Option(
            metavar="PATH",
            help="A set of worlds or of conversations, .jsonl; or a folder with such; may be given several times.",
        ),
    ],
    spaces: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only so many spaces of each author, drawn by the seed.")
    ] = None,
    author: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only what this author wrote; may be given several times.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides which worlds are together in a space.")] = 0,
    failures: Failures = False,
    file: Output = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure what is made of changes, repetitions, questions and conversations, by author.

    Twenty small worlds of one author are told to one memory, in this process only, and their questions are put to it;
    each conversation is given to the extraction of a memory of its own. Stores are neither read nor written.
    """
    from truekeep_eval import judgement, judgement_report, sample
    from truekeep_eval.runner import embedder_name

    chosen = sample.draw(sample.read(data), authors=author or [], spaces=spaces, seed=seed)
    with output.progress() as bars:
        task = bars.add_task("evaluating", total=chosen.size)
        judged = list(judgement.run(chosen, tell=lambda done: bars.advance(task, done)))
    name = " ".join(path.name for path in data)
    figures = judgement_report.figures(judged, data=name, embedder=embedder_name(), seed=seed, spaces=spaces)
    if file is not None:
        with written_whole(file) as written:
            rows = judgement_report.rows(judged)
            json.dump({**figures.record(), "rows": rows}, written, ensure_ascii=False, indent=1)
            written.write("\n")
    if as_json:
        output.print_json(figures.record())
        return
    _print(figures)
    if failures:
        for line in judgement_report.failures(judged):
            output.say(line)


def _print(figures: Figures) -> None:
    from truekeep_eval.judgement_report import TARGETS

    authors = figures.authors if len(figures.authors) > 1 else {}
    rows = [
        (
            name,
            target(TARGETS[name]),
            figures.is_met(name),
            _cell(mean),
            *(_cell(own.get(name)) for own in authors.values()),
        )
        for name, mean in figures.means.items()
    ]
    output.print_table(("measure", "target", "met", "mean" if authors else "all", *authors), rows)
    spaces = "1 space" if figures.spaces == 1 else f"{figures.spaces} spaces"
    some = "all of it" if figures.spaces is None else f"{spaces} an author, seed {figures.seed}"
    output.say(
        f"{figures.entries:,} worlds and conversations of {figures.data}, {some}, {figures.embedder}; "
        "percent, and below it the 95 % interval"
    )


def _cell(found: Interval | None) -> str:
    """With a decimal of the interval, too: some targets are a fifth of a percent."""
    if found is None:
        return ""
    bounds = "" if found.low is None or found.high is None else f"\n{100 * found.low:.1f}-{100 * found.high:.1f}"
    return f"{100 * found.value:.1f}{bounds}"
