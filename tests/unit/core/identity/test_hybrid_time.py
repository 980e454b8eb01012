import random

import pytest

from assistant.core.identity.hybrid_time import Stamp, beginning

NOW_MS = 1_795_000_000_000


def test_a_stamp_takes_the_time_of_the_clock() -> None:
    assert beginning("a").next(NOW_MS) == Stamp(NOW_MS, 0, "a")


@pytest.mark.parametrize("now_ms", [NOW_MS, NOW_MS - 86_400_000, 0])
def test_time_goes_on_when_the_clock_stands_still_or_is_set_back(now_ms: int) -> None:
    stamp = Stamp(NOW_MS, 4, "a")
    assert stamp < stamp.next(now_ms) == Stamp(NOW_MS, 5, "a")


def test_a_counter_that_is_full_takes_the_next_millisecond() -> None:
    full = Stamp(NOW_MS, 0xFFFF, "a")
    assert full < full.next(NOW_MS) == Stamp(NOW_MS + 1, 0, "a")


@pytest.mark.parametrize(
    ("mine", "remote", "now_ms", "expected"),
    [
        ((10, 3), (20, 5), 30, (30, 0)),
        ((10, 3), (20, 5), 15, (20, 6)),
        ((20, 5), (10, 3), 15, (20, 6)),
        ((20, 3), (20, 5), 15, (20, 6)),
        ((20, 7), (20, 5), 20, (20, 8)),
    ],
    ids=["clock ahead of both", "remote ahead", "own ahead", "equal times", "equal times and clock"],
)
def test_what_another_device_wrote_is_taken_in_after_it_and_after_everything_own(
    mine: tuple[int, int], remote: tuple[int, int], now_ms: int, expected: tuple[int, int]
) -> None:
    own, other = Stamp(*mine, "a"), Stamp(*remote, "b")
    merged = own.after(other, now_ms)
    assert merged == Stamp(*expected, "a")
    assert merged > own
    assert merged > other


def test_what_answers_comes_after_what_it_answers_whatever_the_clocks_of_two_devices_show() -> None:
    draw = random.Random(1)
    clocks_ms = {"a": NOW_MS, "b": NOW_MS - 3_600_000}
    last = {device: beginning(device) for device in clocks_ms}
    sent: list[Stamp] = []
    for _ in range(2_000):
        device = draw.choice("ab")
        clocks_ms[device] += draw.randint(-5, 5)
        newest = sent[-1] if sent else beginning("c")
        last[device] = last[device].after(newest, clocks_ms[device])
        sent.append(last[device])
    assert sent == sorted(set(sent))


def test_the_device_decides_between_equal_times_so_that_the_order_is_total() -> None:
    one, other = Stamp(NOW_MS, 2, "a"), Stamp(NOW_MS, 2, "b")
    assert one != other
    assert (one < other) is not (other < one)


def test_texts_are_in_the_order_of_their_stamps_and_can_be_read_back() -> None:
    draw = random.Random(2)
    stamps = [
        Stamp(draw.randrange(1 << draw.choice([4, 20, 47])), draw.randrange(1 << 16), draw.choice("ab-"))
        for _ in range(500)
    ]
    assert sorted(stamps) == [Stamp.parse(text) for text in sorted(str(each) for each in stamps)]


def test_integers_are_in_the_order_of_the_times_of_their_stamps_and_can_be_read_back() -> None:
    draw = random.Random(3)
    stamps = [Stamp(draw.randrange(1 << draw.choice([4, 20, 47])), draw.randrange(1 << 16), "a") for _ in range(500)]
    assert sorted(stamps) == [Stamp.at(time, "a") for time in sorted(each.time for each in stamps)]
    assert all(0 <= each.time < 1 << 63 for each in stamps)


def test_a_clock_in_a_far_future_leaves_room_for_later_writes() -> None:
    far = beginning("a").next(253_402_300_799_000)
    assert far.time < far.next(NOW_MS).time < 1 << 63


def test_what_is_no_stamp_is_refused() -> None:
    with pytest.raises(ValueError, match="unpack"):
        Stamp.parse("yesterday")
