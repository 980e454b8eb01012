"""What the checklist and the rules of services ask for, read from the files of a service. Nothing of it runs."""

import ast
import itertools
import json
import re
from collections.abc import Iterator
from typing import Final

from assistant.flows.loading.faults import ServiceFault
from assistant.flows.loading.importing import PACKAGE
from assistant.flows.loading.project import PROJECT_FILE, ServiceProject
from assistant.flows.loading.references import check_texts, last_name, written_texts
from assistant.flows.loading.snapshot import ServiceFiles

BUILT_IN: Final = "assistant.flows.services"
"""The package of the services that come with Sori."""
REQUIRED: Final = (
    PROJECT_FILE,
    "manifest.py",
    "messages.py",
    "state/models.py",
    "flows/router.py",
    "flows/handlers.py",
)
_ENDS_TURNS: Final = frozenset({"_done", "_stream_agent_turn"})
"""The methods that make ``DONE``, with the state and after the memory is saved."""
_SAYS: Final = {"_done": 1, "_stream_agent_turn": 2, "_call": 2, "_propose": 3, "token": 0}
"""Methods whose argument at this place the user reads."""
_SERVICE = re.compile(rf"(?:{re.escape(PACKAGE)}|{re.escape(BUILT_IN)})\.(\w+)")
_SENTENCE = re.compile(r"[가-힣]|[^\W\d_]{2,}[,.!?]?\s+[^\W\d_]{2,}")
"""Words that only a user reads: Hangul, or two words in a row."""


def check_files(snapshot: ServiceFiles) -> Iterator[ServiceFault]:
    """Files without which no service is loaded, and Python that cannot be read."""
    for each in REQUIRED:
        if each not in snapshot.files:
            yield ServiceFault(key="no_file", file=each, values={"file": each})
    for path, source in snapshot.files.items():
        if path.endswith(".py"):
            try:
                ast.parse(source)
            except SyntaxError as error:
                yield ServiceFault(key="syntax", file=path, line=error.lineno or 0, values={"reason": error.msg})
            except (ValueError, RecursionError, MemoryError) as error:
                yield ServiceFault(key="syntax", file=path, values={"reason": str(error)})


def check_rules(snapshot: ServiceFiles, project: ServiceProject) -> Iterator[ServiceFault]:
    """What the checklist misses in files that can be read, and where a rule is broken."""
    trees = parsed(snapshot)
    yield from _agents(snapshot, project)
    yield from _messages(trees["messages.py"])
    yield from check_texts(trees)
    for path, tree in trees.items():
        yield from _imports(path, tree, snapshot.name)
        yield from _hand_made_done(path, tree)
        if path.startswith("flows/"):
            yield from _handlers_without_done(path, tree)
            if any(isinstance(node, ast.ClassDef) and any(map(_is_handler, _bases(node))) for node in tree.body):
                yield from _literals(path, tree)
        if path.startswith("agents/"):
            yield from _added_message(path, tree)
    yield from _hooks(trees)


def parsed(snapshot: ServiceFiles) -> dict[str, ast.Module]:
    """The Python files of a service that can be read, by their paths."""
    return {path: ast.parse(source) for path, source in snapshot.files.items() if path.endswith(".py")}


def _agents(snapshot: ServiceFiles, project: ServiceProject) -> Iterator[ServiceFault]:
    for agent in project.agents:
        for file, fatal in (("agent.py", True), ("prompt.py", False), ("card.json", False)):
            path = f"agents/{agent}/{file}"
            if path not in snapshot.files:
                yield ServiceFault(key="no_agent_file", file=path, values={"agent": agent, "file": path}, fatal=fatal)
        yield from _card(snapshot, f"agents/{agent}/card.json", agent)


def _card(snapshot: ServiceFiles, path: str, agent: str) -> Iterator[ServiceFault]:
    if path not in snapshot.files:
        return
    line = 1
    try:
        card = json.loads(snapshot.files[path])
    except json.JSONDecodeError as error:
        card, line = None, error.lineno
    except ValueError:
        card = None
    if not isinstance(card, dict) or card.get("name") != agent or not card.get("description"):
        yield ServiceFault(key="bad_card", file=path, line=line, values={"agent": agent}, fatal=False)


def _messages(tree: ast.Module) -> Iterator[ServiceFault]:
    """Texts that one language lacks. Texts that are not written out are checked when the service is loaded."""
    texts = written_texts(tree) or {}
    for language, others in itertools.permutations(texts, 2):
        for key in texts[language].keys() - texts[others].keys():
            line, values = texts[language][key].line, {"text": key, "language": others}
            yield ServiceFault(key="lone_text", file="messages.py", line=line, values=values)


def _imports(path: str, tree: ast.Module, name: str) -> Iterator[ServiceFault]:
    """Services do not know each other, so that each can be taken away."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules = [f"{node.module}.{each.name}" for each in node.names]
        else:
            continue
        others = {found[1] for each in modules if (found := _SERVICE.match(each))} - {name}
        for other in sorted(others):
            yield ServiceFault(key="other_service", file=path, line=node.lineno, values={"other": other}, fatal=False)


def _hand_made_done(path: str, tree: ast.Module) -> Iterator[ServiceFault]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or last_name(node.func) not in {"FlowEvent", "done_event"}:
            continue
        if last_name(node.func) == "done_event" or "DONE" in map(last_name, ast.walk(node)):
            yield ServiceFault(key="hand_made_done", file=path, line=node.lineno)


def _handlers_without_done(path: str, tree: ast.Module) -> Iterator[ServiceFault]:
    for node in tree.body:
        if not isinstance(node, ast.ClassDef) or not any(map(_is_handler, _bases(node))):
            continue
        # The end of a turn may be in another class or function of the file that the handler calls.
        if not _ENDS_TURNS & {last_name(each) for each in ast.walk(tree)}:
            yield ServiceFault(key="no_done", file=path, line=node.lineno, values={"handler": node.name})


def _literals(path: str, tree: ast.Module) -> Iterator[ServiceFault]:
    """Words for the user that are not in ``messages.py``."""
    quiet = {id(each) for node in ast.walk(tree) for each in _unread(node)}
    told: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (place := _SAYS.get(last_name(node.func))) is not None:
            said = [*node.args[place : place + 1], *(each.value for each in node.keywords if each.arg == "message")]
            told |= {id(each) for each in said if _is_words(each)}
    lines = {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.expr)
        and id(node) not in quiet
        and (id(node) in told or (_is_words(node) and _SENTENCE.search(_words(node))))
    }
    for line in sorted(lines):
        yield ServiceFault(key="literal", file=path, line=line, fatal=False)


def _unread(node: ast.AST) -> Iterator[ast.AST]:
    """What no user reads: docstrings, what is logged, raised, or a pattern; and the parts of f-strings, once each."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    elif isinstance(node, ast.Raise | ast.Assert):
        yield from ast.walk(node)
    elif isinstance(node, ast.JoinedStr):
        yield from node.values
    elif isinstance(node, ast.Call) and last_name(getattr(node.func, "value", node.func)) in {
        "log",
        "logger",
        "logging",
        "re",
    }:
        yield from ast.walk(node)


def _is_words(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _words(node: ast.expr) -> str:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(each.value) if isinstance(each, ast.Constant) else " " for each in parts)


def _added_message(path: str, tree: ast.Module) -> Iterator[ServiceFault]:
    """The user's message added by hand, although ``build_messages`` adds it."""
    found: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call() if last_name(node.func) in {"ModelMessage", "FlowPrompt", "build_messages"}:
                parts: list[ast.AST] = [*node.args, *node.keywords]
            case ast.Dict() if any(isinstance(key, ast.Constant) and key.value == "role" for key in node.keys):
                parts = [node]
            case ast.FunctionDef(name="context_block"):
                parts = [each for each in ast.walk(node) if isinstance(each, ast.JoinedStr | ast.BinOp)]
            case _:
                continue
        for each in parts:
            for inner in ast.walk(each):
                if isinstance(inner, ast.Attribute) and inner.attr == "user_message":
                    found.add(inner.lineno)
    for line in sorted(found):
        yield ServiceFault(key="added_message", file=path, line=line, fatal=False)


def _hooks(trees: dict[str, ast.Module]) -> Iterator[ServiceFault]:
    """Hooks that the server does not handle. One may be meant for the front end alone."""
    handled = {
        key.value
        for call in ast.walk(trees["manifest.py"])
        if isinstance(call, ast.Call)
        for word in call.keywords
        if word.arg == "hook_handlers" and isinstance(word.value, ast.Dict)
        for key in word.value.keys
        if isinstance(key, ast.Constant)
    }
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if not (path.startswith("flows/") and isinstance(node, ast.Dict)):
                continue
            parts = {
                key.value: value
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant)
            }
            hook = parts.get("type")
            if "data" in parts and isinstance(hook, ast.Constant) and hook.value not in handled:
                yield ServiceFault(
                    key="no_hook_handler", file=path, line=node.lineno, values={"hook": str(hook.value)}, fatal=False
                )


def _is_handler(base: ast.expr) -> bool:
    return last_name(base).endswith("Handler")


def _bases(node: ast.ClassDef) -> Iterator[ast.expr]:
    for base in node.bases:
        yield base.value if isinstance(base, ast.Subscript) else base
