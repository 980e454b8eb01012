"""The form in which small models are asked: a short prompt, one line a tool, calls and results as plain text.

Pure. A small model reads slowly and imitates what it reads. So its prompt has no rules that it would not follow, each
tool is one example of how it is called, and nothing else stands in brackets.
"""

import json
from collections.abc import Sequence

from assistant.core.texts import Texts
from assistant.llm.backend import ModelMessage, ModelToolCall, ToolSchema
from assistant.llm.text_calls.payload import fitting, python_calls


def small_prompt(prompt: str, tools: Sequence[ToolSchema]) -> tuple[str, str]:
    """The base prompt, and what is told of the tools below it; empty where there are none.

    Args:
        prompt: who Sori is; after an empty line, how tools are called, and examples, one a line, that end in a call.
        tools: those that are offered. An example of any other is left out; a tool without an example that fits its
            schema is told of by its parameters.
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


def compact(tool: ToolSchema) -> ToolSchema:
    """A tool in few words, for a server that writes the tools into the prompt by itself."""
    properties = {
        name: {key: value for key, value in schema.items() if key != "description"}
        for name, schema in tool.parameters.get("properties", {}).items()
    }
    kept = {key: value for key, value in tool.parameters.items() if key in ("type", "required") and value}
    what = tool.description.partition(". ")[0].strip()
    return ToolSchema(name=tool.name, description=what, parameters={**kept, "properties": properties})


def in_words(messages: Sequence[ModelMessage], texts: Texts) -> tuple[ModelMessage, ...]:
    """The messages without calls and results of their own kind.

    A call stands where the model wrote it, before its words; a result is told by the user's side as long as nothing
    has been said of it, which is when a model is asked what to say.
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
        text = " ".join(filter(None, [written(message.tool_calls), message.text]))
        if message.role == "assistant" and said and said[-1].role == "assistant":
            said[-1] = ModelMessage(role="assistant", text=f"{said[-1].text} {text}")
        else:
            said.append(ModelMessage(role=message.role, text=text, attachments=message.attachments))
    return tuple(said)


def written(calls: Sequence[ModelToolCall]) -> str:
    """Calls as a small model writes them; empty for none."""
    return f"[{', '.join(map(_call, calls))}]" if calls else ""


def _call(call: ModelToolCall) -> str:
    values = ", ".join(
        f"{name}={value if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)}"
        for name, value in call.arguments.items()
    )
    return f"{call.name}({values})"
