"""The form of a request for small models: a short prompt, one line for each tool, calls and results as plain text.

Pure. A small model reads slowly and imitates what it reads. So its prompt has no rules that it would not follow, each
tool is described by one example of a call, and nothing else is in brackets.
"""

import json
from collections.abc import Sequence

from assistant.core.hangul import final_of
from assistant.core.texts import Texts
from assistant.llm.backend import ModelMessage, ModelToolCall, ToolSchema
from assistant.llm.text_calls.payload import fitting, python_calls

SORI = "소리"
"""Sori's own name in Korean."""


def named(prompt: str, name: str = "") -> str:
    """The prompt with the name of the agent; empty for Sori's.

    A small model answers by the example of its prompt, whatever its persona says its name is.
    """
    own = name or SORI
    ending = "이에요" if final_of(own) else "예요"
    values = {"{name}": own, "{name_is}": f"{own}{ending}", "{latin_name}": name or "Sori"}
    for mark, value in values.items():
        prompt = prompt.replace(mark, value)
    return prompt


def small_prompt(prompt: str, tools: Sequence[ToolSchema]) -> tuple[str, str]:
    """The base prompt, and the description of the tools that follows it; the latter is empty without tools.

    Args:
        prompt: who Sori is, an empty line, the rule for calls, then examples. An example is one line that ends in a
            call.
        tools: the tools that are offered. Examples of other tools are left out. A tool without an example that fits its
            schema is described by its parameters.
    """
    base, _, told = prompt.strip().partition("\n\n")
    if not tools:
        return base, ""
    rule, *examples = told.splitlines()
    schemas = {tool.name: tool.parameters for tool in tools}
    fit: dict[str, list[str]] = {tool.name: [] for tool in tools}
    for example in examples:
        calls = python_calls(example[example.rfind("[") :], frozenset(schemas))
        if len(calls) == 1 and fitting(calls[0], schemas) is not None:
            fit[calls[0].name].append(example)
    lines = [line for tool in tools for line in fit[tool.name] or [_signature(tool)]]
    return base, "\n".join([rule, *lines])


def _signature(tool: ToolSchema) -> str:
    what = tool.description.partition(". ")[0].strip(" .")
    parameters = ", ".join(tool.parameters.get("properties", {}))
    return f"{what} → [{tool.name}({parameters})]"


def described(tools: Sequence[ToolSchema]) -> str:
    """A line for each tool, with its parameters."""
    return "\n".join(map(_signature, tools))


def compact(tool: ToolSchema) -> ToolSchema:
    """A tool with a short description, for a server that writes the tools into the prompt itself."""
    properties = {
        name: {key: value for key, value in schema.items() if key != "description"}
        for name, schema in tool.parameters.get("properties", {}).items()
    }
    kept = {key: value for key, value in tool.parameters.items() if key in ("type", "required") and value}
    what = tool.description.partition(". ")[0].strip()
    return ToolSchema(name=tool.name, description=what, parameters={**kept, "properties": properties})


def as_plain_text(messages: Sequence[ModelMessage], texts: Texts) -> tuple[ModelMessage, ...]:
    """The messages with calls and results as plain text.

    A call is written before the words of its message. A result becomes a message of the user's until the model has
    answered it; later it is left out.
    """
    said: list[ModelMessage] = []
    question = next((message.text for message in reversed(messages) if message.role == "user"), "")
    for index, message in enumerate(messages):
        if message.role == "tool":
            if not any(later.role == "assistant" for later in messages[index + 1 :]):
                said.append(
                    ModelMessage(role="user", text=texts("context.result", result=message.text, question=question))
                )
            continue
        text = " ".join(filter(None, [written_calls(message.tool_calls), message.text]))
        if message.role == "assistant" and said and said[-1].role == "assistant":
            said[-1] = ModelMessage(role="assistant", text=f"{said[-1].text} {text}")
        else:
            said.append(
                ModelMessage(role=message.role, text=text, attachments=message.attachments, documents=message.documents)
            )
    return tuple(said)


def alternating(messages: Sequence[ModelMessage]) -> tuple[ModelMessage, ...]:
    """The messages with those of the user's in a row joined, as the templates of many small models demand."""
    joined: list[ModelMessage] = []
    for message in messages:
        if joined and message.role == joined[-1].role == "user":
            before = joined.pop()
            message = ModelMessage(
                role="user",
                text=f"{before.text}\n\n{message.text}",
                attachments=(*before.attachments, *message.attachments),
                documents=before.documents + message.documents,
            )
        joined.append(message)
    return tuple(joined)


def written_calls(calls: Sequence[ModelToolCall]) -> str:
    """Calls in the form in which a small model writes them; empty without calls."""
    return f"[{', '.join(map(_call, calls))}]" if calls else ""


def _call(call: ModelToolCall) -> str:
    values = ", ".join(
        f"{name}={value if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)}"
        for name, value in call.arguments.items()
    )
    return f"{call.name}({values})"
