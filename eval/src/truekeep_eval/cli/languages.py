"""`eval languages`: is what was said in one language found by a question in another?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from truekeep.cli import options, output

FOLDS = 2


def languages(
    data: Annotated[Path, typer.Option(metavar="PATH", help="A set, .jsonl; or a folder with topics.jsonl.")],
    k: Annotated[int, typer.Option("--k", min=1, max=1000, help="How many matches to look at.")] = 5,
    fold: Annotated[
        int | None, typer.Option(min=0, max=FOLDS - 1, help="Ask about every other topic only, from this one on.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure recall within and across languages.

    Every topic of the set is remembered in each language, in a memory of its own, in this process only, and asked for
    in all languages. A row is the language of the questions, a column that of the memory; `across` is the mean over
    all pairs of the language with another one.
    """
    from truekeep_eval import languages as sets
    from truekeep_eval import runner
    from truekeep_eval.lines import located

    conversations = sets.read(located(data, "topics.jsonl"), fold=fold, folds=FOLDS)
    with output.progress() as bars:
        task = bars.add_task("evaluating", total=runner.work(conversations))
        rows = runner.run(conversations, ks=(k,), tell=lambda done: bars.advance(task, done))
        found = sets.table(rows, k)
    if as_json:
        output.print_json({"k": k, "found": found})
        return
    cells = [
        (asked, *(f"{100 * share:.0f}" for share in shares.values()), f"{100 * sets.across(found, asked):.0f}")
        for asked, shares in found.items()
    ]
    output.print_table((f"R@{k}", *found, "across"), cells)
