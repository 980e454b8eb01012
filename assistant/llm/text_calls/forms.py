"""The markup that models write around a tool call in text.

Collected from the chat templates of the named families and from the formats of llama.cpp's chat parser
(``common/chat.cpp``).
"""

from collections.abc import Mapping
from types import MappingProxyType

CLOSED_BY: Mapping[str, str] = MappingProxyType(
    {
        # Hermes, Qwen, GLM, Qwen3-Coder
        "<tool_call>": "</tool_call>",
        "<tool_calls>": "</tool_calls>",
        # Qwen2.5-Coder copies the tag in which its template lists the tools.
        "<tools>": "</tools>",
        "<tool_response>": "</tool_response>",
        "<function_call>": "</function_call>",
        "<functioncall>": "</functioncall>",
        "<TOOLCALL>": "</TOOLCALL>",
        # Llama 3.1, functionary 3.1
        "<function=": "</function>",
        "<function name=": "</function>",
        "<invoke name=": "</invoke>",
        "<minimax:tool_call>": "</minimax:tool_call>",
        # LFM2
        "<|tool_call_start|>": "<|tool_call_end|>",
        "<|tool_list_start|>": "<|tool_list_end|>",
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
        "<|channel|>commentary to=": "",
        ">>>": "",
    }
)
"""Openers of calls and their closers; an empty closer means the end of the answer. The content is never shown."""

STRAY = (
    *(closer for closer in CLOSED_BY.values() if closer),
    "<|im_start|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_turn|>",
    "<|from|>assistant",
)
"""Markup that is removed from the text even where it stands alone."""

NAME_KEYS = ("name", "tool", "tool_name", "function_name", "action")
"""Keys of a tool's name in a JSON call."""

ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "tool_input", "action_input", "tool_arguments")
"""Keys of the arguments in a JSON call."""

OTHER_KEYS = ("type", "id", "function", "tool_calls", "index", "tool_call_id")
"""Other keys of a JSON call."""
