"""Constrains a small model with a grammar for llama.cpp: text in the wanted language, or tool calls.

The first token decides: ``[`` begins a call, anything else begins an answer. The grammar allows only these two. A small
weight on ``[`` sets the balance at the point where the benchmark ``tool_choice`` finds the fewest errors. Text cannot
contain what small models copy from their prompts: markup of calls, arrows, letters of another language.

Reference: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from assistant.llm.backend import ModelRequest, ToolSchema
from assistant.llm.text_calls.asked import asks_for_code

_CALL_WEIGHT = 1.5
"""Added to the logit of ``[``; measured, see ``benchmarks/mind/tool_choice.py``."""
_TEMPERATURE = 0.2
"""At llama.cpp's default of 0.8 a small model rambles."""
_EXACT = 0.0
"""An object is extracted from what was said: the likeliest value of each member is the wanted one."""
_LONGEST_TOKENS = 384
"""Maximum tokens of an answer, which stops a model that repeats itself without end."""

_HAN_AND_KANA = r"\u2e80-\u2fdf\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_HANGUL = r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"
_CYRILLIC_TO_THAI = r"\u0370-\u0fff"
_NEVER = r"\[\]{}<>`\u2192"

_FIRST = {"ko": r"[가-힣0-9]", "en": r"[A-Za-z0-9]"}
_FOREIGN = {
    "ko": _HAN_AND_KANA + _CYRILLIC_TO_THAI,
    "en": _HAN_AND_KANA + _HANGUL + _CYRILLIC_TO_THAI,
    "": "",
}

_VALUES = r"""
json ::= object | array | string | number | "true" | "false" | "null" | "True" | "False" | "None"
object ::= "{" (string ": " json (", " string ": " json)*)? "}"
array ::= "[" (json (", " json)*)? "]"
string ::= "\"" [^"\\\n]{0,120} "\""
integer ::= "-"? [0-9]{1,12}
number ::= "-"? [0-9]{1,12} ("." [0-9]{1,6})?
boolean ::= "True" | "False"
"""


def constrained(request: ModelRequest) -> ModelRequest:
    """The request with its grammar. The request's own sampling parameters and grammar take precedence."""
    # In code the weight on "[" would affect every list.
    asked = next((each.text for each in reversed(request.messages) if each.role == "user"), "")
    ordered = tuple(tool for tool in request.tools if tool.evidence.is_ordered_in(asked))
    weighed = request.tools and not asks_for_code(request)
    weight = {"logit_bias": [["[", _CALL_WEIGHT]]} if weighed else {}
    return replace(
        request,
        temperature=_TEMPERATURE if request.temperature is None else request.temperature,
        max_output_tokens=request.max_output_tokens or _LONGEST_TOKENS,
        extra={
            "grammar": grammar(ordered or request.tools, request.answer_language, must_call=bool(ordered)),
            **weight,
            **request.extra,
        },
    )


def following_schema(request: ModelRequest) -> ModelRequest:
    """The request whose reply must follow its schema. llama.cpp makes the grammar.

    The grammar would hold for thoughts too, so the chat template is asked for none. The request's own parameters take
    precedence.
    """
    return replace(
        request,
        temperature=_EXACT if request.temperature is None else request.temperature,
        max_output_tokens=request.max_output_tokens or _LONGEST_TOKENS,
        reasoning=False,
        extra={"chat_template_kwargs": {"enable_thinking": False}, **request.extra},
    )


def grammar(tools: Sequence[ToolSchema], language: str, *, must_call: bool = False) -> str:
    """The grammar of tool calls and text.

    Args:
        tools: the tools that may be called; without any, only text is allowed.
        language: ``ko`` or ``en``, the language of the text; empty for any.
        must_call: whether only one call is allowed, and no text.
    """
    ways = ['"[" call "]"'] if must_call else ["calls", "words"] if tools else ["words"]
    return "\n".join([f"root ::= {' | '.join(ways)}", *_words(language), *_calls(tools), _VALUES.strip()])


def _words(language: str) -> Iterable[str]:
    first = _FIRST.get(language, rf"[^{_NEVER} \n]")
    yield f"words ::= ({first} | code) ({rf'[^{_NEVER}{_FOREIGN[language]}]'} | code)*"
    yield r'code ::= "```" [^`]+ "```" | "`" [^`\n]+ "`"'


def _calls(tools: Sequence[ToolSchema]) -> Iterable[str]:
    if not tools:
        return
    yield 'calls ::= "[" call (", " call){0,2} "]"'
    yield "call ::= " + " | ".join(f"call{number}" for number in range(len(tools)))
    for number, tool in enumerate(tools):
        values = [f'"{name}=" {_value(schema)}' for name, schema in tool.parameters.get("properties", {}).items()]
        begins = json.dumps(f"{tool.name}(")
        if not values:
            yield f'call{number} ::= {begins} ")"'
            continue
        yield f"value{number} ::= {' | '.join(values)}"
        given = f'value{number} (", " value{number})*'
        yield f'call{number} ::= {begins} {given if tool.parameters.get("required") else f"({given})?"} ")"'


def _value(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return "(" + " | ".join(json.dumps(json.dumps(each, ensure_ascii=False)) for each in schema["enum"]) + ")"
    kind = schema.get("type")
    return str(kind) if kind in ("string", "integer", "number", "boolean", "array", "object") else "json"
