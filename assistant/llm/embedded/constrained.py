"""What a small model may write, as a grammar for llama.cpp: words in the language that is wanted, or calls of tools.

A small model decides at its first token: ``[`` begins a call, anything else is an answer. The grammar leaves it these
two ways; a small weight on ``[`` puts the border where the benchmark ``tool_choice`` finds the fewest errors. Words
cannot hold what small models copy from their prompts: markup of calls, arrows, letters of another language.

Reference: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from assistant.llm.backend import ModelRequest, ToolSchema
from assistant.llm.text_calls.stream import asks_for_code

_CALL_WEIGHT = 1.5
"""Added to the logit of ``[``; measured, see ``benchmarks/tool_choice.py``."""
_TEMPERATURE = 0.2
"""A small model rambles at llama.cpp's own 0.8."""
_LONGEST_TOKENS = 384
"""Tokens of an answer: a guard against one that repeats itself without end."""

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
    """The request with its grammar; what the request itself says of sampling, or of a grammar, stands above it."""
    # In code the weight would fall on every list.
    weighed = request.tools and not asks_for_code(request)
    weight = {"logit_bias": [["[", _CALL_WEIGHT]]} if weighed else {}
    return replace(
        request,
        temperature=_TEMPERATURE if request.temperature is None else request.temperature,
        max_output_tokens=request.max_output_tokens or _LONGEST_TOKENS,
        extra={"grammar": grammar(request.tools, request.answer_language), **weight, **request.extra},
    )


def grammar(tools: Sequence[ToolSchema], language: str) -> str:
    """Calls of these tools, or words.

    Args:
        tools: those that may be called; without any, only words are left.
        language: ``ko`` or ``en``, in which the words are to be; empty for any.
    """
    ways = ["calls", "words"] if tools else ["words"]
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
