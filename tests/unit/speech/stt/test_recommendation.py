from assistant.speech.stt.recommendation import FAST_ENOUGH, SIZES, MeasuredRecognizer, recommended

ORDER = tuple(SIZES)


def variant(size: str, factor: float, compute_type: str = "int8", device: str = "cpu") -> MeasuredRecognizer:
    return MeasuredRecognizer(size=size, device=device, compute_type=compute_type, real_time_factor=factor)


def test_the_larger_size_is_recommended_if_it_is_fast_enough() -> None:
    small = variant("small", FAST_ENOUGH)
    assert recommended([small, variant("base", 0.01)], ORDER) == small


def test_a_larger_size_that_is_too_slow_is_not_recommended() -> None:
    base = variant("base", 0.05)
    assert recommended([base, variant("small", FAST_ENOUGH + 0.01)], ORDER) == base


def test_the_fastest_variant_of_a_size_is_recommended() -> None:
    card = variant("small", 0.02, "float16", "cuda")
    assert recommended([variant("small", 0.09), card, variant("small", 0.3, "float32")], ORDER) == card


def test_on_a_slow_machine_the_smallest_size_is_recommended() -> None:
    base = variant("base", 0.4)
    assert recommended([variant("small", 2.0), base, variant("base", 0.6, "float32")], ORDER) == base


def test_without_measurements_nothing_is_recommended() -> None:
    assert recommended([], ORDER) is None
