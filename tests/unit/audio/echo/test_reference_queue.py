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


def test_after_a_rest_the_reference_soon_has_the_delay_it_had() -> None:
    def start(queue: ReferenceQueue) -> None:
        for _ in range(10):  # a speaker that starts fills its buffer at once
            queue.put(bytes(320))

    def go_on(queue: ReferenceQueue, takes: int) -> None:
        for _ in range(takes):
            queue.put(bytes(320))
            queue.take()

    queue = ReferenceQueue()
    start(queue)
    go_on(queue, 2_000)
    before_ms = queue.waiting_ms
    queue.rest()
    for _ in range(3_000):
        queue.take()
    start(queue)
    go_on(queue, 60)
    soon_ms = queue.waiting_ms
    go_on(queue, 2_000)

    assert soon_ms == before_ms == queue.waiting_ms


def test_what_was_played_before_a_rest_is_not_paired_with_what_is_heard_after_it() -> None:
    queue = ReferenceQueue()
    queue.put(frame(1))
    queue.rest()
    queue.put(frame(2))

    assert queue.take() == frame(2)
