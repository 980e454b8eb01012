"""The time of a trace with a microphone and without one (V-22)."""

from assistant.core.audio import to_samples
from assistant.voice.session.audio_time import AudioTime, TraceTime


def test_sound_counts_the_time_while_there_is_a_microphone_and_real_time_while_there_is_none() -> None:
    heard, real = AudioTime(), [100.0]
    time = TraceTime(heard, lambda: real[0])

    def at(sound_s: float, real_s: float, *, hears: bool) -> float:
        heard.samples, real[0] = to_samples(sound_s), real_s
        return round(time.seconds(hears=hears), 3)

    # The microphone counts, however fast the sound is read.
    assert [at(1, 100, hears=True), at(5, 100.1, hears=True)] == [1, 5]
    # Without one, an answer that takes 3 s is shown with 3 s.
    assert [at(5, 110, hears=False), at(5, 113, hears=False), at(5, 113.5, hears=False)] == [5, 8, 8.5]
    # A microphone that comes back goes on from there.
    assert [at(5, 114, hears=True), at(7, 300, hears=True)] == [9, 11]
    assert [at(7, 400, hears=False), at(7, 402, hears=False)] == [11, 13]
