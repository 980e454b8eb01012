"""Why tools failed, as the user reads it."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.core.permissions import Category
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.core.times.resolving import Problem
from assistant.llm.backend import ModelToolCall
from assistant.tools.builtin.calculator import evaluate
from assistant.tools.calling import RunningCall
from assistant.tools.folders.allowed import AllowedFolders
from assistant.tools.folders.notes import NoteFolder
from assistant.tools.runner import ToolRunner
from assistant.tools.system.applications import Applications, web_address
from assistant.tools.system.clipboard import ProgramClipboard
from assistant.tools.system.media import MprisControl, WindowsMedia
from assistant.tools.system.programs import run
from assistant.tools.system.sandbox import Sandbox
from assistant.tools.system.volume import MixerVolume
from assistant.tools.tool import NotRunError, Tool, ToolError
from assistant.tools.web.public_addresses import PageError, checked_address

Work = Callable[[Path], Any]


def _raise(error: Exception) -> Work:
    def work(_: Path) -> None:
        raise error

    return work


REASONS: list[tuple[Work, str, str]] = [
    (lambda _: evaluate("1/0"), "0으로는 나눌 수 없어요.", "Division by zero has no value."),
    (lambda _: evaluate("열기"), "계산할 수 있는 식이 아니에요: 열기", "“열기” is no arithmetic that can be done."),
    (lambda _: evaluate("9**99999"), "값을 계산할 수 없는 식이에요: 9^99999", "“9^99999” has no value"),
    (lambda _: evaluate("1" * 999), "expression 값은 ", "expression may have at most "),
    (lambda _: web_address("ftp://x"), "https://나 http://로", "Give an address that begins"),
    (lambda _: web_address("http://a b.example"), "https://나 http://로", "Give an address that begins"),
    (lambda _: web_address("http://me:pw@x"), "주소에 사용자 이름이나 암호가", "The address contains a user name"),
    (lambda _: AllowedFolders(lambda: ()).read("a"), "읽어도 되는 폴더가 없어요.", "No folder is allowed."),
    (lambda home: _files(home).read(".env"), "숨긴 파일은", ".env is hidden."),
    (lambda home: _files(home).read("../x"), "../x 경로는 읽어도 되는 폴더 밖", "../x is in none of the allowed"),
    (lambda home: _files(home).read("없음.md"), "그런 파일이나 폴더가 없어요: 없음.md", "There is no 없음.md."),
    (lambda home: NoteFolder(home).read("장보기"), "‘장보기’ 메모가 없어요.", "There is no note “장보기”."),
    (lambda home: NoteFolder(home).create("?", ""), "title 값이 비어 있어요.", "Nothing was given for title."),
    (lambda _: Applications(()).find("계산기"), "‘계산기’ 앱이 설치되어", "No application “계산기” is installed."),
    (lambda _: Applications(()).find(" "), "name 값이 비어 있어요.", "Nothing was given for name."),
    (lambda _: ProgramClipboard((), {}).read(), "클립보드를 쓸 수 없어요.", "There is no clipboard here"),
    (lambda _: MixerVolume(()).level(), "소리 크기를 조절할 프로그램이", "No program that controls the volume"),
    (lambda _: MprisControl("").playing(), "켜져 있는 재생 프로그램이 없어요.", "No player is running"),
    (lambda _: WindowsMedia().playing(), "Windows에서는 무엇이", "Windows does not tell what plays."),
    (lambda home: run(str(home / "no")), "no 쪽에서 오류가 났어요", "no failed: "),
    (lambda home: Sandbox(())._checked(home / "x"), "[shell] folder의", "The folder "),
    (
        lambda _: checked_address("mixed.example", 1, resolve=_inside),
        "mixed.example 주소는",
        "mixed.example bel",
    ),
    (_raise(PageError("file_reason.page_gone", "404")), "웹 페이지가 없어졌어요", "The web page is gone"),
    (_raise(PageError("file_reason.encrypted")), "암호", "Protected by a password"),
    (
        _raise(NotRunError("tools.server_not_ready", server="날씨", name="w")),
        "날씨",
        "The MCP server 날씨 is not ready",
    ),
    (_raise(ToolError("tool_reason.foreign", words="kaputt")), "kaputt", "kaputt"),
    (_raise(ToolError("tool_reason.no_such_line", count=3)), "파일은 3줄이에요.", "The file has 3 lines."),
]


def _files(home: Path) -> AllowedFolders:
    return AllowedFolders(lambda: [str(home)])


async def _inside(_host: str, _port: int) -> list[str]:
    return ["10.0.0.1"]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize(("work", "korean", "english"), REASONS, ids=[row[2] for row in REASONS])
async def test_a_reason_is_told_in_the_language_of_the_user(
    all_texts: dict[Language, Texts], tmp_path: Path, language: Language, work: Work, korean: str, english: str
) -> None:
    async def fail(arguments: dict[str, Any], _call: RunningCall) -> str:
        done = work(tmp_path)
        return str(await done if inspect.isawaitable(done) else done)

    parameters = {"type": "object", "properties": {}}
    bad = Tool(name="bad", description="", parameters=parameters, category=Category.SAFE, idempotent=True, run=fail)
    runner = ToolRunner([bad], all_texts[language])
    (outcome,) = [each async for each in runner.run([ModelToolCall(id="1", name="bad", arguments={})])]
    assert outcome.is_error
    assert (korean if language == "ko" else english) in outcome.text


@pytest.mark.parametrize("problem", Problem)
def test_what_is_wrong_with_a_time_is_told(all_texts: dict[Language, Texts], problem: Problem) -> None:
    assert all("." in texts(f"tool_reason.time.{problem.value}") for texts in all_texts.values())
