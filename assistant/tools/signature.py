"""Makes a tool from one typed function: reads the name, description and JSON Schema from it (X-01)."""

import inspect
import re
import types
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from assistant.core.permissions import Category
from assistant.llm.backend import ANY_REQUEST, Evidence
from assistant.tools.acts import NO_ACT, Act
from assistant.tools.calling import RunningCall
from assistant.tools.grants import GrantScope
from assistant.tools.tool import Baseline, Tool, ToolOutput, always, never

_SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean"}


def tool_of(
    function: Callable[..., Awaitable[str | ToolOutput]],
    *,
    category: Category,
    idempotent: bool,
    evidence: Evidence = ANY_REQUEST,
    act: Act = NO_ACT,
    baseline: Baseline = Baseline.NONE,
    search_words: tuple[str, ...] = (),
    searches: bool = False,
    untrusted: bool = False,
    reads_private: bool = False,
    outbound: bool = False,
    stays_here: Callable[[], bool] = never,
    timeout_s: float | None = None,
    scope: Callable[[Mapping[str, Any]], GrantScope] | None = None,
    in_projects: bool = False,
    available: Callable[[], bool] = always,
) -> Tool:
    """Make a tool from ``function``.

    The tool's name is the function's name. Its description is the docstring up to ``Args:``. The descriptions of its
    parameters come from ``Args:``. Parameters may be ``str``, ``int``, ``float``, ``bool``, ``Literal``, a list of
    these, or one of these or ``None``. A parameter of the type ``RunningCall`` gets the call that the tool serves; the
    model does not see it.

    Args:
        function: an async function; its result is a text that a person can read, or a ``ToolOutput``.
        category: the category of the tool.
        idempotent: whether running it twice has the same effect as running it once.
        evidence: what a request for the tool contains.
        act: what a request says that names a call of the tool.
        baseline: which models are always offered the tool.
        search_words: further words by which a search finds the tool.
        searches: whether it finds documents that an answer must cite.
        untrusted: whether results contain content from outside.
        reads_private: whether results contain the user's private data.
        outbound: whether a call can send its arguments to other computers.
        stays_here: whether an ``outbound`` tool reaches only this machine at present.
        timeout_s: seconds that a call may take; ``None`` for the runner's own limit.
        scope: what the answer "always" to a question about a call covers; ``None`` for the tool in this conversation.
        in_projects: whether it is offered only in a conversation about a project.
        available: whether the tool can be used at present.

    Raises:
        TypeError: a parameter has no type, or a type without a JSON Schema.
    """
    signature = _signatures.get(function.__code__)
    if signature is None:
        signature = _signatures[function.__code__] = _read(function)
    description, parameters, takes_call = signature

    async def run(arguments: dict[str, Any], call: RunningCall) -> str | ToolOutput:
        return await function(**arguments, **({takes_call: call} if takes_call else {}))

    return Tool(
        name=function.__name__,
        description=description,
        parameters=parameters,
        category=category,
        idempotent=idempotent,
        run=run,
        evidence=evidence,
        act=act,
        baseline=baseline,
        search_words=search_words,
        searches=searches,
        untrusted=untrusted,
        reads_private=reads_private,
        outbound=outbound,
        stays_here=stays_here,
        timeout_s=timeout_s,
        scope=scope,
        in_projects=in_projects,
        available=available,
        generated=True,
    )


_Signature = tuple[str, dict[str, Any], str]
"""Description, schema, and the name of the parameter for the call; empty without one."""
_signatures: dict[types.CodeType, _Signature] = {}
"""What was read of a function, by the function's code: some tools are made anew for each turn."""


def _read(function: Callable[..., object]) -> _Signature:
    description, notes = _read_docstring(inspect.getdoc(function) or "")
    hints = get_type_hints(function)
    properties: dict[str, Any] = {}
    required: list[str] = []
    takes_call = ""
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in hints:
            raise TypeError(f"tool {function.__name__}: parameter {name} has no type; annotate it")
        if hints[name] is RunningCall:
            takes_call = name
            continue
        properties[name] = {**_schema(hints[name]), **({"description": notes[name]} if name in notes else {})}
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return description, schema, takes_call


def _schema(hint: Any) -> dict[str, Any]:
    origin, inner = get_origin(hint), get_args(hint)
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    if origin is Literal:
        return {"type": _SIMPLE[type(inner[0])], "enum": list(inner)}
    if origin is list:
        return {"type": "array", "items": _schema(inner[0])}
    if origin in (Union, types.UnionType):
        rest = [each for each in inner if each is not type(None)]
        if len(rest) == 1:
            return _schema(rest[0])
    raise TypeError(f"the type {hint} has no JSON Schema; use str, int, float, bool, Literal, or a list of these")


def _read_docstring(docstring: str) -> tuple[str, dict[str, str]]:
    head, _, tail = docstring.partition("\nArgs:\n")
    block = re.split(r"\n\S", tail, maxsplit=1)[0]
    entries = re.findall(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", block, flags=re.MULTILINE)
    return _joined(head), {name: _joined(text) for name, text in entries}


def _joined(text: str) -> str:
    return " ".join(text.split())
