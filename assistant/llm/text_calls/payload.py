"""Reads the calls in a piece of text: JSON, Python calls, calls in tags, and names before their arguments."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
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
_SPECIAL = r"(?:<\|[^|<>]{1,40}\|>|<\uff5c[^\uff5c<>]{1,40}\uff5c>|\[[A-Z_]{3,12}\])"
_NAMED_OBJECT = re.compile(
    rf"(?:{_SPECIAL}|\s)*(?:function{_SPECIAL})?(?P<name>[A-Za-z_][A-Za-z0-9_.\-]*)(?::\d+)?"
    rf"(?:{_SPECIAL}|\[CALL_ID\]\w+|\s|\bjson\b|```)*(?=\{{)",
)
"""A name, and the tokens around it, before the object of its arguments."""
_AFTER_OBJECT = re.compile(rf"(?:{_SPECIAL}|\s|```)*")
_FENCE = re.compile(r"\A```\w*\s*|\s*```\Z")
NAMESPACES = ("functions.", "function.", "tools.", "tool.", "default_api.")
_NAMESPACE = re.compile("|".join(map(re.escape, NAMESPACES)))
_GEMMA = re.compile(
    r"""\s*call:(?P<name>[\w.\-]+)(?P<body>\{(?:<\|"\|>.*?<\|"\|>|[^{}<]|<(?!\|")|\{[^{}]*\})*\})\s*""", re.DOTALL
)
_GEMMA_QUOTE = '<|"|>'
_BARE_KEY = re.compile(r"(?<=[{,])\s*(\w+)\s*:")
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
    """The calls in a text that holds nothing else, in order; empty when there are none or when there is more.

    Args:
        text: a whole reply, or the content between opener and closer.
        names: names of the offered tools.
    """
    calls, rest = calls_before(text, names)
    # Models often close a bracket too many.
    return () if rest.strip(" \t\r\n]}`") else calls


def calls_before(text: str, names: frozenset[str]) -> tuple[tuple[WrittenCall, ...], str]:
    """The calls that a text begins with, and the text after them.

    Args:
        text: what follows the opener of calls.
        names: names of the offered tools.
    """
    inner = _FENCE.sub("", text.strip()).strip()
    if "<" not in inner and (alone := tool_name(inner, names)) in names:
        return (WrittenCall(name=alone, arguments={}),), ""
    for read in (_json_calls, _python_calls, _tagged_calls, _gemma_calls, _named_objects):
        calls, end = read(inner, names)
        if calls:
            return tuple(replace(call, name=tool_name(call.name, names)) for call in calls), inner[end:]
    return (), inner


def tool_name(name: str, names: frozenset[str] = frozenset()) -> str:
    """A tool's name without what models write around it: a namespace before it, a token after it.

    No API allows a dot in the name of a tool, but a server of tools may have one.
    """
    if name in names:
        return name
    plain = name.partition("<|")[0].strip()
    namespace = _NAMESPACE.match(plain)
    return plain[namespace.end() :] if namespace else plain


def _json_calls(text: str, names: frozenset[str]) -> tuple[list[WrittenCall], int]:
    calls: list[WrittenCall] = []
    end = 0
    for value, after in _values(text):
        found = list(_of_value(value, names))
        if not found:
            break
        calls += found
        end = after
    return calls, end


def _values(text: str) -> Iterator[tuple[Any, int]]:
    """Consecutive JSON values, each with the position after it and its separator."""
    position = 0
    while position < len(text):
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return
        between = _BETWEEN.match(text, position)
        position = between.end() if between else position
        yield value, position


def _of_value(value: Any, names: frozenset[str]) -> Iterator[WrittenCall]:
    if isinstance(value, list):
        for each in value:
            yield from _of_value(each, names)
    elif isinstance(value, dict):
        yield from _of_object(value, names)


def _of_object(value: dict[str, Any], names: frozenset[str]) -> Iterator[WrittenCall]:
    inner = next(
        (value[key] for key in ("function", "tool_calls", "tool_uses", "function_call") if value.get(key)), None
    )
    if isinstance(inner, dict | list):
        yield from _of_value(inner, names)
        return
    name = next((value[key] for key in NAME_KEYS if isinstance(value.get(key), str)), None)
    name = inner if name is None and isinstance(inner, str) else name
    found = next((key for key in ARGUMENT_KEYS if key in value), None)
    if name is not None and found is not None:
        yield WrittenCall(name=name, arguments=_object(value[found]))
    elif name is not None and len(value) == 1 and tool_name(name, names) in names:
        yield WrittenCall(name=name, arguments={})
    elif len(value) == 1 and tool_name(only := next(iter(value)), names) in names:
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
    return tuple(_python_calls(text, names)[0])


def _python_calls(text: str, names: frozenset[str]) -> tuple[list[WrittenCall], int]:
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [], 0
    nodes = tree.elts if isinstance(tree, ast.List) else [tree]
    calls = [call for node in nodes if (call := _python_call(node)) and tool_name(call.name, names) in names]
    return (calls, len(text)) if len(calls) == len(nodes) else ([], 0)


def _python_call(node: ast.expr) -> WrittenCall | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        return None
    name = ast.unparse(node.func)
    try:
        # A positional argument does not name its parameter, unless it is the object of all arguments.
        objects = [ast.literal_eval(each) for each in node.args]
        if len(objects) == 1 and isinstance(objects[0], dict) and not node.keywords:
            return WrittenCall(name=name, arguments=objects[0])
        values = {keyword.arg: _literal(keyword.value) for keyword in node.keywords}
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return WrittenCall(name=name, arguments=None)
    arguments = {key: value for key, value in values.items() if key is not None}
    return WrittenCall(name=name, arguments=None if objects or None in values else arguments)


def _literal(node: ast.expr) -> Any:
    """The value of a literal of Python or JSON.

    Raises:
        ValueError: it is neither, or it is null.
    """
    if isinstance(node, ast.Name) and node.id in ("true", "false"):
        return node.id == "true"
    value = ast.literal_eval(node)
    if value is None:
        raise ValueError("null is no value")
    return value


def _tagged_calls(text: str, _: frozenset[str]) -> tuple[list[WrittenCall], int]:
    calls: list[WrittenCall] = []
    end = 0
    for tag in _TAGGED.finditer(text):
        body = tag["body"].strip()
        parameters = {each["key"]: _plain(each["value"]) for each in _PARAMETER.finditer(body)}
        calls.append(WrittenCall(name=tag["name"], arguments=parameters or (_object(body) if body else {})))
        end = tag.end()
    return calls, end


def _gemma_calls(text: str, _: frozenset[str]) -> tuple[list[WrittenCall], int]:
    """Gemma 4's calls: an object with bare keys, whose texts stand between quotation tokens."""
    calls: list[WrittenCall] = []
    end = 0
    while found := _GEMMA.match(text, end):
        parts = found["body"].split(_GEMMA_QUOTE)
        written = [json.dumps(each) if place % 2 else _BARE_KEY.sub(r'"\1":', each) for place, each in enumerate(parts)]
        calls.append(WrittenCall(name=found["name"], arguments=_object("".join(written))))
        end = found.end()
    return calls, end


def _named_objects(text: str, _: frozenset[str]) -> tuple[list[WrittenCall], int]:
    """Calls with the name before the arguments: GLM, Mistral, functionary, DeepSeek, Kimi, gpt-oss."""
    if keyed := list(_KEYED.finditer(text)):
        arguments = {each["key"].strip(): _plain(each["value"]) for each in keyed}
        return [WrittenCall(name=text.split("<", 1)[0].strip(), arguments=arguments)], keyed[-1].end()
    calls: list[WrittenCall] = []
    end = 0
    while named := _NAMED_OBJECT.match(text, end):
        body = next(_values(text[named.end() :]), None)
        if body is None:
            break
        calls.append(WrittenCall(name=named["name"], arguments=_object(body[0])))
        after = _AFTER_OBJECT.match(text, named.end() + body[1])
        end = after.end() if after else named.end() + body[1]
    return calls, end


def _plain(text: str) -> Any:
    """A value in a tag: parsed as JSON if it is JSON, else as text."""
    try:
        return json.loads(text.strip())
    except (ValueError, RecursionError):
        return text.strip()
