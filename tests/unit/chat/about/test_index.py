"""The help index says only what exists: each setting, page, command, tool and text that it names."""

import argparse
import re
from pathlib import Path

import pytest

from assistant.app.cli.grammar import build_parser
from assistant.chat.about.answers import _ABILITIES, FACTS, PLACES, offer_of
from assistant.chat.about.index import HelpIndex
from assistant.chat.about.requests import UNDO_TOPIC, AboutRequest, Aim, about_request
from assistant.chat.about.state import SoriState
from assistant.chat.about.wording import example, section, shown
from assistant.core.configuration.catalogue import Kind, single_settings
from assistant.core.settings import FilesSettings, Language, Provider, Settings, SyncSettings, TelegramSettings
from assistant.core.texts import Texts
from assistant.desktop.pages import page_names
from assistant.engine.rooms.about import account_server, file_servers
from assistant.host.texts import load_texts

ROOT = Path(__file__).parents[4]
WORDS = ROOT / "assistant" / "resources" / "about"
LANGUAGES: tuple[Language, ...] = ("ko", "en")


@pytest.fixture(scope="module", params=LANGUAGES)
def index(request: pytest.FixtureRequest) -> HelpIndex:
    return HelpIndex.load(WORDS, load_texts(request.param), request.param)


def command_exists(command: str, texts: Texts) -> bool:
    """Whether the command line has the words of a command; what an argument stands for is not checked."""
    parser: argparse.ArgumentParser = build_parser(texts)
    for word in command.split()[1:3]:
        if word.startswith("-"):
            return word in parser.format_help()
        commands = next((each.choices for each in parser._actions if isinstance(each.choices, dict)), None)
        if commands is None:
            return True
        if word not in commands:
            return False
        parser = commands[word]
    return True


def test_both_languages_have_the_same_topics() -> None:
    korean, english = (HelpIndex.load(WORDS, load_texts(each), each).topics for each in LANGUAGES)
    assert korean.keys() == english.keys()
    for name, topic in korean.items():
        assert topic.forms == english[name].forms
        assert topic.values.keys() == english[name].values.keys()
        assert topic.step == english[name].step


def test_every_setting_and_every_fact_can_be_asked_about(index: HelpIndex) -> None:
    assert {*single_settings(), *FACTS, UNDO_TOPIC} == index.topics.keys()


def test_the_values_that_are_named_are_possible(index: HelpIndex) -> None:
    for topic in index.topics.values():
        if topic.setting is not None and topic.setting.kind is Kind.CHOICE:
            assert {*topic.values, *topic.without, *topic.without.values()} <= {*topic.setting.choices}
        if topic.step:
            assert topic.setting is not None
            assert topic.setting.kind in (Kind.NUMBER, Kind.WHOLE)
        assert not topic.say or (topic.setting is not None and topic.setting.declared.tool)


@pytest.mark.parametrize("on", [True, False])
def test_each_sentence_that_an_answer_proposes_does_what_it_says(index: HelpIndex, on: bool) -> None:
    for topic in index.topics.values():
        if topic.setting is None:
            continue
        said = example(topic, on if topic.setting.kind is Kind.FLAG else topic.setting.default, index.texts)
        if not said:
            continue
        found = about_request(said, index)
        assert found is not None, said
        assert (found.topic, found.aim) == (topic.name, Aim.CHANGE), said
        if topic.setting.kind is Kind.FLAG:
            assert found.value == ("false" if on else "true"), said
    undo = re.search(r"“(.+)”", index.texts("about.undo"))
    assert undo is not None
    assert about_request(undo[1], index) == AboutRequest(topic=UNDO_TOPIC, aim=Aim.CHANGE)


def test_each_place_that_an_answer_names_exists(index: HelpIndex) -> None:
    pages = page_names()
    for name in index.topics:
        offer = offer_of(AboutRequest(topic=name, aim=Aim.HOW), index)
        if offer is None:
            continue
        assert offer.title
        assert not offer.page or offer.page in pages
        assert not offer.setting or offer.setting in single_settings()
        assert command_exists(offer.command, index.texts), offer.command
    assert FACTS.keys() >= PLACES.keys()


def test_each_command_that_an_answer_speaks_of_exists(index: HelpIndex) -> None:
    for key in index.texts.keys:
        if key.startswith("about."):
            for command in re.findall(r"sori [a-z-]+(?: [a-z-]+)?", index.texts.raw(key)):
                assert command_exists(command.removesuffix(" in"), index.texts), command


def test_each_key_that_an_answer_names_is_one_of_the_window(index: HelpIndex) -> None:
    sources = "\n".join(each.read_text(encoding="utf-8") for each in (ROOT / "assistant/desktop").rglob("*.py"))
    named = {
        keys.replace("쉼표", ",").replace("comma", ",")
        for key in index.texts.keys
        if key.startswith("about.")
        for keys in re.findall(r"Ctrl\+(?:Shift\+)?(?:[A-Z]\b|쉼표|comma)", index.texts.raw(key))
    }
    assert len(named) > 5
    assert {each for each in named if f'"{each}"' not in sources} == set()


def test_the_section_of_each_setting_has_a_title(index: HelpIndex) -> None:
    for topic in index.topics.values():
        if topic.setting is not None:
            assert section(topic, index.texts)
            shown(topic, topic.setting.default, index.texts)


def test_each_ability_is_a_tool_of_its_own() -> None:
    sources = "\n".join(each.read_text(encoding="utf-8") for each in (ROOT / "assistant/tools/builtin").rglob("*.py"))
    for name in _ABILITIES:
        assert f"async def {name}(" in sources


def test_the_licence_is_that_of_the_project() -> None:
    assert 'license = "GPL-3.0-or-later"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_what_leaves_names_the_servers_that_find_files() -> None:
    provider = Provider(name="mine", kind="openai", base_url="https://example.com/v1")
    for files, servers in (
        (FilesSettings(), ()),
        (FilesSettings(meanings="mine/bge-m3"), ("mine",)),
        (FilesSettings(meanings="gone/bge-m3"), ()),
        (FilesSettings(index="postgresql://u@db.example.com:5432/sori"), ("db.example.com",)),
        (FilesSettings(index="postgresql://u@localhost/sori"), ()),
        (FilesSettings(meanings="mine/e5", index="postgresql://u@10.0.0.2/sori"), ("mine", "10.0.0.2")),
    ):
        assert file_servers(Settings(providers=(provider,), files=files)) == servers


def test_what_leaves_names_the_account_of_several_computers_and_telegram(index: HelpIndex) -> None:
    def answer(settings: Settings) -> str:
        state = SoriState(
            settings=settings,
            model="",
            provider="local",
            here=True,
            asked=(),
            speech=(),
            files=(),
            account=account_server(settings),
            left=(),
            tools=frozenset(),
            facts=0,
            home="",
            version="1",
            called="",
        )
        return FACTS["leaving"](state, index.texts)

    nothing = index.texts("about.leaving_nothing")
    address = "postgresql://u@db.example.com/sori"
    account = index.texts("about.leaving_account", server="db.example.com")
    assert account in answer(Settings(sync=SyncSettings(server=address)))
    assert nothing not in answer(Settings(sync=SyncSettings(server=address)))
    assert nothing in answer(Settings(sync=SyncSettings(server=address, paused=True)))
    assert nothing in answer(Settings(sync=SyncSettings(server="postgresql://u@localhost/sori")))
    assert index.texts("about.leaving_telegram") in answer(Settings(telegram=TelegramSettings(enabled=True)))
    assert nothing not in answer(Settings(telegram=TelegramSettings(enabled=True)))
