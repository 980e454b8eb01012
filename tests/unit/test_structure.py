"""The shape of the project that its pages promise."""

import ast
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from assistant.host.places import PROJECT

MOST_FILES = 20
PAGES = [*(PROJECT / "docs").rglob("*.md"), *PROJECT.glob("*.md")]
_PATH = re.compile(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`")


@pytest.mark.parametrize("root", ["assistant", "tests", "benchmarks"])
def test_no_folder_is_crowded(root: str) -> None:
    files = Counter(path.parent for path in (PROJECT / root).rglob("*.py") if path.name != "__init__.py")
    crowded = {folder.relative_to(PROJECT).as_posix(): count for folder, count in files.items() if count > MOST_FILES}
    assert crowded == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_files_that_a_page_names_exist(page: Path) -> None:
    named = set(_PATH.findall(page.read_text(encoding="utf-8")))
    missing = {each for each in named if not any((root / each).exists() for root in _roots(page))}
    assert missing == set()


def _roots(page: Path) -> tuple[Path, ...]:
    return PROJECT, PROJECT / "assistant", page.parent


def test_every_folder_of_the_package_says_what_it_is_for() -> None:
    silent = [
        path.relative_to(PROJECT).as_posix()
        for path in (PROJECT / "assistant").rglob("__init__.py")
        if not path.read_text(encoding="utf-8").startswith('"""')
    ]
    assert silent == []


def test_a_class_has_a_name_of_its_own() -> None:
    """A name in the code means one thing. The wire formats are alike, so their parts have the same names."""
    homes = defaultdict[str, set[str]](set)
    for path in (PROJECT / "assistant").rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].add(path.relative_to(PROJECT / "assistant").as_posix())
    shared = {name: where for name, where in homes.items() if len(where) > 1}
    formats = {"llm/openai", "llm/anthropic", "llm/google"}
    assert {name: where for name, where in shared.items() if not {_folder(each) for each in where} <= formats} == {}


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def test_every_sound_test_is_where_the_whole_suite_looks_for_it() -> None:
    """``sori test`` collects the sound tests from ``tests/e2e/sound`` only."""
    marked = {path for path in (PROJECT / "tests").rglob("test_*.py") if "mark.sound" in path.read_text("utf-8")}
    own_words = {Path(__file__), PROJECT / "tests/unit/app/commands/test_test_run.py"}
    assert {path.parent for path in marked - own_words} == {PROJECT / "tests" / "e2e" / "sound"}
