"""The command line: which cases, how large, and the table at the end."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

CASES = (
    *("imports", "remember", "batches", "threads", "backlog", "recall", "filtered", "after_write", "spaces"),
    *("cold", "start", "end_to_end", "neighbours", "extract", "hooks", "prompts", "undo"),
)
# One thread everywhere, here and in the processes that are started; must be set before NumPy is imported.
_SURROUNDINGS = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TRUEKEEP_THREADS"), "1"),
    "TRUEKEEP_INDEX_BYTES": str(4 * 1024**3),  # a million items in one space are more than the default budget
}
_LEGEND = """\
Times in milliseconds. CPU: of the calling thread (time.thread_time), median; wall: as a clock on it shows.
All but the cases with MiniLM are engine only: vectors of 384 dimensions are looked up. BLAS and ONNX run on one
thread. bytes: of the file, of the matrix scanned, or of RAM. Ratios are between figures of this run.
prompts: of the bytes before the last user message, those that the next request begins with; of the lines of a block,
those that the next one has."""


def main() -> None:
    arguments = _arguments()
    os.environ.update(_SURROUNDINGS)
    from . import extracting, hooking, judging, meaning, opening, prompting, recalling, remembering, table, undoing
    from .measure import Result
    from .workbench import Workbench

    modules = (extracting, hooking, judging, meaning, opening, prompting, recalling, remembering, undoing)
    cases = {name: next(getattr(module, name) for module in modules if hasattr(module, name)) for name in CASES}
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="truekeep-bench-", dir=arguments.folder) as folder:
        bench = Workbench(Path(folder), quick=arguments.quick)
        try:
            for name in arguments.only or CASES:
                started = time.perf_counter()
                for result in cases[name](bench):
                    results.append(result)
                    print(table.line(result), flush=True)
                print(f"  ({name}: {time.perf_counter() - started:.0f} s)", flush=True)
        finally:
            bench.close()
    print(f"\n{table.table(results)}\n\n{_LEGEND}")
    if arguments.json:
        arguments.json.write_text(json.dumps([table.as_json(result) for result in results], indent=1) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Truekeep and print a table.")
    parser.add_argument("--quick", action="store_true", help="no million items, fewer repeats")
    parser.add_argument("--only", nargs="+", choices=CASES, metavar="CASE", help=f"of {', '.join(CASES)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to this file, too")
    parser.add_argument("--folder", type=Path, help="where the temporary files go; about 4 GB without --quick")
    return parser.parse_args()


if __name__ == "__main__":
    main()
