"""A value that was changed on two devices, in the user's words."""

from datetime import UTC, datetime

import pytest

import assistant.engine.engine  # noqa: F401 - with it, every sort of values that is synced is known
from assistant.core.times.recurrence import Recurrence
from assistant.engine.domains.sync.difference_words import shown_difference
from assistant.engine.domains.sync.shared_requests import request_text
from assistant.host.texts import load_texts
from assistant.storage.sync.differences import FILE, VALUE, SyncDifference
from assistant.storage.sync.tables import SYNCED
from assistant.storage.timers import Job, StoredTimer
from assistant.sync.values import ValueSource


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("setting/voice.speed", "1.5", ("setting", "말하는 속도", "1.5")),
        ("setting/voice.speed", "", ("setting", "말하는 속도", "(없음)")),
        ("project/p1", '{"name": "휴가", "workspace": "default"}', ("project", "p1", "휴가\ndefault")),
    ],
)
def test_both_forms_of_a_value_are_shown_in_words(name: str, text: str, shown: tuple[str, str, str]) -> None:
    texts = load_texts("ko")
    form, other = {"text": text}, {"text": "0.8"}
    at = "2026-11-27T01:00:00+00:00"
    found = shown_difference(SyncDifference(id=1, at=at, table=VALUE, name=name, ours=form, theirs=other), texts)
    what, title, words = shown
    assert (found.what, found.name, found.ours, found.theirs) == (what, title, words, "0.8")
    assert texts(f"sync.what.{found.what}")


def test_of_a_request_the_words_the_time_and_the_pause_are_shown() -> None:
    now = datetime(2026, 11, 22, 15, 5, tzinfo=UTC)
    request = StoredTimer(
        id="r",
        name="할 일 읽어 줘",
        language="ko",
        duration_s=60.0,
        due_at=now,
        created_at=now,
        repeats=Recurrence.parse("DTSTART:20261122T080000\nRRULE:FREQ=DAILY"),
        job=Job(paused=True),
    )
    ours, theirs = {"text": ""}, {"text": request_text(request)}
    difference = SyncDifference(id=1, at=now.isoformat(), table=VALUE, name="request/r", ours=ours, theirs=theirs)
    found = shown_difference(difference, load_texts("ko"))
    assert (found.what, found.name, found.ours) == ("request", "할 일 읽어 줘", "(없음)")
    assert found.theirs.splitlines() == ["할 일 읽어 줘", "매일 오전 8시", "멈춤"]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_there_are_words_for_all_that_can_differ_and_nothing_else(language: str) -> None:
    texts = load_texts(language)
    sources = [each for each in ValueSource.__subclasses__() if each.__module__.startswith("assistant.")]
    sorts = {str(each.sort) for each in sources if vars(each).get("shown", True)}
    assert sorts
    words = {each.removeprefix("sync.what.") for each in texts.keys if each.startswith("sync.what.")}
    assert words == {*SYNCED, FILE, *sorts}
