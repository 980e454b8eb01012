"""A spoken question in the page: the browser's microphone to Sori's ears, and Sori's voice back."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.host.places import PROJECT
from tests.e2e.remote.conftest import running_door
from tests.e2e.remote.test_page import ANSWER, Browser

SAID = PROJECT / "tests" / "data" / "speech" / "ko_lights_blue.wav"
SAID_S = 4.6
SOUNDED = "return performance.getEntriesByName(location.origin + '/v1/audio/speech').map((each) => each.responseStatus)"


@pytest.mark.models
def test_a_question_is_heard_answered_and_read_aloud(
    tmp_path: Path, model_path: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SORI_MODELS", str(model_path("whisper-base").parent))
    microphone = (
        *("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"),
        *(f"--use-file-for-fake-audio-capture={SAID}%noloop", "--autoplay-policy=no-user-gesture-required"),
    )
    with running_door(tmp_path, stt="faster_whisper") as sori:
        page = Browser(sori.port, *microphone)
        try:
            page.sign_in(tmp_path)
            page.click("#talk")
            page.until(lambda: page.one("#talk").get_attribute("aria-pressed") == "true")
            time.sleep(SAID_S + 1)  # The sound of the microphone lasts that long.
            page.click("#talk")
            page.until(lambda: "파란색" in "".join(page.all(".message.user")))
            page.until(lambda: page.answers() == [ANSWER])
            page.until(lambda: page.driver.execute_script(SOUNDED)[:1] == [200])
        finally:
            page.driver.quit()


def test_without_a_microphone_the_page_says_so(tmp_path: Path) -> None:
    with running_door(tmp_path) as sori:
        page = Browser(sori.port, "--deny-permission-prompts")
        try:
            page.sign_in(tmp_path)
            page.click("#talk")
            page.until(lambda: page.all(".notice.warning"))
            assert page.one("#talk").get_attribute("aria-pressed") != "true"
        finally:
            page.driver.quit()
