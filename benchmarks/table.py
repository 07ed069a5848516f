"""The results as a table for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence

from truekeep.model import JSON

from .measure import Result

_HEADINGS = ("case", "items", "CPU p50", "wall p50", "p95", "p99", "bytes", "measured", "target", "ok")


def line(result: Result) -> str:
    """One result as it comes in."""
    cells = cells_of(result)
    figures = [f"{heading} {cell}" for heading, cell in zip(_HEADINGS[1:], cells[1:], strict=True) if cell]
    return f"{result.case}: {', '.join(figures)}"


def table(results: Sequence[Result]) -> str:
    return aligned([_HEADINGS, *(cells_of(result) for result in results)])


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells, headings first; the last three columns are words, too."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [_row(row, widths) for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def as_json(result: Result) -> dict[str, JSON]:
    timing = result.timing
    return {
        "case": result.case,
        "items": result.items,
        "cpu_ms_p50": None if timing is None else timing.cpu_p50,
        "wall_ms": None if timing is None else {f"p{percent}": timing.wall_at(percent) for percent in (50, 95, 99)},
        "bytes": result.bytes,
        "note": result.note,
        "checks": [
            {"measured": check.measured, "limit": check.limit, "unit": check.unit.strip(), "ok": check.ok}
            for check in result.checks
        ],
    }


def cells_of(result: Result) -> tuple[str, ...]:
    timing, checks = result.timing, result.checks
    times = ("", "", "", "")
    if timing is not None:
        figures = (timing.cpu_p50, *(timing.wall_at(percent) for percent in (50, 95, 99)))
        times = tuple(_milliseconds(figure) for figure in figures)  # type: ignore[assignment]  # four of them
    return (
        result.case,
        f"{result.items:,}",
        *times,
        "" if result.bytes is None else f"{result.bytes:,}",
        "; ".join([check.shown for check in checks] + ([result.note] if result.note else [])),
        "; ".join(check.target for check in checks),
        "" if not checks else "yes" if all(check.ok for check in checks) else "NO",
    )


def _milliseconds(figure: float) -> str:
    return f"{figure:.3f}" if figure < 1 else f"{figure:.2f}" if figure < 100 else f"{figure:,.0f}"


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Names to the left, figures to the right."""
    last = len(cells) - 1
    return "  ".join(
        cell.ljust(width) if column == 0 or column >= last - 2 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ).rstrip()
