import random
from uuid import RFC_4122

import pytest

from assistant.core.identity.uuid7 import Uuid7Source

NOW_MS = 0x019A_B0C1_D2E3


def source(*times_ms: int, seed: int = 7) -> Uuid7Source:
    """A source whose clock returns these times in order."""
    return Uuid7Source(iter(times_ms).__next__, random.Random(seed).getrandbits)


def test_version_variant_and_time_stand_where_the_rfc_puts_them() -> None:
    made = source(NOW_MS).next()
    assert (made.version, made.variant) == (7, RFC_4122)
    assert made.int >> 80 == NOW_MS
    assert str(made).startswith("019ab0c1-d2e3-7")


def test_the_example_of_the_rfc_is_made_from_its_time_and_random_bits() -> None:
    # RFC 9562, appendix A.6. Its 12 bits have the highest bit set, which a counter here never begins with.
    bits = {11: 0xCC3 & 0x7FF, 62: 0x18C4DC0C0C07398F}
    made = Uuid7Source(lambda: 0x017F22E279B0, bits.__getitem__).next()
    assert str(made) == "017f22e2-79b0-74c3-98c4-dc0c0c07398f"


@pytest.mark.parametrize(
    "times_ms",
    [[NOW_MS] * 10_000, [NOW_MS, *range(NOW_MS - 1, NOW_MS - 500, -1)], range(NOW_MS, NOW_MS + 500)],
    ids=["the clock stands still", "the clock goes back", "the clock goes on"],
)
def test_each_is_greater_than_the_one_before(times_ms: list[int]) -> None:
    ids = source(*times_ms)
    made = [ids.next() for _ in times_ms]
    assert made == sorted(set(made))
    assert [str(each) for each in made] == sorted(str(each) for each in made)


def test_two_sources_with_the_same_clock_make_different_ones() -> None:
    assert source(NOW_MS, seed=1).next() != source(NOW_MS, seed=2).next()
