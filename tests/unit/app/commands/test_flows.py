"""``sori flows``, on real files."""

from argparse import Namespace
from io import StringIO
from pathlib import Path

import pytest

from assistant.app.commands.flows.command import run
from assistant.core.settings import Settings
from assistant.host.places import Places
from assistant.host.texts import load_texts


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def flows(places: Places, action: str, name: str | None = None, *, yes: bool = False, template: str = "minimal") -> int:
    arguments = Namespace(action=action, name=name, yes=yes, template=template)
    return run(places, Settings(language="en"), load_texts("en"), arguments)


def test_a_service_is_made_broken_mended_and_allowed(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    assert flows(places, "new", "orders") == 0
    assert flows(places, "check", "orders") == 0
    logic = places.flows / "orders" / "logic.py"
    good = logic.read_text("utf-8")
    logic.write_text(f"{good}\nx = (\n", "utf-8")
    capsys.readouterr()
    assert flows(places, "list") == 1
    listed = capsys.readouterr().out
    assert f"{logic}:{good.count(chr(10)) + 2}: Python cannot read the file" in listed
    assert "transfer  1.0.0  on" in listed
    logic.write_text(f"{good}\nx = 1\n", "utf-8")
    assert flows(places, "reload", "orders") == 1  # There is no terminal to ask in.
    assert "changed  logic.py" in capsys.readouterr().out
    assert flows(places, "reload", "orders", yes=True) == 0
    assert flows(places, "list") == 0


def test_whoever_writes_a_service_sees_where_it_fails(
    places: Places, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    flows(places, "new", "orders")
    handlers = places.flows / "orders" / "flows" / "handlers.py"
    source = handlers.read_text("utf-8")
    at = source[: source.index("if context.state.stage")].count("\n") + 1
    broken = 'self._propose(context, "send", {}, "")\n        if context.state.stage'
    handlers.write_text(source.replace("if context.state.stage", broken, 1), "utf-8")
    flows(places, "reload", "orders", yes=True)
    monkeypatch.setattr("sys.stdin", StringIO("start orders\n"))
    capsys.readouterr()
    assert flows(places, "run", "orders") == 0
    shown = capsys.readouterr()
    assert "Something went wrong." in shown.out
    assert f"{handlers}:{at}: WrongStepError: the manifest declares no step 'send'" in shown.err


def test_the_dialogues_of_a_service_are_played_and_the_line_that_differs_is_told(
    places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    assert flows(places, "new", "room_booking", template="form") == 0
    assert flows(places, "check", "room_booking") == 0
    assert flows(places, "test", "room_booking") == 0
    assert capsys.readouterr().out.endswith("2 dialogues, 0 of them went otherwise.\n")
    dialogue = places.flows / "room_booking" / "tests" / "english.txt"
    dialogue.write_text(dialogue.read_text("utf-8").replace("> four", "> ninety"), "utf-8")
    flows(places, "reload", "room_booking", yes=True)
    assert flows(places, "test", "room_booking") == 1
    assert f"{dialogue}:12: To “ninety”, Sori answers “It can be 1 to 50 people." in capsys.readouterr().out
    assert list((places.flow_data / "room_booking").iterdir()) == []
