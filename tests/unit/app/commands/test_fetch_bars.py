"""What a terminal says while models are fetched."""

import pytest

from assistant.app.commands.models import FetchBars
from assistant.host.texts import load_texts
from assistant.weights.progress import FetchProgress

TEXTS = load_texts("en")


def stop_after(done: int) -> None:
    with FetchBars(TEXTS) as bars:
        bars(FetchProgress(model="mind", done=done, total=100))
        raise KeyboardInterrupt


def test_whoever_did_not_ask_for_a_fetch_is_told_once_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with FetchBars(TEXTS, introduced=True) as bars:
        for model in ("mind", "voice"):
            bars(FetchProgress(model=model, done=0, total=100))
            bars(FetchProgress(model=model, done=100, total=100))
    assert capsys.readouterr().err.count(TEXTS("models.introduction")) == 1


def test_where_nothing_is_missing_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with FetchBars(TEXTS, introduced=True):
        pass
    assert capsys.readouterr().err == ""


def test_whoever_stops_a_fetch_is_told_that_it_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        stop_after(50)
    assert capsys.readouterr().err.endswith(f"{TEXTS('models.goes_on')}\n")


def test_a_stop_between_fetches_says_nothing_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        stop_after(100)
    assert TEXTS("models.goes_on") not in capsys.readouterr().err
