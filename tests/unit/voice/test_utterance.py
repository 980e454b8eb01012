"""An utterance tracks its pauses and the speech after them."""

from assistant.core.audio import FRAME_BYTES
from assistant.core.machine.states import TurnId
from assistant.voice.utterance import PAUSE_MS, RESUME_MS, Utterance

FRAME = b"\1\0" * (FRAME_BYTES // 2)
OTHER = b"\2\0" * (FRAME_BYTES // 2)


def utterance(onset: bytes = b"", speech_ms: int = 0) -> Utterance:
    return Utterance(TurnId("1"), onset, speech_ms=speech_ms)


def add(it: Utterance, ms: int, *, speech: bool) -> None:
    for _ in range(ms // 10):
        it.add(FRAME, speech=speech)


def test_the_onset_is_part_of_the_sound_and_of_the_speech() -> None:
    it = utterance(FRAME * 30, speech_ms=60)
    add(it, 100, speech=True)
    assert it.pcm == FRAME * 40
    assert it.speech_ms == 160
    assert it.length_s == 0.4


def test_silence_counts_from_the_last_sound() -> None:
    it = utterance()
    add(it, 200, speech=True)
    add(it, 50, speech=False)
    assert (it.silence_ms, it.pausing) == (50, False)
    add(it, PAUSE_MS - 50, speech=False)
    assert (it.silence_ms, it.pausing) == (PAUSE_MS, True)


def test_a_single_voiced_frame_does_not_end_a_pause() -> None:
    it = utterance()
    add(it, 200, speech=True)
    add(it, 200, speech=False)
    add(it, 10, speech=True)
    add(it, 100, speech=False)
    assert it.pausing
    assert it.silence_ms == 310
    assert it.revision == 0


def test_speech_after_a_pause_makes_a_new_revision_and_starts_the_silence_anew() -> None:
    it = utterance()
    add(it, 200, speech=True)
    add(it, 300, speech=False)
    add(it, RESUME_MS, speech=True)
    assert not it.pausing
    assert it.revision == 1
    assert it.silence_ms == 0


def test_speech_inside_a_word_gap_is_no_new_revision() -> None:
    it = utterance()
    for _ in range(5):
        add(it, 100, speech=True)
        add(it, PAUSE_MS - 10, speech=False)
    assert it.revision == 0
    assert not it.pausing


def test_where_there_was_no_echo_what_the_microphone_heard_takes_the_place_of_the_cleaned_sound() -> None:
    it = Utterance(TurnId("1"), FRAME * 3, speech_ms=20, unprocessed=OTHER * 3)
    it.add(FRAME, speech=True, unprocessed=OTHER)
    revision = it.revision
    it.settle_echo(present=False)
    assert it.pcm == OTHER * 4
    assert it.revision > revision
    it.add(FRAME, speech=True, unprocessed=OTHER)
    assert it.pcm == OTHER * 4 + FRAME


def test_where_there_was_an_echo_the_cleaned_sound_stays() -> None:
    it = Utterance(TurnId("1"), FRAME * 3, speech_ms=20, unprocessed=OTHER * 3)
    it.settle_echo(present=True)
    it.settle_echo(present=False)
    assert (it.pcm, it.revision) == (FRAME * 3, 0)
