"""Citations among the units of an answer's Markdown. Pure."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from assistant.core.citing.markers import parts_of, written
from assistant.core.markdown.units import MarkdownUnit, Paragraph, Table, TextRun


def with_citations(units: Sequence[MarkdownUnit], numbers: Container[int]) -> tuple[MarkdownUnit, ...]:
    """The units with a run of its own for each citation of these numbers. Code, formulas and links have none."""
    return tuple(_cited(unit, numbers) for unit in units)


def _cited(unit: MarkdownUnit, numbers: Container[int]) -> MarkdownUnit:
    if isinstance(unit, Paragraph):
        return replace(unit, runs=_runs(unit.runs, numbers))
    if isinstance(unit, Table):
        rows = tuple(tuple(_runs(cell, numbers) for cell in row) for row in unit.rows)
        return replace(unit, rows=rows)
    return unit


def _runs(runs: Iterable[TextRun], numbers: Container[int]) -> tuple[TextRun, ...]:
    cited = list[TextRun]()
    for run in runs:
        if run.code or run.math or run.latex or run.link or "[" not in run.text:
            cited.append(run)
            continue
        for part in parts_of(run.text, numbers):
            cited.append(replace(run, text=written([part]), cites=part if isinstance(part, int) else 0))
    return tuple(cited)
