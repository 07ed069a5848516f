"""`eval recall`: is what answers a question found?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truekeep.cli import options, output
from truekeep.cli.transfer import written_whole

if TYPE_CHECKING:
    from truekeep_eval.metrics import Interval
    from truekeep_eval.report import Difference, Figures, Report


def ranks(text: str) -> tuple[int, ...]:
    """Numbers of matches to look at: `1,5,10`."""
    try:
        found = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} are no numbers; write 1,5,10,20") from error
    if found[0] < 1 or found[-1] > 1000:
        raise typer.BadParameter("must be between 1 and 1,000")
    return found


def recall(
    data: Annotated[
        Path,
        typer.Option(
            metavar="PATH",
            help="A set, .jsonl or .jsonl.gz; a folder with recall.jsonl; or a report, .json.",
        ),
    ],
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, help="Only so many conversations.")] = None,
    k: Annotated[str, typer.Option("--k", metavar="NUMBERS", help="How many matches to look at.")] = "1,5,10,20",
    without: Annotated[
        list[str] | None, typer.Option(metavar="CATEGORY", help="Leave out its questions; may be given several times.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(metavar="KIND", help="Remember everything as this kind, whatever the set says.")
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(metavar="REPORT", help="Also compare, question by question, with an earlier report.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output", "--out", metavar="REPORT", help="Write a report with one row a question to this file."
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure recall on a set of questions whose evidence is known.

    Each conversation of the set is remembered in a memory of its own, in this process only, and its questions are put
    to it. Stores are neither read nor written. A report instead of a set is shown again.
    """
    from truekeep_eval import report as reports
    from truekeep_eval.lines import located

    data = located(data, "recall.jsonl")
    earlier = None if compare is None else reports.read(compare)  # a mistyped name is told before the work
    report = (
        reports.read(data)
        if data.suffix == ".json"
        else _evaluated(data, ranks(k), limit=limit, without=without or [], kind=kind)
    )
    changes = None if earlier is None else reports.compare(earlier, report)
    figures = reports.figures(report)
    if out is not None:
        with written_whole(out) as file:
            json.dump(reports.record(report, figures), file, ensure_ascii=False, indent=1)
            file.write("\n")
    if as_json:
        output.print_json(output.plain(figures) | ({} if changes is None else {"changes": changes}))
        return
    _print_scores(figures)
    for line in _sentences(figures):
        output.say(line)
    if changes is not None:
        _print_changes(changes)


def _evaluated(data: Path, ks: tuple[int, ...], **chosen: Any) -> Report:
    from truekeep_eval import datasets, runner
    from truekeep_eval.report import Report

    conversations = datasets.read(data, **chosen)
    with output.progress() as bars:
        task = bars.add_task("evaluating", total=runner.work(conversations))
        rows = tuple(runner.run(conversations, ks=ks, tell=lambda done: bars.advance(task, done)))
    return Report(data=data.name, embedder=runner.embedder_name(), ks=ks, rows=rows)


def _print_scores(figures: Figures) -> None:
    if figures.overall is None:
        return
    names = list(figures.overall.measures)
    rows = [
        (category, found.questions, *(_cell(found.measures[name]) for name in names))
        for category, found in [("all", figures.overall), *figures.categories.items()]
    ]
    output.print_table(("category", "n", *names), rows)


def _sentences(figures: Figures) -> Iterator[str]:
    yield (
        f"{figures.questions:,} questions on {figures.conversations:,} conversations, {figures.embedder}; "
        "percent, and below it the 95 % interval"
    )
    if found := figures.context:
        yield (
            f"context: {found.mean_tokens:.0f} of {found.budget:,} tokens used; evidence recall per 1,000 tokens "
            f"{100 * found.recall_per_1000_tokens:.1f} %"
        )
    if unanswered := figures.abstention:
        yield (
            f"answerable: AUROC {_span(unanswered.auroc, '.2f')} against {unanswered.questions:,} questions that "
            f"nothing answers; precision {_span(unanswered.precision_at_95, '.2f')} with 95 % of the others let through"
        )
    if latency := figures.latency:
        yield f"recall: {latency.p50_ms:.1f} ms at the median, {latency.p95_ms:.1f} ms at the 95th percentile"


def _print_changes(changes: Mapping[str, Difference]) -> None:
    rows = [
        (
            name,
            f"{100 * found.before:.1f}",
            f"{100 * found.after:.1f}",
            _span(found.change, "+.1f", scale=100),
            found.better,
            found.worse,
            found.same,
        )
        for name, found in changes.items()
    ]
    output.print_table(("measure", "before", "after", "change", "better", "worse", "same"), rows)


def _cell(found: Interval) -> str:
    """Two lines, so that a table with all measures fits a terminal."""
    bounds = "" if found.low is None or found.high is None else f"\n{100 * found.low:.0f}-{100 * found.high:.0f}"
    return f"{100 * found.value:.1f}{bounds}"


def _span(found: Interval, form: str, scale: int = 1) -> str:
    """In one line."""
    value = f"{scale * found.value:{form}}"
    if found.low is None or found.high is None:
        return value
    return f"{value} ({scale * found.low:{form}} to {scale * found.high:{form}})"
