from assistant.audio.echo.reference_queue import ReferenceQueue


def frame(number: int) -> bytes:
    return number.to_bytes(2, "little") * 160


def test_frames_come_out_in_the_order_in_which_they_were_played() -> None:
    queue = ReferenceQueue()
    for number in range(1, 6):
        queue.put(frame(number))

    assert [queue.take() for _ in range(5)] == [frame(number) for number in range(1, 6)]


def test_silence_stands_in_while_nothing_was_played() -> None:
    assert ReferenceQueue().take() == bytes(320)


def test_a_speaker_that_works_in_bursts_loses_nothing() -> None:
    queue, number, taken = ReferenceQueue(), 0, []
    for tick in range(400):
        if tick % 5 == 4:
            for _ in range(5):
                number += 1
                queue.put(frame(number))
        taken.append(queue.take())

    first = taken.index(frame(1))
    assert taken[first:] == [frame(each) for each in range(1, 1 + len(taken) - first)]


def test_a_faster_speakers_surplus_is_dropped_before_it_delays_the_reference_for_good() -> None:
    queue = ReferenceQueue()
    for tick in range(20_000):
        queue.put(frame(tick % 1_000))
        if tick % 500 == 0:
            queue.put(frame(tick % 1_000))
        queue.take()

    assert queue.waiting_ms <= 50


def test_frames_whose_counterpart_was_lost_are_skipped() -> None:
    queue = ReferenceQueue()
    for number in range(1, 6):
        queue.put(frame(number))

    queue.skip(3)

    assert queue.take() == frame(4)
    queue.skip(100)
    assert queue.take() == bytes(320)
