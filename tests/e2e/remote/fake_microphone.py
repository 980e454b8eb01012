"""A recording in place of the browser's microphone, and a question that is asked aloud with it."""

from pathlib import Path
from typing import Any

from assistant.host.places import PROJECT
from tests.e2e.remote.test_page import ANSWER, Browser

SAID = PROJECT / "tests" / "data" / "speech" / "ko_lights_blue.wav"
WORD = "파란색"
_SOUNDED = (
    "return performance.getEntriesByName(location.origin + '/v1/audio/speech').map((each) => each.responseStatus)"
)


def microphone(recording: Path = SAID) -> tuple[str, ...]:
    """Options of a browser that hears a recording once, from the moment in which the page listens."""
    return (
        *("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"),
        f"--use-file-for-fake-audio-capture={recording}%noloop",
    )


def state(page: Browser) -> str | None:
    """What the microphone button does now."""
    return page.one("#talk").get_attribute("data-state")


def diary(page: Browser, entry: str) -> Any:
    """What the page has noted; see ``DIARY``."""
    return page.driver.execute_script(f"return diary.{entry}")


def until_answered_aloud(page: Browser, answer: str = ANSWER) -> None:
    """Wait until the question stands in the page, and its answer has begun to sound."""
    page.until(lambda: WORD in "".join(page.all(".message.user")))
    page.until(lambda: page.answers() == [answer])
    page.until(lambda: page.driver.execute_script(_SOUNDED)[:1] == [200])
