"""What Tab offers, and the table of commands that it and the help use."""

from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from assistant.core.display.table import cells
from assistant.host.texts import load_texts
from assistant.terminal.commands import COMMANDS, Argument, Group, help_lines
from assistant.terminal.completion import CommandCompleter

MODELS = [("mine/big", ""), ("ollama/big-model", ""), ("ollama/small", "")]
TITLES = [("제주도 여행", "2026-11-22 10:00"), ("부산 여행", "2026-11-21 10:00")]


def offered(line: str) -> list[tuple[str, str]]:
    """The lines that the completions make, each with its remark."""
    choices = {Argument.MODEL: lambda: MODELS, Argument.CONVERSATION: lambda: TITLES}
    found = CommandCompleter(load_texts("ko"), choices).get_completions(Document(line), CompleteEvent())
    return [(f"{line[: len(line) + each.start_position]}{each.text}", each.display_meta_text) for each in found]


def test_a_slash_offers_every_command_with_what_it_does() -> None:
    lines = dict(offered("/"))
    assert [line.rstrip() for line in lines] == [each.name for each in COMMANDS]
    assert lines["/new"] == "새 대화 시작"


def test_what_an_argument_may_be_is_prepared_while_the_command_is_typed() -> None:
    told: list[str] = []
    completer = CommandCompleter(load_texts("ko"), {}, lambda: told.append("prepared"))
    list(completer.get_completions(Document("/op"), CompleteEvent()))
    list(completer.get_completions(Document("/open 여"), CompleteEvent()))
    assert told == ["prepared"]


def test_the_beginning_of_a_command_is_completed() -> None:
    assert [line for line, _ in offered("/re")] == ["/regenerate ", "/retry ", "/remove ", "/restore", "/read "]


def test_arguments_are_offered_first_those_that_begin_with_what_was_typed() -> None:
    assert [line for line, _ in offered("/model o")] == ["/model ollama/big-model", "/model ollama/small"]
    assert [line for line, _ in offered("/retry BIG")] == ["/retry mine/big", "/retry ollama/big-model"]
    assert offered("/open 여행") == [("/open 제주도 여행", "2026-11-22 10:00"), ("/open 부산 여행", "2026-11-21 10:00")]


def test_files_are_completed_below_the_folder_that_was_typed(tmp_path: Path) -> None:
    (tmp_path / "메모.txt").touch()
    assert [line for line, _ in offered(f"/attach {tmp_path}/메")] == [f"/attach {tmp_path}/메모.txt"]


@pytest.mark.parametrize("line", ["안녕", "/quit now", "/fly o", "오늘 /model o"])
def test_a_message_and_what_takes_no_argument_offer_nothing(line: str) -> None:
    assert offered(line) == []


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_help_has_a_line_for_every_command_below_its_group(language: str) -> None:
    texts = load_texts(language)
    lines = help_lines(texts)
    assert [line.split()[0] for line in lines if line.startswith("  /")] == [each.name for each in COMMANDS]
    assert max(map(cells, lines[:-1])) <= 80
    voice = texts(f"console.group.{Group.VOICE}")
    assert voice in lines
    assert voice not in help_lines(texts, hears=False)
