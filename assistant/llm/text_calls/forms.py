"""The markup that models write into their text: thoughts, tool calls, ends of messages.

Collected from the chat templates of the named families.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

_THOUGHTS = {
    # Qwen, DeepSeek, GLM, MiniMax, EXAONE 4, Nemotron, ERNIE, Hunyuan, Olmo and most others
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    # EXAONE Deep
    "<thought>": "</thought>",
    "<thoughts>": "</thoughts>",
    "<reasoning>": "</reasoning>",
    "<reason>": "</reason>",
    "<reflection>": "</reflection>",
    # Magistral
    "[THINK]": "[/THINK]",
    # Open Thinker, Sky-T1
    "<|begin_of_thought|>": "<|end_of_thought|>",
    # Seed-OSS
    "<seed:think>": "</seed:think>",
    # Kimi
    "\u25c1think\u25b7": "\u25c1/think\u25b7",
    # Command A
    "<|START_THINKING|>": "<|END_THINKING|>",
    # Gemma 4
    "<|channel>thought": "<channel|>",
    # MedGemma
    "<unused94>thought": "<unused95>",
    # Apertus
    "<|inner_prefix|>": "<|inner_suffix|>",
    # Solar Open
    "<|think|>": "<|end|>",
    # HyperCLOVA X SEED Think
    "<|im_start|>assistant/think": "<|im_end|>",
}

THOUGHTS: Mapping[str, str] = MappingProxyType(
    {
        way(opener): way(closer)
        for opener, closer in _THOUGHTS.items()
        for way in ((str, str.upper, str.title) if opener[1:-1].isalpha() and opener[0] == "<" else (str,))
    }
)
"""Openers of thoughts and their closers."""

LONE_CLOSERS = frozenset(THOUGHTS.values()) - {"<channel|>", "<|end|>", "<|im_end|>"}
"""Closers that end a thought whose opener the chat template has written, so that the reply does not hold it."""

AFTER_THOUGHTS: Mapping[str, str] = MappingProxyType(
    {"<answer>": "</answer>", "<response>": "</response>", "<output>": "</output>"}
)
"""Markup around an answer that follows thoughts."""

HARMONY = re.compile(
    r"(?:<\|start\|>assistant(?P<role>[^<\n]{0,80}))?<\|channel\|>\s*(?P<channel>\w+)"
    r"(?P<rest>[^<]{0,80}(?:<\|constrain\|>[^<]{0,40})?)<\|message\|>"
)
"""The head of a message of gpt-oss. Source: OpenAI's Harmony response format."""

HARMONY_OPENERS = ("<|start|>assistant", "<|channel|>")
HARMONY_ENDS = ("<|end|>", "<|start|>", "<|channel|>", "<|return|>", "<|call|>")

CALLS: Mapping[str, str] = MappingProxyType(
    {
        # Hermes, Qwen, GLM, Qwen3-Coder
        "<tool_call>": "</tool_call>",
        "<tool_calls>": "</tool_calls>",
        # Qwen2.5-Coder copies the tag in which its template lists the tools.
        "<tools>": "</tools>",
        "<function_call>": "</function_call>",
        "<functioncall>": "</functioncall>",
        # Nemotron
        "<TOOLCALL>": "</TOOLCALL>",
        # Llama 3.1, functionary 3.1
        "<function=": "</function>",
        "<function name=": "</function>",
        "<invoke name=": "</invoke>",
        "<minimax:tool_call>": "</minimax:tool_call>",
        # LFM2
        "<|tool_call_start|>": "<|tool_call_end|>",
        "<|tool_list_start|>": "<|tool_list_end|>",
        # Gemma 4
        "<|tool_call>": "<tool_call|>",
        # Phi-4 mini, Granite
        "<|tool_call|>": "<|/tool_call|>",
        # Command R
        "<|START_ACTION|>": "<|END_ACTION|>",
        # Kimi, DeepSeek
        "<|tool_calls_section_begin|>": "<|tool_calls_section_end|>",
        "<\uff5ctool\u2581calls\u2581begin\uff5c>": "<\uff5ctool\u2581calls\u2581end\uff5c>",
        # Mistral, Llama 3, functionary: everything up to the end is the call.
        "[TOOL_CALLS]": "",
        "<|python_tag|>": "",
        "<|recipient|>": "",
    }
)
"""Openers of calls and their closers; an empty closer means the end of the answer."""

RESULT = ("<tool_response>", "</tool_response>")
"""Markup of a tool's result, which the model has made up."""

RECIPIENT = ">>>"
"""Functionary's opener of a message to a tool or to ``all``."""

ENDS = (
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|end_of_turn|>",
    "<|END_OF_TURN_TOKEN|>",
    "<end_of_turn>",
    "<turn|>",
    "<eos>",
    "</s>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<\uff5cend\u2581of\u2581sentence\uff5c>",
    "<\uff5ctool\u2581outputs\u2581begin\uff5c>",
    "[/INST]",
)
"""Tokens that end a message. A server that does not know them as such leaves them in the text."""

HEADERS = (
    "<|im_start|>assistant",
    "<start_of_turn>model",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<|begin|>assistant",
    "<|from|>assistant",
    "<|content|>",
    "<|message|>",
    "<|begin_of_solution|>",
    "<|end_of_solution|>",
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|recipient|>all",
)
"""Heads of the model's own message, and marks of its answer."""

OTHERS = ("<|im_start|>", "<start_of_turn>", "<|start_header_id|>", "<|user|>", "[INST]")
"""Beginnings of the next message, which the model has made up if they follow the end of its own."""

CALL_CLOSERS = frozenset(filter(None, CALLS.values()))

NAME_KEYS = ("name", "tool", "tool_name", "function_name", "action", "recipient_name")
"""Keys of a tool's name in a JSON call."""

ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "tool_input", "action_input", "tool_arguments")
"""Keys of the arguments in a JSON call."""

OTHER_KEYS = ("type", "id", "function", "tool_calls", "tool_uses", "function_call", "index", "tool_call_id")
"""Other keys of a JSON call."""


def is_tag(markup: str) -> bool:
    """Whether markup is made of letters that anybody may write, and not one token of the model's vocabulary."""
    return markup[0] == "<" and not markup.startswith(("<|", "<\uff5c"))
