"""``docs/requirements.md`` holds every requirement that the code names, and says truly where it lives."""

import re
from pathlib import Path

import pytest

from assistant.host.places import PROJECT

_ID = re.compile(r"\b[VTPCXMKFGSDN]-\d{2}\b")
_ROW = re.compile(r"^\| ([A-Z]-\d{2}) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
PAGE = (PROJECT / "docs" / "requirements.md").read_text(encoding="utf-8")
ROWS = _ROW.findall(PAGE)


def test_every_requirement_that_the_code_names_is_on_the_page() -> None:
    named: dict[str, str] = {}
    for folder in ("assistant", "tests", "benchmarks"):
        for path in (PROJECT / folder).rglob("*.py"):
            for found in _ID.findall(path.read_text(encoding="utf-8")):
                named.setdefault(found, path.relative_to(PROJECT).as_posix())
    assert {name: where for name, where in named.items() if name not in {row[0] for row in ROWS}} == {}


def test_the_page_has_every_requirement_once() -> None:
    names = [row[0] for row in ROWS]
    assert len(names) == len(set(names)) == len(_ID.findall(PAGE)) - len(_ID.findall(" ".join(row[1] for row in ROWS)))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_where_a_requirement_lives_exists(row: tuple[str, str, str]) -> None:
    places = re.findall(r"`([^`]+)`", row[2])
    assert places
    assert [place for place in places if not _holds_code(PROJECT / "assistant" / place)] == []


def _holds_code(path: Path) -> bool:
    return path.is_file() or any(path.rglob("*.py"))
