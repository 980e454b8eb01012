from assistant.audio.cards.stall import StallWatch


def checked(*checks: tuple[int, float]) -> list[bool]:
    watch = StallWatch(1.0)
    return [watch.stalled(count, at) for count, at in checks]


def test_a_counter_that_stands_still_for_the_limit_is_stalled() -> None:
    assert checked(*((7, step / 5) for step in range(7))) == [False] * 5 + [True] * 2


def test_a_counter_that_moves_is_not_stalled() -> None:
    assert not any(checked(*((step // 4, step / 5) for step in range(40))))


def test_a_pause_of_the_whole_program_is_no_stall() -> None:
    assert not any(checked((1, 0.0), (1, 60.0), (1, 120.0), (1, 180.0)))
