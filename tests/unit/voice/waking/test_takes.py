from types import SimpleNamespace
from typing import Any

from assistant.voice.waking.takes import WAIT_MS, Take, Takes


class Voice:
    """Speech is what is not zero."""

    def feed(self, pcm: bytes) -> Any:
        return SimpleNamespace(speech=any(pcm))

    def reset(self) -> None:
        return


LOUD, QUIET = b"\1" * 320, bytes(320)


def taken(*runs: tuple[bytes, int]) -> list[Take]:
    takes = Takes(Voice())
    found = [takes.feed(frame) for frame, ms in runs for _ in range(ms // 10)]
    return [each for each in found if each is not None]


def test_each_utterance_is_a_take_with_the_sound_before_it() -> None:
    first, second = taken((QUIET, 500), (LOUD, 600), (QUIET, 500), (LOUD, 400), (QUIET, 500))
    assert first.pcm.count(1) >= 600 * 32
    assert first.pcm.startswith(QUIET * 20)
    assert 600 <= first.speech_ms < 700
    assert second.speech_ms < 500


def test_silence_is_told_and_a_click_is_nothing() -> None:
    assert taken((QUIET, WAIT_MS)) == [Take()]
    assert taken((QUIET, 300), (LOUD, 80), (QUIET, 600)) == []


def test_a_long_sentence_is_cut_after_its_beginning() -> None:
    (first, *_) = taken((QUIET, 300), (LOUD, 4_000))
    assert len(first.pcm) == 1_900 * 32
