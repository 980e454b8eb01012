"""What the code of a service refers to: its texts, its steps, and what their tools take. Nothing of it runs."""

import ast
import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

from assistant.core.settings import Language
from assistant.flows.loading.faults import ServiceFault
from assistant.flows.messages import placeholders
from assistant.llm.reply.argument_check import problems

Trees = Mapping[str, ast.Module]
"""The parsed Python files of a service by their paths."""
_BUTTONS: Final = ("button_yes", "say_yes", "button_no", "say_no")
"""The texts that ``BaseFlowHandler._buttons`` says."""
_STEPS: Final = frozenset({"_propose", "_read"})
"""The methods of ``BaseFlowHandler`` that name a step; the former has its arguments."""
_MANIFEST: Final = "manifest.py"


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text as it is written in ``messages.py``: its line, and its words; ``None`` if only running it tells them."""

    line: int
    words: str | None


def written_texts(tree: ast.Module) -> Mapping[Language, Mapping[str, WrittenText]] | None:
    """The texts of ``messages.py`` by language and key; ``None`` if they cannot be read without running it."""
    dicts = {name: value for name, value in _assigned(tree) if isinstance(value, ast.Dict)}
    for call in ast.walk(tree):
        if not (isinstance(call, ast.Call) and last_name(call.func) == "Messages"):
            continue
        written = {str(word.arg): dicts.get(last_name(word.value), word.value) for word in call.keywords}
        texts: dict[Language, dict[str, WrittenText]] = {}
        for language in get_args(Language):
            each = written.get(language)
            if not isinstance(each, ast.Dict) or any(_string(key) is None for key in each.keys):
                return None
            texts[language] = {
                _string(key) or "": WrittenText(getattr(key, "lineno", 0), _string(value))
                for key, value in zip(each.keys, each.values, strict=True)
            }
        return texts
    return None


def check_texts(trees: Trees) -> Iterator[ServiceFault]:
    """Texts that are said and stand in no language, and texts that are said without one of their values."""
    texts = written_texts(trees["messages.py"])
    if texts is None:
        return
    known = {**texts["en"], **texts["ko"]}
    for path, line, key, values in _said(trees):
        if isinstance(key, str):
            found = key in known
            shown = key
        else:
            found = any(map(key.fullmatch, known))
            shown = key.pattern.replace(".*", "…")
        if not found:
            near = ", ".join(difflib.get_close_matches(shown, known, 3)) or ", ".join(sorted(known))
            yield _fault("no_text", path, line, text=shown, near=near)
        elif isinstance(key, str) and values is not None:
            for missing in sorted(placeholders(known[key].words or "") - values):
                yield _fault("no_value", path, line, text=key, value=missing)


def check_steps(
    trees: Trees, own: Mapping[str, dict[str, Any]], uses: Collection[str], tools: Mapping[str, dict[str, Any]]
) -> Iterator[ServiceFault]:
    """Steps that nobody declares, tools that Sori does not have, and arguments that a tool does not take.

    Args:
        trees: the service's files.
        own: the schema of the arguments of each of its own tools, by name.
        uses: names of the tools of Sori that it declares.
        tools: the schemas of Sori's tools by name.
    """
    for name in uses:
        # Which tools an MCP server brings is known only while it runs.
        if name not in tools and not name.startswith("mcp_"):
            near = ", ".join(difflib.get_close_matches(name, tools, 3)) or ", ".join(sorted(tools))
            yield _fault("no_tool", _MANIFEST, _line_of(trees[_MANIFEST], name), tool=name, near=near)
    schemas = {**{name: tools[name] for name in uses if name in tools}, **own}
    for path, call in _calls(trees):
        if last_name(call.func) not in _STEPS or (step := _constant(_argument(call, 1, "step"), path, trees)) is None:
            continue
        if step not in schemas:
            if step not in uses:
                declared = ", ".join(sorted({*own, *uses})) or "-"
                yield _fault("no_step", path, call.lineno, step=step, declared=declared)
            continue
        given = _dict_of(_argument(call, 2, "arguments"), path, trees)
        if given is not None:
            for line, reason in _misfits(given, schemas[step]):
                yield _fault("wrong_arguments", _path_of(given, path, trees), line, step=step, reason=reason)


def _misfits(given: ast.Dict, schema: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """What of a written dictionary a schema does not allow: the line and a sentence."""
    keys = {name: (key, value) for key, value in zip(given.keys, given.values, strict=True) if (name := _string(key))}
    properties = schema.get("properties", {})
    for name, (key, value) in keys.items():
        line = getattr(key, "lineno", given.lineno)
        if name not in properties:
            if schema.get("additionalProperties") is False:
                yield line, f"{name} is unknown. ({', '.join(sorted(properties))})"
        elif isinstance(value, ast.Constant):
            wrong = problems({"type": "object", "properties": {name: properties[name]}}, {name: value.value})
            yield from ((line, each) for each in wrong)
    if len(keys) == len(given.keys):  # Otherwise a part of it is made while it runs.
        missing = [name for name in schema.get("required", ()) if name not in keys]
        yield from ((given.lineno, f"{name} is missing.") for name in missing)


def _said(trees: Trees) -> Iterator[tuple[str, int, str | re.Pattern[str], frozenset[str] | None]]:
    """Each text that is said: file, line, key or its pattern, and its values; ``None`` if they are not certain."""
    speakers = {"_say", "messages"} | {
        name
        for name, value in _assigned(trees["messages.py"])
        if isinstance(value, ast.Call) and last_name(value.func) == "Messages"
    }
    for path, call in _calls(trees):
        name = last_name(call.func)
        if name == "_buttons":
            yield from ((path, call.lineno, key, None) for key in _BUTTONS)
        if name not in speakers or len(call.args) < 2:
            continue
        words = [each.arg for each in call.keywords]
        values = None if None in words else frozenset(str(each) for each in words)
        for key in _keys(call.args[1]):
            yield path, call.lineno, key, values


def _keys(node: ast.expr) -> Iterator[str | re.Pattern[str]]:
    match node:
        case ast.Constant(value=str(key)):
            yield key
        case ast.IfExp():
            yield from _keys(node.body)
            yield from _keys(node.orelse)
        case ast.JoinedStr():
            yield re.compile("".join(re.escape(_string(each) or "") or ".*" for each in node.values))
        case _:
            pass


def _dict_of(node: ast.expr | None, path: str, trees: Trees) -> ast.Dict | None:
    """The written dictionary that an expression is: itself, what a name was given, or what a function returns."""
    match node:
        case ast.Dict():
            return node
        case ast.Name():
            found = [value for name, value in _assigned(trees[path]) if name == node.id]
            return found[0] if len(found) == 1 and isinstance(found[0], ast.Dict) else None
        case ast.Call():
            made = [
                each.value
                for tree in trees.values()
                for function in ast.walk(tree)
                if isinstance(function, ast.FunctionDef) and function.name == last_name(node.func)
                for each in ast.walk(function)
                if isinstance(each, ast.Return)
            ]
            return made[0] if len(made) == 1 and isinstance(made[0], ast.Dict) else None
        case _:
            return None


def _path_of(node: ast.AST, otherwise: str, trees: Trees) -> str:
    """The file in which a node stands."""
    return next((path for path, tree in trees.items() if any(each is node for each in ast.walk(tree))), otherwise)


def _constant(node: ast.expr | None, path: str, trees: Trees) -> str | None:
    """The text that an expression is: itself, or what a name was given at one place of the service."""
    if node is None or (text := _string(node)) is not None:
        return None if node is None else text
    name = last_name(node)
    for files in ([path], list(trees)):
        values = {_string(value) for each in files for at, value in _assigned(trees[each]) if at == name}
        if len(values) == 1:
            return values.pop()
    return None


def _assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Names and what they were given, anywhere in a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    yield target.id, node.value


def _calls(trees: Trees) -> Iterator[tuple[str, ast.Call]]:
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield path, node


def _argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    if len(call.args) > place:
        return call.args[place]
    return next((each.value for each in call.keywords if each.arg == name), None)


def _line_of(manifest: ast.Module, name: str) -> int:
    """The line of a name among the tools that a manifest uses; the first line of these if it is not written there."""
    used = [each.value for each in ast.walk(manifest) if isinstance(each, ast.keyword) and each.arg == "uses"]
    parts = [part for each in used for part in ast.walk(each) if isinstance(part, ast.expr)]
    return next((each.lineno for each in parts if _string(each) == name), used[0].lineno if used else 1)


def _string(node: ast.AST | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _fault(key: str, path: str, line: int, **values: str) -> ServiceFault:
    return ServiceFault(key=key, file=path, line=line, values=values, fatal=False)


def last_name(node: ast.AST) -> str:
    """The last name of an expression: ``c`` of ``a.b.c``; empty for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
