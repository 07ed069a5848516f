"""Make the judge: `python -m training [--data FOLDER] [--public FOLDER] [--out FOLDER] [STEP ...]`.

Two steps are no part of making it: `authors` measures the package, by author, with judges that left the author out, and
`tongues` makes the map of the multilingual embedder.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

HERE = Path(__file__).parent
LAYERS = HERE.parent / "src/truekeep/engine/belief/weights.json"
INVENTED = 100_000, 50_000  # statements, and questions
BY_HAND = 6_000, 3_000  # the same, of groups alone: they are read beside our authors, too


def prepare(given: argparse.Namespace) -> None:
    """Read the data, and write the examples."""
    from . import base, conversations, corpus, invented, public, scenarios
    from .examples import write
    from .vectors import Vectors

    if given.base:
        base.shrink(given.base)
    vectors = Vectors(given.out / "vectors.npz")
    for name, folder in (("authors", given.data), ("held", given.data / "held")):
        worlds = scenarios.load(folder / "scenarios.jsonl")
        examples = [
            *scenarios.relations(worlds, vectors),
            *scenarios.questions(worlds, vectors),
            *conversations.load(folder / "conversations.jsonl"),
        ]
        print(f"{name}: {write(given.out / f'{name}.jsonl.gz', examples)} examples")
    print(f"corpus: {write(given.out / 'corpus.jsonl.gz', corpus.load(vectors))} examples")
    print(f"invented: {write(given.out / 'invented.jsonl.gz', invented.load(*INVENTED))} examples")
    print(f"groups: {write(given.out / 'groups.jsonl.gz', invented.load(*BY_HAND, seed=6, by_hand=1.0))} examples")
    if given.public:
        print(f"public: {write(given.out / 'public.jsonl.gz', public.load(given.public))} examples")


def fit(given: argparse.Namespace) -> None:
    """Fit all runs."""
    from .runs import fit_all

    if not (given.out / "public.jsonl.gz").exists():
        print("no public sets (--public): the judge learns from our own texts alone")
    fit_all(given.out, given.out / "weights", at_once=given.at_once)


def measure(given: argparse.Namespace) -> None:
    """Tell what the judge is worth on authors whom it did not learn from."""
    from .cuts import cut_lines
    from .measure import by_author, lines
    from .runs import left_out
    from .together import save

    examples, logits = left_out(given.out, given.out / "weights")
    save(given.out, logits)
    parts = [
        "## Figures", "", "Authors left out four at a time, in per cent.", "", *lines(by_author(examples, logits)), "",
        "Cuts for the logits, of all authors together, and what they give for each:", "",
        *cut_lines(examples, logits), "",
    ]  # fmt: skip
    (given.out / "figures.md").write_text("\n".join(parts), encoding="utf-8")
    print("\n".join(parts))


def layer(given: argparse.Namespace) -> None:
    """Put the rules and the judge together: the layers of the package, and what each part of them is worth."""
    from .corpus import pairs
    from .examples import read
    from .measure import lines
    from .together import compare, layers, measured

    examples, logits = measured(given.out)
    older = [*read(given.out / "corpus.jsonl.gz"), *pairs()]
    found = layers(examples, logits, older)
    LAYERS.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    parts = [
        "Changes marked, authors left out four at a time, in per cent.",
        "",
        *lines(compare(examples, logits, older)),
        "",
    ]
    (given.out / "together.md").write_text("\n".join(parts), encoding="utf-8")
    print("\n".join(parts))


def ship(given: argparse.Namespace) -> None:
    """Write the model and its card."""
    from .card import card
    from .export import export
    from .measure import FOLDS
    from .network import with_weights

    export(with_weights(given.out / "weights/shipped.npz"), given.out / "model.onnx")
    for fold in FOLDS:
        export(with_weights(given.out / f"weights/{fold}.npz"), given.out / f"{fold}.onnx")
    (given.out / "MODEL_CARD.md").write_text(card(given.out), encoding="utf-8")
    print(f"the judge: {given.out / 'model.onnx'}")


def authors(given: argparse.Namespace) -> None:
    """Measure the package, by author, with judges that did not learn from the author; takes minutes."""
    from .authors import by_author, lines

    print("\n".join(lines(by_author(given.data, given.out, spaces=given.spaces, at_once=given.at_once))))


def tongues(given: argparse.Namespace) -> None:
    """Write the map from the multilingual encoder to MiniLM."""
    from truekeep.embedders.multilingual.embedder import MAP

    from .tongues import write_map
    from .vectors import Vectors

    given.out.mkdir(parents=True, exist_ok=True)
    count = write_map(given.data, Vectors(given.out / "vectors.npz"), MAP)
    print(f"the map: {MAP}, fitted to {count} sentences")


STEPS = {step.__name__: step for step in (prepare, fit, measure, layer, ship)}
OTHERS = {step.__name__: step for step in (authors, tongues)}


def main() -> None:
    """Walk the steps."""
    parser = argparse.ArgumentParser(prog="python -m training", description="Make the learned judge.")
    parser.add_argument(
        "step",
        nargs="*",
        choices=[*STEPS, *OTHERS, []],
        help="the steps to walk; all of the judge's by default",
    )
    parser.add_argument("--data", type=Path, default=HERE / "data", help="scenarios.jsonl and conversations.jsonl")
    parser.add_argument("--base", type=Path, help="model.safetensors of bge-small-en-v1.5; see README.md")
    parser.add_argument("--public", type=Path, help="a folder of git clones named OWNER+NAME; see README.md")
    parser.add_argument("--out", type=Path, default=HERE / "out", help="where everything is put")
    parser.add_argument("--at-once", type=int, default=1, help="runs at once: 16 on a large GPU")
    parser.add_argument("--spaces", type=int, help="of each author, for the step `authors`; all by default")
    given = parser.parse_args()
    for name in given.step or STEPS:
        (STEPS | OTHERS)[name](given)


if __name__ == "__main__":
    main()
