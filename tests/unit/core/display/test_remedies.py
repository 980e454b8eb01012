"""No strip of the window asks for a command in a terminal."""

import re

import pytest

from assistant.core.display.remedies import OF_THE_DESKTOP, PAGE_OF, for_window
from assistant.host.texts import load_texts

SHOWN = (
    "error.",
    "notice.",
    "chat.",
    "memory.",
    "alarm.",
    "speech.",
    "storage.",
    "audio.",
    "voice.",
    "setting.",
    "desktop.",
)
"""Beginnings of the keys of texts that the window shows in strips, cards, notes and rows of settings."""
COMMAND = re.compile(r"(?<![\w/.-])(?:sori|python3? main\.py) (?P<command>[a-z][a-z-]*)")


@pytest.mark.parametrize("language", ["ko", "en"])
def test_no_text_of_the_window_names_a_command_for_a_terminal(language: str) -> None:
    texts, seen = load_texts(language), 0
    for key in sorted(texts.keys):
        if not key.startswith(SHOWN):
            continue
        raw = texts.raw(key)
        told = for_window(raw)
        commands = [each for each in COMMAND.finditer(raw) if each["command"] not in OF_THE_DESKTOP]
        seen += bool(commands)
        if commands:
            assert told.page, key
            assert told.words.strip(), key
            assert not [each for each in COMMAND.finditer(told.words) if each["command"] not in OF_THE_DESKTOP], key
            assert not re.search(r"[:,(]$", told.words), (key, told.words)
        else:
            assert told.words == raw, key
    assert seen > 10


TEXTS = [
    (
        "에코 MCP 서버가 승인을 기다려요. 무엇을 실행하는지 보려면: sori mcp approve 에코",
        "에코 MCP 서버가 승인을 기다려요.",
        "tools",
    ),
    ("The MCP server echo waits. To see what it runs: sori mcp approve echo", "The MCP server echo waits.", "tools"),
    ("키가 없어요. 다음으로 저장할 수 있어요: sori keys set mine (또는 config.toml)", "키가 없어요.", "models"),
    ("There is no key. Store it with: sori keys set mine", "There is no key.", "models"),
    ("There is no token. Make one: sori tokens add NAME", "There is no token.", "settings"),
    ("The phone's certificate was renewed (sori phone list).", "The phone's certificate was renewed.", "phone"),
    ("목소리를 쓸 수 없어요. 쓸 수 있는 목소리: sori voices", "목소리를 쓸 수 없어요.", "settings"),
    ("모델이 없어요.\n다음으로 받을 수 있어요: sori models pull x", "모델이 없어요.", "models"),
    ("기억을 요약했어요. 이전 기억은 `sori memory snapshots`로 볼 수 있어요.", "기억을 요약했어요.", "memory"),
    ("승인을 기다리는 도구: a, b (sori mcp approve echo)", "승인을 기다리는 도구: a, b", "tools"),
    ("(키 저장하기: sori keys set mine)", "키 저장하기", "models"),
    ("음성 인식 모델. auto는 `sori models recommend`로 잰 결과를 따라요", "음성 인식 모델.", "models"),
    (
        "데스크톱의 단축키 설정에 ‘sori toggle’ 명령을 연결해 주세요.",
        "데스크톱의 단축키 설정에 ‘sori toggle’ 명령을 연결해 주세요.",
        "",
    ),
    ("소리가 이미 켜져 있어요.", "소리가 이미 켜져 있어요.", ""),
    ("/opt/sori models", "/opt/sori models", ""),
    ("Sori listens.", "Sori listens.", ""),
    ("오전 7시. 그리고 약", "오전 7시. 그리고 약", ""),
]


@pytest.mark.parametrize(("text", "words", "page"), TEXTS)
def test_the_clause_with_the_command_gives_way_to_its_page(text: str, words: str, page: str) -> None:
    told = for_window(text)
    assert (told.words, told.page) == (words, page)
    assert set(PAGE_OF.values()) >= {page} - {""}
