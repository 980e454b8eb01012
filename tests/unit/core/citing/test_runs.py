"""Citations among the units of Markdown."""

import pytest

from assistant.core.citing.runs import with_citations
from assistant.core.markdown.reading import read
from assistant.core.markdown.units import Paragraph, Table


def cites(source: str, numbers: set[int]) -> list[int]:
    found = []
    for unit in with_citations(read(source).units, numbers):
        runs = unit.runs if isinstance(unit, Paragraph) else ()
        runs = tuple(run for row in unit.rows for cell in row for run in cell) if isinstance(unit, Table) else runs
        found += [run.cites for run in runs if run.cites]
    return found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("그래요 [1].", [1]),
        ("그래요[1][2].", [1, 2]),
        ("**굵게** [2]", [2]),
        ("- 하나 [1]\n- 둘 [2]", [1, 2]),
        ("| 가 | 나 |\n|---|---|\n| 값 [1] | 값 [2] |", [1, 2]),
        ("> 인용 [1]", [1]),
        ("# 제목 [1]", [1]),
        ("`a [1]`", []),
        ("```\n[1]\n```", []),
        ("[글](https://example.org/[1])", []),
        ("a[1]", []),
        ("[3]", []),
        ("$a_{[1]}$", []),
    ],
)
def test_each_number_is_a_run_of_its_own(source: str, found: list[int]) -> None:
    assert cites(source, {1, 2}) == found
