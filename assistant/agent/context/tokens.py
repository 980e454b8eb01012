"""Estimates of tokens, for models whose tokenizer is not at hand. Pure."""

import json
import math
from collections.abc import Sequence

from assistant.llm.backend import ModelMessage, ToolSchema

_ASCII_PER_TOKEN = 3
"""ASCII characters per token. English text has about four, code and numbers have fewer."""
_TOKENS_PER_CHARACTER = 1.0
"""Tokens per other character. A Korean syllable is 0.5 to 1.5 tokens, depending on the model's vocabulary."""
_TOKENS_PER_MESSAGE = 8
"""Tokens that a message takes beside its text."""
_ANSWER_SHARE = 4
"""One part in this many of a model's context is reserved for the answer, unless a shorter answer is asked for."""


def estimated_tokens(text: str) -> int:
    """Estimate of the tokens in a text, for a model with an unknown tokenizer; rather too high than too low."""
    ascii_count = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_count / _ASCII_PER_TOKEN + (len(text) - ascii_count) * _TOKENS_PER_CHARACTER)


def tokens_of(messages: Sequence[ModelMessage]) -> int:
    """Estimate of the tokens in messages, with their calls and files."""
    return sum(
        _TOKENS_PER_MESSAGE
        + estimated_tokens(message.text)
        + sum(estimated_tokens(call.name + str(call.arguments)) for call in message.tool_calls)
        + sum(each.tokens for each in message.attachments)
        for message in messages
    )


def characters_of(messages: Sequence[ModelMessage], tools: Sequence[ToolSchema]) -> int:
    """Size in characters of messages with their calls and files, and of the descriptions of tools."""
    told = sum(len(tool.name) + len(tool.description) + len(str(tool.parameters)) for tool in tools)
    return told + sum(
        len(message.text)
        + sum(len(str(call.arguments)) for call in message.tool_calls)
        + sum(each.characters for each in message.attachments)
        for message in messages
    )


def tokens_of_tools(tools: Sequence[ToolSchema]) -> int:
    """Estimate of the tokens in the descriptions of tools, which are part of every request."""
    return sum(
        _TOKENS_PER_MESSAGE + estimated_tokens(tool.name + tool.description + json.dumps(tool.parameters))
        for tool in tools
    )


def room_for_prompt(context_tokens: int, max_output_tokens: int | None) -> int:
    """How many tokens a request may have, so that an answer fits into the model's context too."""
    share = context_tokens // _ANSWER_SHARE
    return context_tokens - min(share, max_output_tokens or share)
