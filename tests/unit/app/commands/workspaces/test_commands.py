import asyncio
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.agent.workspaces.current import CurrentAgent
from assistant.app.command_line import main
from assistant.app.parts.agents import agents as agents_of
from assistant.core.errors import SoriError
from assistant.core.records.agents import AgentId
from assistant.core.service.request import Request
from assistant.core.service.requests.agents import (
    AddAgent,
    AddWorkspace,
    ApproveAgent,
    EditAgent,
    ListAgents,
    ListWorkspaces,
    RemoveAgent,
    RemoveWorkspace,
    ShowAgent,
    SwitchAgent,
)
from assistant.core.settings import Settings
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.speech.wake.own_words import OwnWords, packed
from tests.fakes.front.asking import ask
from tests.fakes.front.small_engine import SmallEngine


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    return tmp_path


def out(capsys: pytest.CaptureFixture[str]) -> str:
    text = capsys.readouterr().out
    return text[text.index("[") :] if "[" in text else text


def test_an_agent_is_added_shown_changed_chosen_and_removed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    added = ["agents", "add", "코치", "--persona", "달리기 코치다.", "--permitted", "safe,sensitive"]
    assert main([*added, "--wake-phrase", "코치야"]) == 0
    assert main(["agents", "edit", "코치", "--voice", "v", "--prompt", "짧게"]) == 0
    capsys.readouterr()
    assert main(["agents", "list", "--json"]) == 0
    own, coach = json.loads(out(capsys))
    assert (own["name"], coach["name"], coach["voice"], coach["persona"]) == ("sori", "코치", "v", "달리기 코치다.")
    assert coach["permitted"] == ["safe", "sensitive"]
    assert main(["agents", "show", "코치"]) == 0
    assert "wake_phrase: 코치야" in capsys.readouterr().out
    assert main(["agents", "use", "코치"]) == 0
    assert main(["agents", "list"]) == 0
    assert "*  코치" in capsys.readouterr().out
    assert main(["agents", "remove", "코치"]) == 0
    assert (home / "workspaces" / "default" / "agents" / ".removed").is_dir()
    assert main(["agents", "show", "코치"]) != 0
    assert "코치" in capsys.readouterr().err


def test_what_is_known_of_a_name_is_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents", "add", "coach", "--wake-phrase", "코치야"]) == 0
    assert main(["agents", "add", "other", "--wake-phrase", "고치아"]) != 0, "it sounds the same"
    assert main(["agents", "add", "tori", "--wake-phrase", "토리야"]) == 0
    folder = home / "workspaces" / "default" / "agents" / "coach"
    assert main(["agents", "show", "coach"]) == 0
    assert "goes by the words that it hears" in capsys.readouterr().out
    word = np.eye(96, dtype=np.float32)[:4]
    words = OwnWords(phrase="코치야", takes=(word,), heard=("토리야",), made_from="")
    (folder / "own_words.npz").write_bytes(packed(words))
    assert main(["agents", "show", "coach"]) == 0
    shown = capsys.readouterr().out
    assert "practised “코치야” with its own voices" in shown
    assert "heard as another name: 토리야" in shown
    assert main(["agents", "edit", "coach", "--wake-spellings", "꼬치야"]) == 0
    assert main(["agents", "show", "coach"]) == 0
    assert "You have taught Sori how you say “코치야”" in capsys.readouterr().out
    assert main(["agents", "edit", "coach", "--wake-phrase", "박사님"]) == 0
    assert not (folder / "own_words.npz").exists()


@pytest.mark.parametrize("runs", [True, False])
def test_whoever_owns_the_home_does_it_with_the_same_words(
    home: Path, capsys: pytest.CaptureFixture[str], *, runs: bool
) -> None:
    places = Places(home)
    asked: list[type[Request[Any]]] = []
    commands: tuple[tuple[str, int, str, *tuple[type[Request[Any]], ...]], ...] = (
        ("workspaces add 집 --title 우리집", 0, "우리집", AddWorkspace),
        ("workspaces use 우리집", 0, "우리집", SwitchAgent),
        ("workspaces list", 0, "*  집", ListWorkspaces),
        ("agents add 요리사 --persona 짧게 --permitted safe,sensitive --wake-phrase 요리사야", 0, "요리사", AddAgent),
        ("agents add 요리사", 1, "요리사", AddAgent),
        ("agents add b --permitted all", 1, "safe, sensitive, restricted", AddAgent),
        ("agents edit 요리사 --wake-phrase 주방장 --tools one,two", 0, "요리사", EditAgent),
        ("agents edit nobody --voice v", 1, "nobody", EditAgent),
        ("agents list", 0, "safe, sensitive", ListAgents),
        ("agents show 주방장", 0, "tools: one, two", ShowAgent),
        ("agents approve 요리사 --yes", 0, "요리사", ShowAgent, ApproveAgent),
        ("agents use 요리사", 0, "요리사", ShowAgent, SwitchAgent),
        ("agents remove 요리사", 0, ".removed", RemoveAgent),
        ("workspaces remove default", 1, "", RemoveWorkspace),
        ("workspaces remove 집", 0, ".removed", RemoveWorkspace),
    )
    with ExitStack() as stack:
        domain = agents_of(places, Settings(), load_texts("en"))
        engine = stack.enter_context(SmallEngine(home, domain)) if runs else None
        for command, status, said, *requests in commands:
            assert main(command.split()) == status, command
            printed = capsys.readouterr()
            assert said in printed.out + printed.err
            asked += requests
    assert engine is None or [type(each) for each in engine.asked] == asked
    assert CurrentAgent(places.current_agent).get() == AgentId(workspace="집", name="요리사")


def test_words_that_changed_since_they_were_shown_are_not_approved(home: Path) -> None:
    async def approve() -> None:
        agents = agents_of(Places(home), Settings(), load_texts("en"))
        shown = await ask(agents, AddAgent(agent="coach", persona="Be kind.", entries={"tools": ["one"]}))
        with pytest.raises(SoriError) as raised:
            await ask(agents, AddAgent(agent="b", entries={"tools": 1}))
        assert raised.value.reason == "agent_value"
        (Path(shown.folder) / "persona.md").write_text("Obey.", encoding="utf-8")
        with pytest.raises(SoriError) as raised:
            await ask(agents, ApproveAgent(agent="coach", words=shown.words))
        assert raised.value.reason == "agent_changed"

    asyncio.run(approve())


def test_a_bad_value_or_file_is_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents", "add", "a", "--permitted", "all"]) != 0
    assert "safe, sensitive, restricted" in capsys.readouterr().err
    assert main(["agents", "add", "a"]) == 0
    (home / "workspaces" / "default" / "agents" / "a" / "agent.toml").write_text("\nvoice = 1\n", "utf-8")
    assert main(["agents", "list"]) == 1
    assert "line 2" in capsys.readouterr().err
    assert main(["workspaces", "add", "a/b"]) != 0


def test_a_workspace_is_added_entered_and_removed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["workspaces", "add", "home", "--title", "Our home"]) == 0
    assert main(["workspaces", "use", "our home"]) == 0
    assert main(["agents", "add", "cook"]) == 0
    capsys.readouterr()
    assert main(["workspaces", "list", "--json"]) == 0
    default, entered = json.loads(out(capsys))
    assert (default["current"], entered["current"], entered["agents"]) == (False, True, ["sori", "cook"])
    assert main(["workspaces", "list"]) == 0
    assert "Our home" in capsys.readouterr().out
    assert main(["workspaces", "remove", "home"]) == 0
    assert main(["workspaces", "remove", "default"]) != 0


def test_each_scope_has_a_memory_of_its_own(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents", "add", "coach"]) == 0
    for scope, words in (("personal", "mine"), ("workspace", "ours"), ("agent", "his")):
        assert main(["memory", "add", "--scope", scope, "--agent", "coach", words]) == 0
    folder = home / "workspaces" / "default"
    assert "- mine" in (home / "memory" / "user.md").read_text("utf-8")
    assert "- ours" in (folder / "memory.md").read_text("utf-8")
    assert "- his" in (folder / "agents" / "coach" / "memory.md").read_text("utf-8")
    capsys.readouterr()
    assert main(["memory", "list", "--scope", "agent", "--json"]) == 0
    assert json.loads(out(capsys)) == []
    assert main(["memory", "list", "--scope", "agent", "--agent", "nobody"]) != 0


def test_a_wake_phrase_like_a_common_word_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents", "add", "a", "--wake-phrase", "나비야"]) == 0
    assert "나비" in capsys.readouterr().err
    assert main(["agents", "edit", "a", "--wake-phrase", "토리"]) == 0
    assert "도리" in capsys.readouterr().err
    assert main(["agents", "edit", "a", "--wake-phrase", "김비서"]) == 0
    assert not capsys.readouterr().err
