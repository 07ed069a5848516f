"""`eval belief` and `eval extract`: what is taken for current after changes, and what is kept of conversations."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import typer

from truekeep import InvalidInput
from truekeep.cli import options, output
from truekeep.cli.transfer import written_whole

if TYPE_CHECKING:
    from truekeep_eval.folds import Foldable
    from truekeep_eval.lines import Identified
    from truekeep_eval.shares import Figures, Share, Target

Entry = TypeVar("Entry", bound="Foldable")
Verdict = TypeVar("Verdict", bound="Identified", contravariant=True)
Tell = Callable[[int], None]

Folds = Annotated[int, typer.Option(min=1, max=100, help="Into how many folds the set is divided; 1: not at all.")]
Fold = Annotated[int | None, typer.Option(metavar="N", min=0, help="Only this fold of the set; the first is 0.")]
HideFold = Annotated[
    int | None,
    typer.Option(metavar="N", min=0, help="Show no text of this fold, neither as a failure nor in the report."),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", metavar="REPORT", help="Write the figures and every verdict, as JSON, to this file."),
]
Failures = Annotated[bool, typer.Option("--failures", help="Also print what went wrong, with its texts.")]


class Report(Protocol[Verdict]):
    """What a module makes of verdicts."""

    def figures(
        self, judged: Sequence[Verdict], *, data: str, embedder: str, fold_of: Mapping[str, int] | None
    ) -> Figures: ...

    def rows(
        self, judged: Sequence[Verdict], *, fold_of: Mapping[str, int], hidden: Collection[int]
    ) -> list[dict[str, Any]]: ...

    def failures(self, judged: Sequence[Verdict]) -> Iterator[str]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What of a set is run, and what of the run is shown."""

    data: Path
    folds: int
    fold: int | None
    hidden: int | None
    failures: bool
    file: Path | None
    as_json: bool

    def __post_init__(self) -> None:
        for name, fold in (("--fold", self.fold), ("--hide-fold", self.hidden)):
            if fold is not None and fold >= self.folds:
                raise InvalidInput(name, f"there are {self.folds} folds; the last is {self.folds - 1}")


def belief(
    data: Annotated[Path, typer.Option(metavar="PATH", help="A set, .jsonl; or a folder with belief.jsonl.")],
    k: Annotated[int, typer.Option("--k", min=1, max=1000, help="How many matches to look at.")] = 5,
    folds: Folds = 4,
    fold: Fold = None,
    hide_fold: HideFold = None,
    failures: Failures = False,
    file: Output = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure what is taken for current after statements that change, end, repeat or merely look alike.

    Each scenario of the set is told to a memory of its own, in this process only, each step at its time, and its
    questions are put to it. Stores are neither read nor written.
    """
    from truekeep_eval import belief, belief_report, scenarios

    wish = Wish(data=data, folds=folds, fold=fold, hidden=hide_fold, failures=failures, file=file, as_json=as_json)
    _judge(
        scenarios.read(data),
        wish,
        run=lambda entries, tell: belief.run(entries, k=k, tell=tell),
        report=belief_report,
        group="category",
        k=k,
    )


def extract(
    data: Annotated[Path, typer.Option(metavar="PATH", help="A set, .jsonl; or a folder with extract.jsonl.")],
    folds: Folds = 4,
    fold: Fold = None,
    hide_fold: HideFold = None,
    failures: Failures = False,
    file: Output = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure what is kept of conversations, and what of them should not have been.

    Each conversation of the set is given to the extraction of a memory of its own, in this process only. Stores are
    neither read nor written.
    """
    from truekeep_eval import chats, extraction, extraction_report

    wish = Wish(data=data, folds=folds, fold=fold, hidden=hide_fold, failures=failures, file=file, as_json=as_json)
    _judge(
        chats.read(data),
        wish,
        run=lambda entries, tell: extraction.run(entries, tell=tell),
        report=extraction_report,
        group="kind",
    )


def _judge(
    entries: Sequence[Entry],
    wish: Wish,
    *,
    run: Callable[[Sequence[Entry], Tell], Iterator[Verdict]],
    report: Report[Verdict],
    group: str,
    k: int | None = None,
) -> None:
    from truekeep_eval import folds as dividing
    from truekeep_eval.runner import embedder_name

    fold_of = dividing.fold_of(entries, wish.folds)
    chosen = [entry for entry in entries if wish.fold in (None, fold_of[entry.id])]
    if not chosen:
        raise InvalidInput("--fold", f"nothing of {wish.data} is in fold {wish.fold}")
    with output.progress() as bars:
        task = bars.add_task("evaluating", total=len(chosen))
        judged = list(run(chosen, lambda done: bars.advance(task, done)))
    compared = fold_of if wish.folds > 1 and wish.fold is None else None
    figures = report.figures(judged, data=wish.data.name, embedder=embedder_name(), fold_of=compared)
    figures = replace(figures, k=k)
    if wish.file is not None:
        hidden = () if wish.hidden is None else (wish.hidden,)
        with written_whole(wish.file) as file:
            rows = report.rows(judged, fold_of=fold_of, hidden=hidden)
            json.dump({**figures.record(), "rows": rows}, file, ensure_ascii=False, indent=1)
            file.write("\n")
    if wish.as_json:
        output.print_json(figures.record())
        return
    _print_groups(figures, group)
    _print_measures(figures, wish.hidden)
    if wish.failures:
        for line in report.failures([one for one in judged if fold_of[one.id] != wish.hidden]):
            output.say(line)


def _print_groups(figures: Figures, group: str) -> None:
    names = list(next(iter(figures.groups.values()), {}))
    rows = [(name, *(_cell(shares[measure]) for measure in names)) for name, shares in figures.groups.items()]
    if rows:
        output.print_table((group, *(name.replace(" ", "\n") for name in names)), rows)
        output.say("")


def _print_measures(figures: Figures, hidden: int | None) -> None:
    from truekeep_eval.shares import mean, spread

    folds = figures.folds
    columns = ["measure", "all", *(["mean"] if figures.means else []), "target", "met"]
    columns += [f"fold {fold}{'*' if fold == hidden else ''}" for fold in folds] + (
        ["fold mean", "spread"] if folds else []
    )
    rows = []
    for name, share in figures.overall.items():
        met = figures.is_met(name)
        row: list[object] = [name, _cell(share)]
        row += [_percent(figures.means.get(name))] if figures.means else []
        row += [target(figures.targets.get(name)), "" if met is None else met]
        row += [_cell(shares[name]) for shares in folds.values()]
        row += [_percent(found(folds.values(), name)) for found in (mean, spread)] if folds else []
        rows.append(row)
    output.print_table(columns, rows)
    entries = "1 entry" if figures.entries == 1 else f"{figures.entries:,} entries"
    looked = "" if figures.k is None else f"the first {figures.k} matches, "
    output.say(f"{entries} of {figures.data}, {looked}{figures.embedder}; percent, and how many of how many")
    if hidden in folds:
        output.say("* held out: none of its texts are shown")


def target(found: Target | None) -> str:
    """In words."""
    return "" if found is None else f"{'at least' if found.at_least else 'at most'} {100 * found.bound:g}"


def _cell(share: Share) -> str:
    """Two lines, as with the headings: a table with all measures shall fit a terminal."""
    return "" if share.value is None else f"{100 * share.value:.1f}\n{share.hits}/{share.of}"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"
