"""`eval belief`, `extract` and `judgement`: what is taken for current, what is kept, and what is made of it all."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from truekeep import InvalidInput
from truekeep.cli import options, output
from truekeep.cli.transfer import written_whole

if TYPE_CHECKING:
    from truekeep_eval.figures import Figures, Measures
    from truekeep_eval.findings import Judged, Measure
    from truekeep_eval.folds import Foldable
    from truekeep_eval.metrics import Interval, Sum

Entry = TypeVar("Entry", bound="Foldable")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What of a run is shown."""

    failures: bool
    file: Path | None
    as_json: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """What of a set is run, and what of it nobody shall read."""

    folds: int
    fold: int | None
    hidden: int | None

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
    from truekeep_eval import belief, scenarios

    _by_fold(
        data,
        scenarios.read(data),
        Division(folds=folds, fold=fold, hidden=hide_fold),
        Wish(failures=failures, file=file, as_json=as_json),
        run=lambda entries, tell: belief.run(entries, k=k, tell=tell),
        measures=belief.MEASURES,
        format=belief.FORMAT,
        mean_over="groups",
        settings={"k": k},
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
    from truekeep_eval import chats, extraction

    _by_fold(
        data,
        chats.read(data),
        Division(folds=folds, fold=fold, hidden=hide_fold),
        Wish(failures=failures, file=file, as_json=as_json),
        run=lambda entries, tell: extraction.run(entries, tell=tell),
        measures=extraction.MEASURES,
        format=extraction.FORMAT,
        settings={},
    )


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
    from truekeep_eval import judgement, sample

    chosen = sample.draw(sample.read(data), authors=author or [], spaces=spaces, seed=seed)
    judged = _judged(chosen.size, lambda tell: judgement.run(chosen, tell=tell))
    authors = {
        name: [one for one in judged if (one.author or "") == name]
        for name in sorted({one.author or "" for one in judged})
    }
    _show(
        judged,
        judgement.MEASURES,
        Wish(failures=failures, file=file, as_json=as_json),
        format=judgement.FORMAT,
        data=" ".join(path.name for path in data),
        settings={"spaces": spaces, "seed": seed},
        parts=authors if len(authors) > 1 else {},
        mean_over="parts" if len(authors) > 1 else None,
    )


def _by_fold(
    data: Path,
    entries: Sequence[Entry],
    division: Division,
    wish: Wish,
    *,
    run: Callable[[Sequence[Entry], Tell], Iterator[Judged]],
    measures: Measures,
    **more: Any,
) -> None:
    from truekeep_eval import folds as dividing

    fold_of = dividing.fold_of(entries, division.folds)
    chosen = [entry for entry in entries if division.fold in (None, fold_of[entry.id])]
    if not chosen:
        raise InvalidInput("--fold", f"nothing of {data} is in fold {division.fold}")
    judged = _judged(len(chosen), lambda tell: run(chosen, tell))
    parts: dict[str, list[Judged]] = {}
    if division.folds > 1 and division.fold is None:
        for one in sorted(judged, key=lambda one: fold_of[one.id]):
            held_out = "*" if fold_of[one.id] == division.hidden else ""
            parts.setdefault(f"fold {fold_of[one.id]}{held_out}", []).append(one)
    hidden = {id for id, fold in fold_of.items() if fold == division.hidden}
    _show(judged, measures, wish, hidden=hidden, data=data.name, parts=parts, **more)


def _judged(size: int, run: Callable[[Tell], Iterator[Judged]]) -> list[Judged]:
    with output.progress() as bars:
        task = bars.add_task("evaluating", total=size)
        return list(run(lambda done: bars.advance(task, done)))


def _show(
    judged: Sequence[Judged], measures: Measures, wish: Wish, *, hidden: Collection[str] = (), **more: Any
) -> None:
    from truekeep_eval import figures
    from truekeep_eval.runner import embedder_name

    found = figures.figures(judged, measures, embedder=embedder_name(), **more)
    if wish.file is not None:
        with written_whole(wish.file) as file:
            rows = figures.rows(judged, hidden=hidden)
            json.dump({**found.record(), "rows": rows}, file, ensure_ascii=False, indent=1)
            file.write("\n")
    if wish.as_json:
        output.print_json(found.record())
        return
    _print_groups(found)
    _print_measures(found)
    if wish.failures:
        for line in figures.failures([one for one in judged if one.id not in hidden], measures):
            output.say(line)


def _print_groups(figures: Figures) -> None:
    names = [name for name in figures.measures if any(name in sums for sums in figures.groups.values())]
    rows = [(group, *(_counted(sums.get(name)) for name in names)) for group, sums in figures.groups.items()]
    if rows:
        output.print_table(("group", *(name.replace(" ", "\n") for name in names)), rows)
        output.say("")


def _print_measures(figures: Figures) -> None:
    columns = {"all": figures.overall, **({"mean": figures.means} if figures.means else {}), **figures.parts}
    rows = [
        (
            name,
            _target(figures.measures[name]),
            _met(figures, name),
            *(_cell(column.get(name)) for column in columns.values()),
        )
        for name in figures.overall
    ]
    output.print_table(("measure", "target", "met", *columns), rows)
    settings = "".join(f"{name} {value}, " for name, value in figures.settings.items() if value is not None)
    entries = "1 entry" if figures.entries == 1 else f"{figures.entries:,} entries"
    output.say(f"{entries} of {figures.data}, {settings}{figures.embedder}; percent, and below it the 95 % interval")
    if any(name.endswith("*") for name in figures.parts):
        output.say("* held out: none of its texts are shown")


def _met(figures: Figures, name: str) -> object:
    met = figures.is_met(name)
    return "" if met is None else met


def _target(measure: Measure) -> str:
    if measure.bound is None:
        return ""
    return f"{'at least' if measure.wanted else 'at most'} {100 * measure.bound:g}"


def _counted(share: Sum | None) -> str:
    """Two lines, as with the headings: a table with all measures shall fit a terminal."""
    return "" if share is None else f"{100 * share.total / share.questions:.1f}\n{share.total:.0f}/{share.questions}"


def _cell(found: Interval | None) -> str:
    """With a decimal of the interval, too: some targets are a fifth of a percent."""
    if found is None:
        return ""
    bounds = "" if found.low is None or found.high is None else f"\n{100 * found.low:.1f}-{100 * found.high:.1f}"
    return f"{100 * found.value:.1f}{bounds}"
