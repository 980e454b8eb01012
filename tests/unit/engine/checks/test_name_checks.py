"""What the doctor says of the names by which agents are called."""

from pathlib import Path

import numpy as np
import pytest

from assistant.agent.workspaces.directory import Workspaces
from assistant.core.records.agents import AgentId
from assistant.core.settings import Settings
from assistant.engine.checks.check import Grade
from assistant.engine.checks.name_checks import NameChecks
from assistant.engine.names.own_voices import OwnVoices
from assistant.host.model_store import open_store
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.speech.wake.own_words import OwnWords, packed
from tests.fakes.clock import FakeClock

TORI, JINNY, FELIX = AgentId(name="tori"), AgentId(name="jinny"), AgentId(name="felix")


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.delenv("SORI_MODELS", raising=False)
    return Places(tmp_path)


@pytest.fixture
def workspaces(places: Places) -> Workspaces:
    return Workspaces(places.workspaces, FakeClock(), lambda: 2_000)


def install(places: Places) -> OwnVoices:
    store = open_store(places.home)
    for path in store.files(store.manifest["kokoro-82m"]):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return OwnVoices(store, Settings(language="ko"))


def told(places: Places) -> list[tuple[Grade, str, str]]:
    checks = NameChecks(places, load_texts("en"), Settings(language="ko")).names()
    return [(each.verdict, each.detail, each.remedy) for each in checks]


def keep(workspaces: Workspaces, made_from: str, *heard: str) -> None:
    words = OwnWords(phrase="토리야", takes=(np.eye(96, dtype=np.float32)[:4],), heard=heard, made_from=made_from)
    workspaces.keep_own_words(TORI, packed(words))


def test_without_names_nothing_is_told(places: Places) -> None:
    assert told(places) == []


def test_a_name_without_a_voice_to_practise_it_is_a_warning(places: Places, workspaces: Workspaces) -> None:
    workspaces.add_agent(TORI, {"wake_phrase": "토리야"})
    ((verdict, detail, remedy),) = told(places)
    assert (verdict, "no voice of its language" in detail, "sori models pull" in remedy) == (Grade.WARN, True, True)


def test_how_far_each_name_is(places: Places, workspaces: Workspaces) -> None:
    own = install(places)
    workspaces.add_agent(TORI, {"wake_phrase": "토리야"})
    assert "will practise it" in told(places)[0][1]
    workspaces.keep_own_words(TORI, b"something else")
    assert "cannot be read" in told(places)[0][1]
    keep(workspaces, "other voices")
    assert "will practise it" in told(places)[0][1]
    keep(workspaces, own.made_from("ko"))
    assert "has practised it" in told(places)[0][1]
    workspaces.keep_wake_sound(TORI, b"the user's")
    assert "has learnt your voice" in told(places)[0][1]
    assert {verdict for verdict, _, _ in told(places)} == {Grade.OK}


def test_a_latin_name_beside_a_korean_one_goes_by_its_words(places: Places, workspaces: Workspaces) -> None:
    install(places)
    workspaces.add_agent(TORI, {"wake_phrase": "토리야"})
    workspaces.add_agent(FELIX, {"wake_phrase": "Felix"})
    assert any("Felix" in detail and "goes by the words" in detail for _, detail, _ in told(places))


def test_a_name_that_was_heard_as_another_is_a_warning(places: Places, workspaces: Workspaces) -> None:
    own = install(places)
    workspaces.add_agent(TORI, {"wake_phrase": "토리야"})
    workspaces.add_agent(JINNY, {"wake_phrase": "박사님"})
    keep(workspaces, own.made_from("ko"), "박사님")
    warned = [(detail, remedy) for verdict, detail, remedy in told(places) if verdict is Grade.WARN]
    assert len(warned) == 1
    assert "heard as 박사님" in warned[0][0]
