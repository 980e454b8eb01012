"""A value that was changed on two devices, in the user's words."""

import pytest

from assistant.engine.domains.sync.difference_words import shown_difference
from assistant.host.texts import load_texts
from assistant.storage.sync.differences import VALUE, SyncDifference


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
