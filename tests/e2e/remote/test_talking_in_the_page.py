"""A spoken question in the page: the browser's microphone to Sori's ears, and Sori's voice back."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.remote.conftest import running_door
from tests.e2e.remote.fake_microphone import diary, microphone, state, until_answered_aloud
from tests.e2e.remote.test_page import Browser


@pytest.mark.models
def test_after_a_tap_a_question_ends_by_itself_and_its_answer_is_read_aloud(
    tmp_path: Path, model_path: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SORI_MODELS", str(model_path("whisper-base").parent))
    with running_door(tmp_path, stt="faster_whisper") as sori:
        page = Browser(sori.port, *microphone())
        try:
            page.sign_in(tmp_path)
            page.click("#talk")
            until_answered_aloud(page)
            page.until(lambda: state(page) == "off")
            assert diary(page, "states")[-5:] == ["opening", "free", "sending", "guarding", "off"]
        finally:
            page.driver.quit()


LATE_LIST = """
const all = fetch;
window.fetch = async (to, ...more) => {
  if (String(to).startsWith("/v1/conversations?")) await new Promise((come) => { window.bringList = come; });
  return all(to, ...more);
};
"""


def test_who_talks_before_the_list_of_conversations_has_come_is_not_cut_off_by_it(tmp_path: Path) -> None:
    with running_door(tmp_path) as sori:
        page = Browser(sori.port, *microphone())
        try:
            page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LATE_LIST})
            page.sign_in(tmp_path)
            page.click("#talk")
            page.until(lambda: "free" in diary(page, "states"))
            page.driver.execute_script("bringList()")
            page.until(lambda: page.one("#title").text)
            assert diary(page, "states")[-1] == "free"
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
