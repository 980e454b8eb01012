import inspect
import pkgutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assistant.app.commands.records.tools import own_tools
from assistant.core.display.calls import argument_lines, done_words, tool_title
from assistant.core.permissions import LOCAL_ASSISTANT
from assistant.core.settings import Language
from assistant.host.texts import load_texts
from assistant.llm.backend import ImageShape
from assistant.tools import builtin
from assistant.tools.builtin.own.settings import SettingState
from assistant.tools.catalogue.choice import SMALL_SELECTED, selected_by
from assistant.tools.catalogue.enabled import Enabled
from assistant.tools.catalogue.own_tools import catalogue_tools
from assistant.tools.folders.allowed import AllowedFolders
from assistant.tools.folders.notes import NoteFolder
from assistant.tools.folders.pictures import PictureFolder
from assistant.tools.registry import ToolNeeds, built_in_tools
from assistant.tools.system.applications import system_launcher
from assistant.tools.system.clipboard import system_clipboard
from assistant.tools.system.media import system_media
from assistant.tools.system.sandbox import Sandbox
from assistant.tools.web.pages import Web
from tests.fakes.asking.no_memory import no_memories
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import MemoryLedger
from tests.fakes.people import MemoryPeople
from tests.fakes.plain_pages import PlainPages
from tests.fakes.project_access import MemoryProject
from tests.fakes.system.volume import FakeVolume


class NoRequests:
    """Implements ``RequestBook`` with nothing in it."""

    async def add(self, request: str, when: str, language: str, **_: Any) -> str:
        raise AssertionError

    async def listed(self, language: str) -> str:
        return ""

    async def change(self, which: str, action: str, when: str, language: str) -> str:
        raise AssertionError


class NoTimers:
    """Implements ``TimerBook`` with nothing in it."""

    async def set(self, duration_s: float, name: str, language: str) -> Any:
        raise AssertionError

    async def running(self) -> Any:
        return ()

    async def cancel(self, *, name: str | None = None) -> Any:
        return ()


class NoSettings:
    """Implements ``SettingsBook`` with nothing in it."""

    async def states(self) -> dict[str, SettingState]:
        return {}

    async def change(self, name: str, words: str) -> None:
        raise AssertionError


class NoSearch:
    """Implements ``SearchEngine`` without a server."""

    def available(self) -> bool:
        return False

    async def search(self, query: str, count: int) -> Any:
        raise AssertionError


class NoImages:
    """Implements ``ImageMaker`` without a model."""

    def available(self) -> bool:
        return False

    def stays_here(self) -> bool:
        return False

    async def make(self, prompt: str, shape: ImageShape) -> tuple[str, bytes]:
        raise AssertionError


class NoAlarms:
    """Implements ``AlarmBook`` with nothing in it."""

    def now(self) -> Any:
        raise AssertionError

    async def set_at(
        self, when: str, what: str, language: Language, repeat: str = "", except_on: Sequence[str] = ()
    ) -> Any:
        raise AssertionError

    async def waiting(self) -> Any:
        return ()

    def described(self, alarm: Any, language: Language) -> str:
        raise AssertionError

    def confirmed(self, alarm: Any, language: Language) -> str:
        raise AssertionError

    async def cancel(self, *, what: str = "", when: str = "", every: bool = False) -> Any:
        return ()


class NoSwitch:
    """Implements ``Switch`` without agents."""

    async def to_agent(self, wanted: str) -> str:
        raise AssertionError

    async def to_workspace(self, wanted: str) -> str:
        raise AssertionError


def test_the_command_knows_the_names_of_all_tools_without_an_engine() -> None:
    assert set(own_tools(load_texts("en"))) == {each.name for each in TOOLS}


TOOLS = built_in_tools(
    ToolNeeds(
        clock=FakeClock(),
        timers=NoTimers(),
        alarms=NoAlarms(),
        schedule=NoRequests(),
        volume=FakeVolume(),
        memory=no_memories(),
        web=Web(ledger=MemoryLedger()),
        reading=PlainPages(),
        search=NoSearch(),
        images=NoImages(),
        pictures=PictureFolder(Path("/nonexistent")),
        language=lambda: "ko",
        switch=NoSwitch(),
        notes=NoteFolder(Path("/nonexistent")),
        people=MemoryPeople(),
        clipboard=system_clipboard(),
        folders=AllowedFolders(lambda: ()),
        launcher=system_launcher(),
        media=system_media(),
        settings=NoSettings(),
        sandbox=Sandbox(()),
        projects=MemoryProject(),
        shell_folder=lambda: "",
    )
)


def test_every_file_of_tools_is_named_in_the_registry() -> None:
    families = {inspect.getmodule(inspect.getclosurevars(each.run).nonlocals["function"]) for each in TOOLS}
    files = {each.name for each in pkgutil.walk_packages(builtin.__path__, f"{builtin.__name__}.") if not each.ispkg}
    assert {family.__name__ for family in families if family} == files


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_door_has_words_for_every_tool_what_it_has_done_and_each_argument(language: str) -> None:
    texts = load_texts(language)
    for tool in (*TOOLS, *catalogue_tools(lambda: (), Enabled())):
        given = dict.fromkeys(tool.parameters.get("properties", {}), "x")
        words = [tool_title(texts, tool.name), done_words(texts, tool.name)]
        words += [label for label, _ in argument_lines(texts, tool.name, given)]
        assert f"tool.did.{tool.name}" in texts, tool.name
        assert {f"tool.argument.{name}" for name in given} <= texts.keys, tool.name
        assert all(words), tool.name
        if language == "ko":
            assert all(any("가" <= letter <= "힣" for letter in each) for each in words), words


def test_what_runs_unasked_is_a_tool() -> None:
    assert set(LOCAL_ASSISTANT.unasked) <= {each.name for each in TOOLS}


@pytest.mark.parametrize(
    ("request_text", "tool"),
    [
        ("내가 좋아하는 거 기억해 줘", "remember"),
        ("내 생일은 5월 3일이라고 기억해 줘. 그리고 농담 하나 해 줘", "remember"),
        ("Remember that my name is Ann. I live in Seoul.", "remember"),
        ("Remember that I like tea and tell me a joke", "remember"),
        ("내가 말한 거 전부 잊어 줘", "forget"),
        ("Forget my birthday and my address", "forget"),
        ("change the agent to gardener and tell me a joke", "switch_agent"),
        ("볼륨 줄이고 음악 틀어 줘", "set_volume"),
    ],
)
def test_what_is_no_plain_command_goes_to_a_small_model_with_the_tool(request_text: str, tool: str) -> None:
    assert tool in [each.name for each in selected_by(request_text, TOOLS, SMALL_SELECTED)]
