"""A hostile text cannot command the terminal."""

import io

import pytest

from assistant.core.messages import Message, Role
from assistant.core.updates import ConversationOpened
from assistant.host.texts import load_texts
from assistant.terminal.screen import Screen
from tests.fakes.hostile import HOSTILE

COMMANDS = {*map(chr, range(32)), *map(chr, range(0x7F, 0xA0)), "\u202e", "\u2066", "\u200b"} - {"\n", "\t"}


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_written_holds_no_command(text: str) -> None:
    out = io.StringIO()
    screen = Screen(load_texts("en"), out)
    messages = (Message(role=Role.USER, text=text, id="q"), Message(role=Role.ASSISTANT, text=text, id="a", model=text))
    screen.show_opened(ConversationOpened(conversation="a", messages=messages, title=text))
    screen.say(text)
    assert not COMMANDS & {*out.getvalue()}
