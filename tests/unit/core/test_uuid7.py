import uuid
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.uuid7 import RANDOM_BYTES, uuid7

_RANDOM = st.binary(min_size=RANDOM_BYTES, max_size=RANDOM_BYTES)
_MS = st.integers(0, (1 << 48) - 1)


def test_the_example_of_the_standard_comes_out() -> None:
    now_ms = int(datetime(2022, 2, 22, 19, 22, 22, tzinfo=UTC).timestamp() * 1000)
    # RFC 9562, appendix A.6: rand_a is CC3 and rand_b 18C4DC0C0C07398F.
    random = bytes.fromhex("0cc318c4dc0c0c07398f")
    assert uuid7(now_ms, random) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"


@given(now_ms=_MS, random=_RANDOM)
def test_every_one_is_of_version_7_and_holds_its_time(now_ms: int, random: bytes) -> None:
    made = uuid.UUID(uuid7(now_ms, random))
    assert made.version == 7
    assert made.variant == uuid.RFC_4122
    assert made.int >> 80 == now_ms


@given(first=_MS, second=_MS, one=_RANDOM, other=_RANDOM)
def test_their_text_sorts_by_time(first: int, second: int, one: bytes, other: bytes) -> None:
    if first < second:
        assert uuid7(first, one) < uuid7(second, other)


@pytest.mark.parametrize(("now_ms", "random"), [(-1, bytes(10)), (1 << 48, bytes(10)), (0, bytes(9)), (0, bytes(11))])
def test_what_cannot_be_held_is_refused(now_ms: int, random: bytes) -> None:
    with pytest.raises(ValueError, match=r"time that|random bytes"):
        uuid7(now_ms, random)
