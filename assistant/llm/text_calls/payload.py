"""Reads the calls in a piece of text: JSON, Python calls, and calls in tags."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assistant.llm.reply.argument_check import problems
from assistant.llm.text_calls.forms import ARGUMENT_KEYS, NAME_KEYS

Schemas = Mapping[str, Mapping[str, Any]]
"""The JSON Schema of the arguments, by name of an offered tool."""

_DECODER = json.JSONDecoder()
_BETWEEN = re.compile(r"[\s,;]*")
_TAGGED = re.compile(
    r"""<(?:function|invoke)(?:=|\s+name=)["']?(?P<name>[\w.\-]+)["']?\s*>(?P<body>.*?)(?:</(?:function|invoke)>|\Z)""",
    re.DOTALL,
)
_PARAMETER = re.compile(r"""<parameter(?:=|\s+name=)["']?(?P<key>\w+)["']?\s*>(?P<value>.*?)</parameter>""", re.DOTALL)
_KEYED = re.compile(r"<arg_key>(?P<key>.*?)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>", re.DOTALL)
_NAMED_OBJECT = re.compile(
    r"(?:functions\.)?(?P<name>[\w\-]+)(?::\d+)?[\s`\w]*?"
    r"(?:\[ARGS\]|<\|content\|>|<\|message\|>|<\|tool_call_argument_begin\|>|<\|constrain\|>json<\|message\|>|\n)"
    r"\s*(?:```json\s*)?(?P<body>\{.*\})",
    re.DOTALL,
)
_NUMERIC = re.compile(r"-?\d+(\.\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCall:
    """A call in the text; ``arguments`` is ``None`` where they cannot be read."""

    name: str
    arguments: dict[str, Any] | None


def fitting(call: WrittenCall, schemas: Schemas) -> dict[str, Any] | None:
    """The call's arguments converted to the tool's types, or ``None`` if the tool is unknown or they do not fit."""
    schema = schemas.get(call.name)
    if schema is None or call.arguments is None:
        return None
    known = schema.get("properties", {})
    given = {key: _converted(value, known.get(key, {})) for key, value in call.arguments.items() if value is not None}
    return None if problems(dict(schema), given) else given


def _converted(value: Any, schema: Mapping[str, Any]) -> Any:
    """Convert text to a number or a boolean where the schema wants one."""
    if isinstance(value, str) and schema.get("type") in ("number", "integer") and _NUMERIC.fullmatch(value.strip()):
        number = float(value)
        return int(number) if number.is_integer() else number
    if isinstance(value, str) and schema.get("type") == "boolean" and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    return value


def calls_in(text: str, names: frozenset[str]) -> tuple[WrittenCall, ...]:
    """The calls inside a form's markup, in order; empty when there are none.

    Args:
        text: the content between opener and closer.
        names: names of the offered tools.
    """
    inner = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    for read in (_json_calls, python_calls, _tagged_calls, _named_objects):
        if calls := tuple(read(inner, names)):
            return calls
    return ()


def json_calls(text: str, names: frozenset[str]) -> tuple[WrittenCall, ...]:
    """The calls in consecutive JSON values, up to the first value that is not a call."""
    return tuple(_json_calls(text, names))


def _json_calls(text: str, names: frozenset[str]) -> list[WrittenCall]:
    calls: list[WrittenCall] = []
    for value in _values(text):
        found = list(_of_value(value, names))
        if not found:
            break
        calls += found
    return calls


def _values(text: str) -> Iterator[Any]:
    position = 0
    while position < len(text):
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return
        yield value
        between = _BETWEEN.match(text, position)
        position = between.end() if between else position


def _of_value(value: Any, names: frozenset[str]) -> Iterator[WrittenCall]:
    if isinstance(value, list):
        for each in value:
            yield from _of_value(each, names)
    elif isinstance(value, dict):
        yield from _of_object(value, names)


def _of_object(value: dict[str, Any], names: frozenset[str]) -> Iterator[WrittenCall]:
    inner = value.get("function") or value.get("tool_calls")
    if isinstance(inner, dict | list):
        yield from _of_value(inner, names)
        return
    name = next((value[key] for key in NAME_KEYS if isinstance(value.get(key), str)), None)
    name = inner if name is None and isinstance(inner, str) else name
    found = next((key for key in ARGUMENT_KEYS if key in value), None)
    if name is not None and found is not None:
        yield WrittenCall(name=name, arguments=_object(value[found]))
    elif name in names and len(value) == 1:
        yield WrittenCall(name=str(name), arguments={})
    elif len(value) == 1 and (only := next(iter(value))) in names:
        yield WrittenCall(name=only, arguments=_object(value[only]))


def _object(value: Any) -> dict[str, Any] | None:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def python_calls(text: str, names: frozenset[str]) -> tuple[WrittenCall, ...]:
    """Calls as ``name(key=value)``, or a list of them; empty if there is anything else or an unknown name."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    nodes = tree.elts if isinstance(tree, ast.List) else [tree]
    calls = [_python_call(node) for node in nodes]
    return tuple(call for call in calls if call) if all(call and call.name in names for call in calls) else ()


def _python_call(node: ast.expr) -> WrittenCall | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    arguments: dict[str, Any] | None = {}
    for keyword in node.keywords:
        try:
            value = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError, RecursionError):
            value = {"true": True, "false": False}.get(ast.unparse(keyword.value))
        if keyword.arg is None or value is None:
            return WrittenCall(name=node.func.id, arguments=None)
        arguments = {**(arguments or {}), keyword.arg: value}
    # A positional argument does not name its parameter.
    return WrittenCall(name=node.func.id, arguments=None if node.args else arguments)


def _tagged_calls(text: str, _: frozenset[str]) -> Iterator[WrittenCall]:
    for tag in _TAGGED.finditer(text):
        body = tag["body"].strip()
        parameters = {each["key"]: _plain(each["value"]) for each in _PARAMETER.finditer(body)}
        yield WrittenCall(name=tag["name"], arguments=parameters or (_object(body) if body else {}))


def _named_objects(text: str, names: frozenset[str]) -> Iterator[WrittenCall]:
    """Calls with the name before the arguments: GLM, Mistral, functionary, DeepSeek, Kimi, gpt-oss."""
    if keyed := {each["key"].strip(): _plain(each["value"]) for each in _KEYED.finditer(text)}:
        yield WrittenCall(name=text.split("<", 1)[0].strip(), arguments=keyed)
        return
    for name in re.findall(r"[\w\-]+", text)[:8]:
        rest = text[text.index(name) :]
        if name in names and (named := _NAMED_OBJECT.match(rest)):
            body = next(_values(named["body"]), None)
            yield WrittenCall(name=name, arguments=_object(body))
            return


def _plain(text: str) -> Any:
    """A value in a tag: parsed as JSON if it is JSON, else as text."""
    try:
        return json.loads(text.strip())
    except (ValueError, RecursionError):
        return text.strip()
