import json
import logging
import sys
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from pathlib import Path

import pytest

from assistant.host.logs import Redactor, log_uncaught, start_logging

KEY = "abcdef-0123456789"


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield start_logging(tmp_path / "logs", "start", [KEY])
    for each in [each for each in root.handlers if each not in before]:
        root.removeHandler(each)
        each.close()
    root.setLevel(level)
    logging.captureWarnings(capture=False)


def lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_line_is_json_with_time_level_and_message(log: Path) -> None:
    logging.getLogger("voice").warning("마이크가 없습니다: %s", "usb")
    (entry,) = lines(log)
    assert entry["level"] == "warning"
    assert entry["logger"] == "voice"
    assert entry["message"] == "마이크가 없습니다: usb"
    assert entry["time"].endswith("+00:00")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_only_the_user_can_open_the_folder(log: Path) -> None:
    assert log.parent.stat().st_mode & 0o077 == 0


def test_a_known_secret_is_struck_out_of_messages_and_errors(log: Path) -> None:
    error = ValueError(f"bad key {KEY}")
    logging.getLogger("llm").error("with %s", KEY, exc_info=error)
    assert KEY not in log.read_text()
    assert "ValueError" in lines(log)[0]["error"]


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer abcdefgh12345678",
        "api_key=abcdefgh12345678",
        '"x-api-key": "abcdefgh12345678"',
        "used sk-proj-abcdefgh12345678",
        "token: 'abcdefgh12345678'",
        "bot 123456789:abcdefgh12345678abcdefgh12345678",
        "is http://me:abcdefgh12345678@192.168.0.2:8080/v1 the root of an API?",
    ],
)
def test_what_looks_like_a_credential_is_struck_out(text: str) -> None:
    assert "abcdefgh12345678" not in Redactor()(text)


def test_ordinary_words_are_left_alone() -> None:
    text = "the answer had 40 tokens after 300 ms; 비밀번호는 묻지 않았어요"
    assert Redactor(["ms", ""])(text) == text


@pytest.mark.long
def test_logs_rotate(log: Path) -> None:
    for number in range(900):
        logging.getLogger("x").info("%s %s", number, "." * 1_500)
    assert log.with_name("start.log.1").exists()
    assert log.stat().st_size <= 1_000_000


def test_an_error_that_nobody_caught_ends_in_the_log_and_in_one_line_for_the_user(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    log_uncaught(log, "Sorry. See {log}")
    error = RuntimeError("with sk-abcdefgh12345678")
    sys.excepthook(RuntimeError, error, None)
    said = capsys.readouterr().err
    assert str(log) in said
    assert "abcdefgh" not in said
    assert "RuntimeError" in lines(log)[0]["error"]


def test_a_log_that_another_one_has_replaced_is_not_opened_anew(log: Path) -> None:
    (first,) = [each for each in logging.getLogger().handlers if isinstance(each, RotatingFileHandler)]
    start_logging(log.parent, "second")
    first.handle(logging.LogRecord("late", logging.WARNING, "", 0, "late", (), None))
    assert not first.stream
    assert log.read_text() == ""
