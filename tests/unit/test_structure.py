"""The shape of the project that its pages promise."""

import ast
import pkgutil
import re
import string
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from assistant.core.version import VERSION
from assistant.host.places import PROJECT
from assistant.host.texts import load_texts

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


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    """The syntax tree of every file of the package, read once."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in (PROJECT / "assistant").rglob("*.py")}


def test_a_class_has_a_name_of_its_own(trees: dict[Path, ast.Module]) -> None:
    """A name in the code means one thing. The wire formats are alike, so their parts have the same names."""
    homes = defaultdict[str, set[str]](set)
    for path, tree in trees.items():
        for node in tree.body:
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


def test_nothing_is_wired_after_it_was_made(trees: dict[Path, ast.Module]) -> None:
    """A function is an argument of what calls it, or it listens. The engine assigns to no other object at all."""
    attributes = {path: _attributes(tree) for path, tree in trees.items()}
    declared = {name for names in attributes.values() for name in names}
    wired = [
        f"{path.relative_to(PROJECT).as_posix()}:{node.lineno}: {ast.unparse(node)}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign)
        for name in _assigned_elsewhere(node) & declared
        if _is_function(node.value, tree) or ("engine" in path.parts and name not in attributes[path])
    ]
    assert wired == []


def _attributes(tree: ast.AST) -> set[str]:
    """The names of the attributes that the classes of a file declare."""
    inner = [node for each in ast.walk(tree) if isinstance(each, ast.ClassDef) for node in ast.walk(each)]
    fields = {node.target.id for node in inner if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}
    stored = {node for node in inner if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
    return fields | {node.attr for node in stored if _is_own(node)}


def _assigned_elsewhere(node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> set[str]:
    """The names of the attributes of other objects that a statement assigns."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    parts = (part for target in targets for part in ast.walk(target))
    return {
        part.attr
        for part in parts
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and not _is_own(part)
    }


def _is_own(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}


def _is_function(value: ast.expr | None, tree: ast.AST) -> bool:
    """Whether a value is a function: a lambda, a partial call, or a function or method of the file."""
    defined = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    methods = {each.name for each in defined if each.args.args and each.args.args[0].arg == "self"}
    functions = {each.name for each in defined if not (each.args.args and each.args.args[0].arg == "self")}
    match value:
        case ast.Lambda() | ast.Call(func=ast.Name(id="partial")):
            return True
        case ast.Name(id=name):
            return name in functions
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name in methods
        case _:
            return False


def test_the_contracts_of_imports_know_every_room() -> None:
    """A contract that names rooms names a new one too: as one that imports, as one that is not imported, or as open."""
    linter = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    rooms = {each.name for each in pkgutil.iter_modules([str(PROJECT / "assistant")]) if each.name[0].isalpha()}
    layers, *others = linter["contracts"]
    storeys = [set(re.findall(r"(?<!\()\b\w+\b(?!\))", storey)) for storey in layers["layers"]]
    assert set().union(*storeys) == rooms
    (doors,) = (storey for storey in storeys if "desktop" in storey)
    (of_doors,) = (each for each in others if "assistant.desktop" in each.get("source_modules", ()))
    importing, forbidden = (_rooms_in(of_doors[key]) for key in ("source_modules", "forbidden_modules"))
    assert (importing, forbidden) == (doors, rooms - doors - {"core", "tasks"})
    listed = [each["name"] for each in others if len(_rooms_in(each.get("source_modules", ()))) > len(doors)]
    assert listed == [], "a list of rooms can lack one; name them by a pattern"


def _rooms_in(modules: Iterable[str]) -> set[str]:
    return {each.removeprefix("assistant.") for each in modules if each.count(".") == 1 and "*" not in each}


def test_only_the_supervisor_creates_tasks(trees: dict[Path, ast.Module]) -> None:
    """A task has an owner that tells of its failure and waits for its end: a supervisor, or a group of tasks."""
    loose = []
    for path, tree in trees.items():
        groups = {
            item.optional_vars.id
            for node in ast.walk(tree)
            if isinstance(node, ast.AsyncWith)
            for item in node.items
            if isinstance(item.optional_vars, ast.Name) and "TaskGroup(" in ast.unparse(item.context_expr)
        }
        loose += [
            f"{path.relative_to(PROJECT).as_posix()}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and (node.attr == "ensure_future" or (node.attr == "create_task" and ast.unparse(node.value) not in groups))
        ]
    assert [each.partition(":")[0] for each in loose] == ["assistant/tasks.py"], loose


def test_the_version_is_written_in_one_place() -> None:
    files = [*(PROJECT / "assistant").rglob("*.py"), *(PROJECT / "packaging").rglob("*.*"), PROJECT / "pyproject.toml"]
    naming = [path.relative_to(PROJECT).as_posix() for path in files if f'"{VERSION}"' in path.read_text("utf-8")]
    assert naming == ["assistant/core/version.py"]


def test_the_reason_of_every_failed_tool_is_a_text_in_both_languages(trees: dict[Path, ast.Module]) -> None:
    """Each ``ToolError`` names a known key and gives its fields, none of which is a sentence. Each key is used."""
    texts = load_texts("en")
    classes = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    given: dict[str, set[str]] = {"ToolError": set()}
    while more := [each for each in classes if each.name not in given and _base(each) in given]:
        given |= {each.name: given[_base(each)] | _parameters(each) for each in more}
    wrong, used = [], set[str]()
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in given:
                keys = _keys(node.args[0] if node.args else None, texts.keys)
                values = given[node.func.id] | {str(each.arg) for each in node.keywords}
                words = [each for part in (*node.args[1:], *node.keywords) for each in ast.walk(part)]
                used |= keys
                if (
                    not keys
                    or any(not _fields(texts.raw(key)) <= values for key in keys)
                    or any(isinstance(each, ast.Constant) and _SENTENCE.search(str(each.value)) for each in words)
                ):
                    wrong.append(f"{path.relative_to(PROJECT).as_posix()}:{node.lineno}: {ast.unparse(node)}")
    assert wrong == []
    assert {key for key in texts.keys - used if key.startswith("tool_reason.")} == set()


_SENTENCE = re.compile(r"[^\W\d_]{2,} [^\W\d_]{2,}")


def _base(node: ast.ClassDef) -> str:
    return ast.unparse(node.bases[0]) if node.bases else ""


def _parameters(node: ast.ClassDef) -> set[str]:
    """The parameters with which a class of errors is made."""
    makers = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
    return {argument.arg for each in makers for argument in each.args.args}


def _keys(key: ast.expr | None, known: frozenset[str]) -> set[str]:
    """The keys that an expression can be; none if one of them is not known."""
    match key:
        case ast.Constant(value=str() as name) if name in known:
            return {name}
        case ast.IfExp(body=one, orelse=other):
            both = _keys(one, known), _keys(other, known)
            return both[0] | both[1] if all(both) else set()
        case ast.JoinedStr(values=[ast.Constant(value=str() as prefix), ast.FormattedValue()]) if "." in prefix:
            return {each for each in known if each.startswith(prefix)}
        case _:
            return set()


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}
