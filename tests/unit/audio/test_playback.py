import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.audio.playback import PLAYED_SAMPLES, Mark, Playback, PlayedBlock
from assistant.audio.resampling import resample
from assistant.core.audio import FRAME_SAMPLES
from tests.unit.audio.sounds import Samples, energy_db, recording, tone


def pull(playback: Playback, blocks: int) -> Samples:
    return np.concatenate([playback.pull().out for _ in range(blocks)])


def pull_both(playback: Playback, blocks: int) -> PlayedBlock:
    nothing = np.zeros(0, np.int16)
    pulled = [playback.pull() for _ in range(blocks)]
    return PlayedBlock(
        out=np.concatenate([nothing, *(each.out for each in pulled)]),
        reference=np.concatenate([nothing, *(each.reference for each in pulled)]),
    )


def test_an_empty_queue_plays_silence_and_time_goes_on() -> None:
    playback = Playback()

    block = playback.pull()

    assert len(block.out) == PLAYED_SAMPLES
    assert len(block.reference) == FRAME_SAMPLES
    assert not block.out.any()
    assert not playback.audible
    assert playback.blocks == 1
    assert playback.underruns == 0


def test_a_segment_comes_out_as_it_went_in() -> None:
    playback, sound = Playback(), tone(440, 0.5, 48_000)
    playback.enqueue(1, sound, 48_000, last=True)

    assert np.array_equal(pull(playback, 50), sound)
    assert not pull(playback, 1).any()


def test_chunks_of_a_segment_join_without_a_seam() -> None:
    playback, sound = Playback(), tone(440, 1, 22_050)
    for start in range(0, len(sound), 997):
        playback.enqueue(1, sound[start : start + 997], 22_050)
    playback.finish(1)

    assert np.array_equal(pull(playback, 100), resample(sound, 22_050, 48_000))


def test_segments_follow_each_other_in_the_middle_of_a_block_without_a_gap() -> None:
    playback = Playback()
    first, second = tone(440, 0.1, 48_000)[:4_500], tone(700, 0.1, 48_000)
    playback.enqueue(1, first, 48_000, last=True)
    playback.enqueue(2, second, 48_000, last=True)

    assert np.array_equal(pull(playback, 20)[: len(first) + len(second)], np.concatenate((first, second)))


def test_segments_play_in_the_order_in_which_they_were_named() -> None:
    playback = Playback()
    playback.enqueue(7, tone(440, 0.05, 48_000), 48_000)
    playback.enqueue(3, tone(700, 0.05, 48_000), 48_000, last=True)
    playback.enqueue(7, tone(440, 0.05, 48_000), 48_000, last=True)

    pull(playback, 20)

    assert [(mark.segment, mark.kind) for mark in playback.take_marks()] == [
        (7, "started"),
        (7, "ended"),
        (3, "started"),
        (3, "ended"),
    ]


@settings(max_examples=25)
@given(
    pieces=st.lists(st.integers(0, 2_500), min_size=1, max_size=8),
    pulls=st.lists(st.integers(0, 4), min_size=8, max_size=8),
    rate=st.sampled_from([16_000, 22_050, 24_000, 48_000]),
)
def test_nothing_is_lost_or_repeated_however_filling_and_pulling_interleave(
    pieces: list[int], pulls: list[int], rate: int
) -> None:
    playback, sound = Playback(), tone(300, 1, rate, level=0.9) | 1
    whole, at = [], 0
    for size, count in zip(pieces, pulls, strict=False):
        playback.enqueue(1, sound[at : at + size], rate)
        at += size
        whole.append(pull_both(playback, count))
    playback.finish(1)
    pending = playback.pending_s
    whole.append(pull_both(playback, 120))

    assert playback.pending_s == 0
    assert pending <= playback.heard_s(1)
    assert abs(playback.heard_s(1) - at / rate) <= 1 / 16_000
    assert sum(len(each.out) for each in whole) == 3 * sum(len(each.reference) for each in whole)
    assert [mark.kind for mark in playback.take_marks()] == ["started", "ended"]


def test_the_reference_is_the_same_sound_at_the_same_instant() -> None:
    playback = Playback()
    playback.enqueue(1, recording("en_read_sentence"), 16_000, last=True)

    both = pull_both(playback, 300)

    difference = resample(both.out, 48_000, 16_000).astype(float) - both.reference
    assert energy_db(difference) < energy_db(both.reference) - 20


def test_a_cleared_queue_is_silent_within_four_milliseconds_without_a_click() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 2, 48_000), 48_000, last=True)
    playback.enqueue(2, tone(440, 2, 48_000), 48_000, last=True)
    before = pull(playback, 10)

    playback.clear()
    after = pull(playback, 50)

    assert after[:96].any()
    assert not after[192:].any()
    joined = np.concatenate((before, after)).astype(int)
    assert np.abs(np.diff(joined)).max() <= np.abs(np.diff(before.astype(int))).max() + 100
    assert playback.pending_s == 0


def test_the_reference_fades_with_the_sound_when_the_queue_is_cleared() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 2, 48_000), 48_000, last=True)
    pull(playback, 10)

    playback.clear()
    block = playback.pull()

    assert block.reference[:32].any()
    assert not block.reference[64:].any()


def test_new_speech_after_a_clear_is_whole_and_follows_the_fade() -> None:
    playback, fresh = Playback(), tone(700, 0.5, 48_000)
    playback.enqueue(1, tone(440, 2, 48_000), 48_000, last=True)
    pull(playback, 10)
    playback.clear()
    playback.enqueue(2, fresh, 48_000, last=True)

    assert np.array_equal(pull(playback, 51)[192 : 192 + len(fresh)], fresh)


def test_sound_that_comes_too_late_for_a_cleared_segment_is_dropped() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 0.5, 22_050), 22_050)
    pull(playback, 5)
    playback.clear()
    pull(playback, 1)

    playback.enqueue(1, tone(440, 0.5, 22_050), 22_050)
    playback.finish(1)

    assert not pull(playback, 60).any()
    assert playback.pending_s == 0


def test_a_segment_can_be_cleared_away_before_anything_of_it_was_put_in() -> None:
    playback = Playback()

    playback.clear(through=7)
    playback.clear()
    playback.enqueue(7, tone(440, 0.05, 48_000), 48_000)
    playback.finish(6)
    playback.enqueue(8, tone(440, 0.01, 48_000), 48_000, last=True)
    pull(playback, 3)

    assert [mark.segment for mark in playback.take_marks()] == [8, 8]


def test_a_cleared_segment_has_no_end_but_what_was_heard_of_it_is_known() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 2, 48_000), 48_000, last=True)
    pull(playback, 30)

    playback.clear()
    pull(playback, 5)

    assert playback.take_marks() == [Mark(segment=1, kind="started", block=0)]
    assert playback.heard_s(1) == pytest.approx(0.304)


def test_clearing_twice_before_the_next_block_still_fades() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 2, 48_000), 48_000, last=True)
    pull(playback, 10)

    playback.clear()
    playback.clear()

    assert pull(playback, 1)[:96].any()


def test_clearing_what_was_not_heard_yet_makes_no_sound() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 2, 48_000), 48_000, last=True)

    playback.clear()

    assert not pull(playback, 10).any()
    assert playback.heard_s(1) == 0


def test_ducking_lowers_both_outputs_smoothly_and_restoring_brings_them_back() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 3, 48_000), 48_000, last=True)
    loud = pull_both(playback, 20)

    playback.duck(-20)
    ramp = pull_both(playback, 2)
    low = pull_both(playback, 20)
    playback.restore()
    pull(playback, 12)
    restored = pull_both(playback, 20)

    assert energy_db(low.out) == pytest.approx(energy_db(loud.out) - 20, abs=0.1)
    assert energy_db(low.reference) == pytest.approx(energy_db(loud.reference) - 20, abs=0.1)
    assert energy_db(restored.out) == pytest.approx(energy_db(loud.out), abs=0.1)
    steps = np.abs(np.diff(np.concatenate((loud.out, ramp.out, low.out)).astype(int)))
    assert steps.max() <= np.abs(np.diff(loud.out.astype(int))).max() + 100


def test_a_pause_is_silent_and_loses_nothing() -> None:
    playback, speech = Playback(), tone(440, 1, 48_000)
    playback.enqueue(1, speech, 48_000, last=True)
    pull(playback, 20)

    playback.pause()
    faded = pull(playback, 2)
    silent = pull_both(playback, 50)
    played_s = playback.heard_s(1)
    playback.restore()
    rest = pull(playback, 78)

    assert not silent.out.any()
    assert not silent.reference.any()
    assert playback.underruns == 0
    assert played_s == pytest.approx(0.22)
    steps = np.abs(np.diff(faded.astype(int)))
    assert steps.max() <= np.abs(np.diff(speech.astype(int))).max() + 100
    assert np.array_equal(rest[12 * 480 :], speech[34 * 480 :])
    assert playback.heard_s(1) == pytest.approx(1.0)


def test_a_paused_voice_is_not_ducked_and_lets_cues_through() -> None:
    playback, cue = Playback(), tone(1_000, 0.1, 48_000, 0.2)
    playback.enqueue(1, tone(440, 1, 48_000), 48_000, last=True)
    pull(playback, 5)
    playback.pause()
    pull(playback, 3)

    playback.duck(-14)
    playback.cue(cue)

    assert np.array_equal(pull(playback, 10), cue)
    assert not pull(playback, 10).any()


def test_an_answer_after_a_paused_one_is_heard() -> None:
    playback, fresh = Playback(), tone(700, 0.2, 48_000)
    playback.enqueue(1, tone(440, 2, 48_000), 48_000)
    playback.pause()
    pull(playback, 5)

    playback.clear()
    pull(playback, 1)
    playback.enqueue(2, fresh, 48_000, last=True)

    assert np.array_equal(pull(playback, 20), fresh)


def test_a_cleared_queue_starts_anew_at_full_level() -> None:
    playback, fresh = Playback(), tone(700, 0.2, 48_000)
    playback.enqueue(1, tone(440, 2, 48_000), 48_000)
    playback.duck(-20)
    pull(playback, 5)

    playback.clear()
    pull(playback, 1)
    playback.enqueue(2, fresh, 48_000, last=True)

    assert np.array_equal(pull(playback, 20), fresh)


def test_a_cue_is_mixed_on_top_and_heard_by_the_reference_too() -> None:
    playback, speech, cue = Playback(), tone(440, 0.5, 48_000, 0.3), tone(1_000, 0.1, 48_000, 0.2)
    playback.enqueue(1, speech, 48_000, last=True)

    playback.cue(cue)
    both = pull_both(playback, 50)

    expected = speech.copy()
    expected[: len(cue)] += cue
    assert np.array_equal(both.out, expected)
    assert np.abs(resample(both.out, 48_000, 16_000)[300:1_000].astype(int) - both.reference[300:1_000]).max() < 60


def test_a_cue_survives_a_clear() -> None:
    playback, cue = Playback(), tone(1_000, 0.1, 48_000, 0.2)
    playback.enqueue(1, tone(440, 1, 48_000), 48_000, last=True)
    pull(playback, 2)
    playback.cue(cue)
    playback.clear()

    assert playback.pull().out.any()
    assert playback.audible
    pull(playback, 9)
    assert not playback.pull().out.any()


def test_too_loud_a_mixture_is_cut_and_does_not_wrap_around() -> None:
    playback = Playback()
    playback.enqueue(1, np.full(4_800, 30_000, np.int16), 48_000, last=True)

    playback.cue(np.full(4_800, 30_000, np.int16))

    assert (pull(playback, 10) == 32_767).all()


def test_a_segment_that_runs_dry_is_silent_counted_once_and_goes_on() -> None:
    playback, sound = Playback(), np.full(4_800, 10_000, np.int16)
    playback.enqueue(1, sound, 48_000)
    pull(playback, 15)
    assert playback.underruns == 1
    assert not playback.audible

    playback.enqueue(1, sound, 48_000, last=True)
    resumed = pull(playback, 10)

    assert playback.underruns == 1
    assert resumed[0] == 0
    assert np.abs(resumed[200:4_000].astype(int) - 10_000).max() <= 1
    pull(playback, 10)
    assert [mark.kind for mark in playback.take_marks()] == ["started", "ended"]


def test_sound_that_runs_dry_fades_instead_of_breaking_off() -> None:
    playback = Playback()
    playback.enqueue(1, np.full(4_800, 10_000, np.int16), 48_000)

    played = pull(playback, 12)

    end = int(np.flatnonzero(played)[-1])
    assert end % PLAYED_SAMPLES != PLAYED_SAMPLES - 1
    assert np.abs(np.diff(played[500:].astype(int))).max() < 1_000


def test_waiting_for_a_segment_to_begin_is_no_underrun() -> None:
    playback = Playback()
    playback.enqueue(1, np.zeros(0, np.int16), 22_050)

    pull(playback, 10)

    assert playback.underruns == 0
    assert playback.take_marks() == []


def test_marks_tell_the_block_in_which_a_segment_starts_and_after_which_it_has_ended() -> None:
    playback = Playback()
    pull(playback, 4)
    playback.enqueue(1, tone(440, 0.1, 48_000), 48_000, last=True)
    pull(playback, 20)

    assert playback.take_marks() == [
        Mark(segment=1, kind="started", block=4),
        Mark(segment=1, kind="ended", block=14),
    ]
    assert playback.take_marks() == []


def test_a_segment_without_sound_starts_and_ends_when_it_is_due() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 0.05, 48_000), 48_000, last=True)
    playback.finish(2)

    playback.pull()
    assert [mark.segment for mark in playback.take_marks()] == [1]
    pull(playback, 5)

    assert [(mark.segment, mark.kind) for mark in playback.take_marks()] == [
        (1, "ended"),
        (2, "started"),
        (2, "ended"),
    ]


def test_finishing_twice_changes_nothing() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 0.05, 22_050), 22_050)
    playback.finish(1)
    playback.finish(1)
    pull(playback, 10)
    playback.finish(1)
    pull(playback, 5)

    assert [mark.kind for mark in playback.take_marks()] == ["started", "ended"]


def test_adding_to_a_finished_segment_is_an_error() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 0.05, 48_000), 48_000, last=True)

    with pytest.raises(ValueError, match="finished already"):
        playback.enqueue(1, tone(440, 0.05, 48_000), 48_000)
    pull(playback, 10)
    with pytest.raises(ValueError, match="finished already"):
        playback.enqueue(1, tone(440, 0.05, 48_000), 48_000)


def test_a_segment_keeps_one_rate() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 0.05, 22_050), 22_050)

    with pytest.raises(ValueError, match="22050"):
        playback.enqueue(1, tone(440, 0.05, 24_000), 24_000)


def test_the_callers_array_may_be_reused_at_once() -> None:
    playback, sound = Playback(), tone(440, 0.1, 48_000)
    original = sound.copy()

    playback.enqueue(1, sound, 48_000, last=True)
    sound[:] = 0

    assert np.array_equal(pull(playback, 10), original)


def test_what_waits_is_known_in_seconds() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 0.5, 48_000), 48_000, last=True)
    playback.enqueue(2, tone(440, 0.25, 48_000), 48_000, last=True)
    pull(playback, 10)

    assert playback.pending_s == pytest.approx(0.65)


def test_filling_clearing_and_pulling_from_three_threads_never_breaks_a_block() -> None:
    playback, stop = Playback(), threading.Event()
    failures: list[BaseException] = []

    def fill() -> None:
        segment = 0
        sound = tone(440, 0.05, 22_050)
        while not stop.is_set():
            segment += 1
            try:
                playback.enqueue(segment, sound, 22_050)
                playback.enqueue(segment, sound, 22_050, last=True)
            except ValueError as error:
                failures.append(error)

    def interrupt() -> None:
        while not stop.wait(0.001):
            playback.clear()

    workers = [threading.Thread(target=fill), threading.Thread(target=interrupt)]
    for worker in workers:
        worker.start()
    blocks = [playback.pull() for _ in range(2_000)]
    stop.set()
    for worker in workers:
        worker.join()

    assert not failures
    assert {(len(block.out), len(block.reference)) for block in blocks} == {(PLAYED_SAMPLES, FRAME_SAMPLES)}
    playback.clear()
    pull(playback, 1)
    assert not pull(playback, 5).any()
