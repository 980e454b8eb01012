"""Every text that the window asks for exists in both languages."""

import re
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

from assistant.core.display.addresses import Doubt
from assistant.core.machine.states import InteractionState, ProcessingState
from assistant.core.messages import Completion
from assistant.core.permissions import Category
from assistant.core.records.conversations import ConversationMark
from assistant.core.records.mcp import McpStatus
from assistant.core.records.names import EnrolmentStage, TakeResult
from assistant.core.records.traces import STEPS
from assistant.core.service.requests.conversations import ExportForm
from assistant.core.setting_declaration import Acts, Measure
from assistant.core.updates import Keeping, MemoryFit, SoundCheckStage
from assistant.desktop.chrome.window_menu import CONVERSATION_KEYS
from assistant.desktop.conversation.empty_state import CARDS
from assistant.desktop.conversation.message_rows import MessageAction
from assistant.desktop.frame.page import Group
from assistant.desktop.pages import PAGES
from assistant.desktop.settings.settings_page import PRIVACY
from assistant.host.added_provider import VENDORS
from assistant.host.places import PROJECT
from assistant.host.texts import load_texts

SOURCES = [
    path
    for folder in ("desktop", "terminal", "app", "core/display")
    for path in (PROJECT / "assistant" / folder).rglob("*.py")
]
ACTIONS = (
    "new",
    "side",
    "search",
    "voice",
    "mute",
    "stop",
    "copy_answer",
    "attach",
    "model",
    "listen",
    "quit",
    "conversation",
    "pages",
    *(page.name for page in PAGES),
)
AGENT_ENTRIES = ("display_name", "persona", "prompt", "wake_phrase", "voice", "model", "rights")
MADE_UP = {
    *(f"desktop.state.{state}" for state in InteractionState),
    *(f"desktop.state.{state}" for state in (ProcessingState.TOOL_CALLING, ProcessingState.TOOL_ERROR)),
    *(f"desktop.mark.{completion}" for completion in Completion if completion is not Completion.COMPLETE),
    *(f"desktop.model.{kind}_note" for kind in VENDORS),
    *(f"desktop.kept.act_{keeping}" for keeping in Keeping),
    *(f"desktop.kept.{part}_{words}" for part in ("kept", "servers", "keys", "speech") for words in ("title", "note")),
    *(f"desktop.tools.{part}_{words}" for part in ("servers", "own", "allowed") for words in ("title", "note")),
    *(f"desktop.mcp.{name}" for name in ("review", "approve", "restart", "log", "revoke", "remove")),
    *(f"desktop.mcp.{name}" for name in ("add_name", "add_what")),
    *(f"desktop.tools.danger.{category}" for category in Category),
    *(
        f"desktop.agents.{name}"
        for name in (
            "talk",
            "change",
            "remove",
            "remove_sure",
            "reset",
            "reset_sure",
            *(f"rights_{at}" for at in range(3)),
        )
    ),
    *(f"desktop.agents.{entry}{note}" for entry in AGENT_ENTRIES for note in ("", "_note")),
    *(f"desktop.mcp.status.{status}" for status in McpStatus),
    *(f"desktop.mcp.category.{category}" for category in Category),
    *(f"desktop.kept.fit.{fit}" for fit in MemoryFit if fit is not MemoryFit.UNKNOWN),
    *(f"desktop.kept.korean.{grade}" for grade in ("good", "weak", "none")),
    *(f"desktop.kept.purpose.{purpose}" for purpose in ("stt", "tts", "wake", "endpoint")),
    *(f"desktop.server.{name}" for name in ("check", "add_key", "remove", "address", "key")),
    *(f"desktop.kept.{keeping}" for keeping in (Keeping.FETCHING, Keeping.PAUSED, Keeping.WAITING)),
    *(f"desktop.action.{name}" for name in ACTIONS),
    *(f"desktop.ask.outcome.{outcome}" for outcome in ("yes", "no", "always", "no_to_all", "cancelled")),
    *(f"desktop.words.outcome.{outcome}" for outcome in ("yes", "no", "text", "skip", "cancelled")),
    *(f"desktop.sidebar.mark.{mark}" for mark in ConversationMark if mark is not ConversationMark.NONE),
    *(f"desktop.traces.step.{name}" for name in STEPS),
    *(f"desktop.names.take.{state}" for state in ("waiting", "now", "heard")),
    *(f"desktop.names.result.{result}" for result in TakeResult),
    *(f"desktop.names.stage.{stage}" for stage in EnrolmentStage if stage not in {"listening", "done"}),
    *(f"desktop.settings.acts.{acts}" for acts in Acts),
    *(f"desktop.settings.unit.{unit}" for unit in Measure),
    *(f"desktop.settings.{step}" for step in ("less", "more")),
    f"desktop.settings.intro.{PRIVACY}",
    *(f"desktop.sound.stage.{stage}" for stage in SoundCheckStage),
    *(f"desktop.action.{action}" for action in MessageAction),
    "desktop.action.more",
    *(f"desktop.action.{name}" for name in CONVERSATION_KEYS),
    *(f"desktop.link.doubt.{doubt}" for doubt in Doubt),
    *(f"desktop.conversations.form.{form}" for form in (ExportForm.MARKDOWN, ExportForm.JSON)),
    *(f"desktop.conversations.{name}" for name in ("import", "export_all", "open", "move", "delete")),
    *(f"desktop.pages.group.{group}" for group in get_args(Group)),
    *(f"desktop.start.{name}.{part}" for name in CARDS for part in ("title", "line")),
}
"""Keys that the code puts together."""
SETTINGS = {"desktop.theme", "desktop.global_dictate", "desktop.global_shortcuts"}
"""Settings whose paths look like keys of texts."""
BY_STATUS = "desktop.status."
"""Followed by a packet's status; what is not in the catalogue is shown as the packet words it."""


def keys_in(path: Path) -> set[str]:
    return set(re.findall(r'["\'](desktop\.[a-z_]+(?:\.[a-z_]+)*)["\']', path.read_text(encoding="utf-8")))


def beginnings_in(path: Path) -> set[str]:
    """The beginnings of keys that the code puts together, also from the name of a page that other code is given."""
    source = path.read_text(encoding="utf-8")
    named = {
        f"desktop.{name}." for name in re.findall(r'["\']([a-z_]+)["\']', source) if name not in {"action", "state"}
    }
    return named | set(re.findall(r'f["\'](desktop\.[a-z_]+\.[a-z_.]*)\{', source))


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_key_in_use_has_a_text(language: str) -> None:
    wanted = MADE_UP.union(*(keys_in(path) for path in SOURCES))

    assert len(wanted) > 60
    assert wanted - SETTINGS - load_texts(language).keys == set()


def test_no_text_is_there_for_nothing() -> None:
    used = MADE_UP.union(*(keys_in(path) for path in SOURCES))
    there = {key for key in load_texts("ko").keys if key.startswith("desktop.") and not key.startswith(BY_STATUS)}

    begun = tuple(set().union(*(beginnings_in(path) for path in SOURCES)))
    assert {key for key in there - used if not key.startswith(begun)} == set()


def test_both_languages_have_the_same_keys_and_fields() -> None:
    def fields(language: str) -> dict[str, set[str]]:
        texts = load_texts(language)
        raw = texts._catalogue
        return {
            key: {name for _, name, _, _ in Formatter().parse(raw[key]) if name}
            for key in texts.keys
            if key.startswith("desktop.")
        }

    assert fields("ko") == fields("en")
